package chat

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state/document"
)

// stopPatience bounds the time that a server may take to end a run after a stop request.
const stopPatience = 5 * time.Second

var errStopped = errors.New("chat: stopped")

type ending struct {
	questions []question
	waiting   int // calls of a page's tools, which only a page can answer
	failed    *agui.RunError
	stopped   bool
	err       error // the answer could not be used
}

// A queue passes events from the connection to the screen. A slow terminal, or one paused by Ctrl-S, blocks the queue
// and not the connection, which a server would close. Its bounds are the client's limits of one response.
type queue struct {
	mu     sync.Mutex
	more   sync.Cond // of mu: there are events, or the end
	events []agui.Event
	err    error
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.more.L = &q.mu
	return q
}

func (q *queue) put(e agui.Event, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.err = err
	} else {
		q.events = append(q.events, e)
	}
	q.more.Signal()
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Signal()
}

// take waits for events. Without any the answer has ended, with err.
func (q *queue) take() (events []agui.Event, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.events) == 0 && !q.closed {
		q.more.Wait()
	}
	events, q.events = q.events, nil
	return events, q.err
}

type turn struct {
	client     *client.Client
	interrupts <-chan os.Signal
	renderer   *renderer
	view       *run.View
}

// run requests a run and displays it. The first interrupt stops the run, the second does not wait for its end.
func (t *turn) run(ctx context.Context, in agui.RunAgentInput) (end ending) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var stopping atomic.Bool
	over, finish := context.WithCancel(context.WithoutCancel(ctx))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if t.watch(over) {
			stopping.Store(true)
			t.stop(over, in)
			cancel(errStopped)
		}
	}()
	defer func() {
		finish()
		<-watched
	}()
	q := newQueue()
	go func() {
		defer q.close()
		for e, err := range t.client.Run(ctx, client.Request{Input: in}) {
			q.put(e, err)
		}
	}()
	for {
		events, err := q.take()
		for _, e := range events {
			t.take(e, &end)
		}
		if len(events) == 0 {
			end.err = err
			break
		}
	}
	t.renderer.finish()
	if end.questions == nil {
		end.questions = legacyQuestions(t.renderer.legacy)
	}
	if errors.Is(end.err, errStopped) || stopping.Load() && (end.failed != nil || end.err != nil) {
		end = ending{stopped: true}
	}
	return end
}

// watch waits for an interrupt, and reports whether it came before the end of the run.
func (t *turn) watch(over context.Context) bool {
	select {
	case <-over.Done():
		return false
	case <-t.interrupts:
		return true
	}
}

// stop has the server stop the run, and waits for its end, the next interrupt, or stopPatience. Then it hangs up.
func (t *turn) stop(over context.Context, in agui.RunAgentInput) {
	stopping, done := context.WithTimeout(over, stopPatience)
	defer done()
	if can, err := t.client.Stop(stopping, in.ThreadID, in.RunID, nil); !can || err != nil {
		return
	}
	select {
	case <-t.interrupts:
	case <-stopping.Done():
	}
}

// take shows an event, and notes what it means for the conversation.
func (t *turn) take(e agui.Event, end *ending) {
	switch e := e.(type) {
	case *agui.RunFinished:
		*end = ending{}
		var result struct{ Reason string }
		if json.Unmarshal(e.Result, &result) == nil && result.Reason == "max_rounds" {
			t.renderer.note("the team has used up its turns (max_rounds)")
		}
		if e.Outcome != nil {
			end.stopped, end.waiting = e.Outcome.Type == agui.OutcomeCancelled, len(e.Outcome.PendingToolCallIDs)
			for _, i := range e.Outcome.Interrupts {
				end.questions = append(end.questions, question{Interrupt: i})
			}
		}
	case *agui.RunError:
		*end = ending{failed: e}
	case *agui.RunStarted:
		t.renderer.legacy = nil
	}
	_ = t.view.Apply(e) // a patch that does not apply is ignored, as in other clients
	t.renderer.event(e)
}

// newView is a conversation as a client has it. State that is no object is as good as none.
func newView(messages []agui.Message, raw json.RawMessage) (*run.View, *document.Document) {
	doc, err := document.New(raw, document.Options{})
	if err != nil {
		doc, _ = document.New(nil, document.Options{}) // an empty one always can be made
	}
	return run.NewView(messages, doc), doc
}
