package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// lostThreads is how many runs, and how many questions, a Redis loses.
const lostThreads = 12

// A loss is a thread that Redis lost, with its readers.
type loss struct {
	thread  string
	poster  *reader
	watcher *reader
	asker   *reader
	open    []agui.Interrupt
}

// empty kills Redis in the middle of runs and starts it with nothing. Readers of a lost run get an error; old cursors
// and old answers find nothing; and everything works at once, under the same names too.
func empty(ctx context.Context, f *fleet, _ size) *result {
	out := &result{}
	reading := out.readers()
	losses := make([]*loss, lostThreads)
	var all, asking sync.WaitGroup
	for i := range losses {
		l := &loss{thread: fmt.Sprintf("lost-%d", i)}
		losses[i] = l
		here, there := f.replicas[i%fleetSize], f.replicas[(i+1)%fleetSize]
		l.poster, l.watcher = reading.at(here, "long", l.thread), reading.at(there, "long", l.thread)
		l.asker = reading.at(there, "ask", "asks-"+l.thread)
		all.Go(func() {
			end, err := l.poster.run(ctx, &agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}})
			out.lost("who posted", l.thread, end, err)
		})
		all.Go(func() {
			out.await(ctx, runBegan, l.poster)
			end, err := l.watcher.follow(ctx)
			out.lost("who watches", l.thread, end, err)
		})
		asking.Go(func() {
			end, err := l.asker.run(ctx,
				&agui.RunAgentInput{RunID: "ask", Messages: []agui.Message{user("Book something")}})
			if l.open = questions(end); err == nil && len(l.open) != 1 {
				err = fmt.Errorf("it asks %d questions", len(l.open))
			}
			if err != nil {
				out.stats.problem("%s: %v", l.asker.thread, err)
			}
		})
	}
	asking.Wait()
	for _, l := range losses {
		out.await(ctx, runBegan, l.watcher)
		out.await(ctx, runInMiddle, l.poster)
	}
	f.redis.kill()
	if err := errors.Join(os.RemoveAll(filepath.Join(f.redis.dir, "appendonlydir")), f.redis.start(ctx)); err != nil {
		out.stats.problem("%v", err)
		return out
	}
	back := time.Now()
	all.Wait()
	told := time.Since(back)
	out.awaitReady(ctx, f)
	for i, l := range losses {
		all.Go(func() { out.recreate(ctx, f, l, i) })
	}
	all.Wait()
	for i, r := range f.replicas {
		out.checkIdle(ctx, i, r)
	}
	out.add("Redis came back empty in the middle of %d runs: all %d readers were told run_lost within %d ms",
		lostThreads, 2*lostThreads, told.Milliseconds())
	out.add("old cursors and answers found nothing; %d threads were made anew under their names, and old cursors "+
		"got their prelude", lostThreads)
	return out
}

// lost checks how a run ends for a reader when its thread is gone.
func (r *result) lost(who, thread string, end agui.Event, err error) {
	if err == nil && codeOf(end) != string(errcode.RunLost) {
		err = fmt.Errorf("it ends with %+v", end)
	}
	if err != nil {
		r.stats.problem("%s: %s: %v", thread, who, err)
	}
}

// recreate asks for a thread that was lost, makes it again under the same name, and asks once more.
func (r *result) recreate(ctx context.Context, f *fleet, l *loss, i int) {
	elsewhere := func() string { return f.replicas[(i+2)%fleetSize].serving.Load().url }
	for _, old := range []*reader{l.poster, l.asker} {
		old.where = elsewhere
		if status, err := old.attachStatus(ctx); err != nil || status != http.StatusNotFound {
			r.stats.problem("%s: an old cursor = %d, %v", old.thread, status, err)
		}
	}
	cursor := l.asker.cursor
	if len(l.open) == 1 {
		answer := []agui.ResumeEntry{{InterruptID: l.open[0].ID, Status: agui.ResumeResolved,
			Payload: json.RawMessage(`"a"`)}}
		end, err := l.asker.run(ctx, &agui.RunAgentInput{RunID: "answer", Messages: l.asker.messages, Resume: answer})
		if err != nil || codeOf(end) != string(errcode.InterruptNotFound) {
			r.stats.problem("%s: an old answer ends with %+v, %v", l.asker.thread, end, err)
		}
	}
	l.asker.where = func() string { return f.replicas[i%fleetSize].serving.Load().url }
	end, err := l.asker.run(ctx,
		&agui.RunAgentInput{RunID: "again", Messages: []agui.Message{user("Book something else")}})
	if err != nil || len(questions(end)) != 1 {
		r.stats.problem("%s, made anew, ends with %+v, %v", l.asker.thread, end, err)
		return
	}
	late := r.readers().at(f.replicas[(i+1)%fleetSize], "ask", l.asker.thread)
	late.cursor, late.last = cursor, time.Now()
	if end, err = late.once(ctx, func(ctx context.Context) (*http.Request,
		error) {
		return late.attach(ctx, cursor)
	}); err != nil || len(questions(end)) != 1 {
		r.stats.problem("%s: an old cursor of what was made anew gets %+v, %v", late.thread, end, err)
		return
	}
	if _, err := late.agrees(ctx); err != nil {
		r.stats.problem("%s: an old cursor: %v", late.thread, err)
	}
}

// attachStatus attaches with the reader's cursor and returns the status of the answer.
func (r *reader) attachStatus(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, hungAfter)
	defer cancel()
	request, err := r.attach(ctx, r.cursor)
	if err != nil {
		return 0, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// checkIdle checks that a replica was never restarted, and that its agents were stopped.
func (r *result) checkIdle(ctx context.Context, i int, replica *replica) {
	select {
	case <-replica.ended:
		r.stats.problem("replica %d has ended", i)
		return
	default:
	}
	n := -1
	for deadline := time.Now().Add(hungAfter); n != 0 &&
		time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		n = replica.working(ctx)
	}
	if n != 0 {
		r.stats.problem("replica %d has %d agents at work on threads that are gone", i, n)
	}
}
