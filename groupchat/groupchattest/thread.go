package groupchattest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

// Options are what a [Thread] begins with. The zero value is valid.
type Options struct {
	thread.Options
	// Context is that of all runs; nil means context.Background.
	Context context.Context
	// NoReplay leaves out that every pause is entered again.
	NoReplay bool
}

// A Thread is a conversation of a test with an agent. Ids are numbers, so that the same conversation always has the
// same ones. It is used by one goroutine.
type Thread struct {
	t      modeltest.T
	agent  groupchat.Agent
	o      Options
	thread *thread.Thread
	ids    atomic.Int64

	mu     sync.Mutex
	stream *stream // of the live run
	saves  int     // of live runs, since the thread was made
	crash  int     // the number of the save at which the process dies; 0 is none
	left   json.RawMessage
}

// NewThread returns a thread with agent, which fails the test if it is not valid.
func NewThread(t modeltest.T, agent groupchat.Agent, o Options) *Thread {
	t.Helper()
	if v, ok := agent.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			t.Fatalf("the agent is not valid: %v", err)
		}
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	th := &Thread{t: t, agent: agent, o: o}
	th.thread = th.another()
	return th
}

// another is a thread with the same agent, in another process so to speak.
func (th *Thread) another() *thread.Thread {
	o := th.o.Options
	if o.NewID == nil {
		o.NewID = func() string { return strconv.FormatInt(th.ids.Add(1), 10) }
	}
	if o.Input.Agent == "" {
		o.Input.Agent = "agent"
	}
	if o.Input.ThreadID == "" {
		o.Input.ThreadID = "thread"
	}
	o.Hooks = append([]groupchat.Hooks{modeltest.Speakers()}, o.Hooks...)
	events, save := o.Events, o.Save
	o.Events = func(e agui.Event) error {
		th.stream.take(th.t, e)
		if events != nil {
			return events(e)
		}
		return nil
	}
	o.Save = func(ctx context.Context, raw json.RawMessage) error {
		if err := th.note(raw); err != nil || save == nil {
			return err
		}
		return save(ctx, raw)
	}
	return thread.New(th.agent, o)
}

// errCrashed is how a process dies.
var errCrashed = errors.New("groupchattest: the process dies here")

// note counts saves of a live run, and simulates the crash.
func (th *Thread) note(raw json.RawMessage) error {
	th.mu.Lock()
	defer th.mu.Unlock()
	th.stream.saves++
	if !bytes.Contains(raw, []byte(`"live":{`)) {
		return nil
	}
	if th.saves++; th.saves == th.crash {
		th.left = bytes.Clone(raw)
		return errCrashed
	}
	if th.left != nil { // concurrent work dies too
		return errCrashed
	}
	return nil
}

// Say sends a message of a person's.
func (th *Thread) Say(text string) *Run {
	th.t.Helper()
	return th.run(func(ctx context.Context) (*thread.Result, error) { return th.thread.Say(ctx, text) })
}

// Answer answers open questions and calls, by the keys of questions and the names of tools: see [thread.Thread.Answer].
func (th *Thread) Answer(answers map[string]any) *Run {
	th.t.Helper()
	return th.run(func(ctx context.Context) (*thread.Result, error) { return th.thread.Answer(ctx, answers) })
}

// Approve lets the calls of these tools be made.
func (th *Thread) Approve(tools ...string) *Run {
	th.t.Helper()
	return th.Answer(all(tools, map[string]bool{"approved": true}))
}

// Reject does not let the calls of these tools be made.
func (th *Thread) Reject(tools ...string) *Run {
	th.t.Helper()
	return th.Answer(all(tools, map[string]bool{"approved": false}))
}

// Cancel calls questions off.
func (th *Thread) Cancel(keys ...string) *Run {
	th.t.Helper()
	return th.Answer(all(keys, ask.Answer{Cancelled: true}))
}

func all(names []string, value any) map[string]any {
	answers := map[string]any{}
	for _, name := range names {
		answers[name] = value
	}
	return answers
}

// Upgrade continues with another agent, as after the start of a new version of a program: from the JSON of the thread.
func (th *Thread) Upgrade(agent groupchat.Agent) {
	th.t.Helper()
	saved, err := json.Marshal(th.thread)
	must(th.t, err)
	th.agent = agent
	th.thread = th.another()
	must(th.t, json.Unmarshal(saved, th.thread))
}

// Thread is the thread that the test drives.
func (th *Thread) Thread() *thread.Thread { return th.thread }

// run plays one run: if the process dies in it, the end of it is another's.
func (th *Thread) run(play func(context.Context) (*thread.Result, error)) *Run {
	th.t.Helper()
	result, err := th.record(play)
	if th.left != nil {
		th.thread = th.another()
		must(th.t, json.Unmarshal(th.left, th.thread))
		th.left, th.crash = nil, 0
		result, err = th.record(th.thread.Resume)
	}
	run := &Run{Err: err, Events: th.stream.events}
	if err != nil {
		run.Result = &thread.Result{State: th.thread.State()}
		return run
	}
	run.Result = result
	th.stream.checkState(th.t, result.State)
	if !result.Done() && !th.o.NoReplay {
		th.replay(result)
	}
	return run
}

func (th *Thread) record(play func(context.Context) (*thread.Result, error)) (*thread.Result, error) {
	th.stream = &stream{}
	return play(th.o.Context)
}

func must(t modeltest.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}
