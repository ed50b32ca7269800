package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
)

// watchedThreads is how many runs a replica has when it is killed, each with a reader elsewhere.
const watchedThreads = 10

// follows kills the owner of runs that readers on another replica follow. They see the runs continue and finish; the
// posting client continues with the cursor, gets exactly the same events, and the withdrawals.
func follows(ctx context.Context, f *fleet, _ size) *result {
	out := &result{}
	reading := out.readers()
	owner, other := f.replicas[0], f.replicas[1]
	pairs := make([]*pair, watchedThreads)
	var all sync.WaitGroup
	for i := range pairs {
		thread := fmt.Sprintf("watched-%d", i)
		p := &pair{poster: reading.at(owner, "long", thread), watcher: reading.at(other, "long", thread)}
		pairs[i] = p
		all.Go(func() {
			// The owner until it is killed; then any replica that answers.
			p.poster.where = func() string {
				if p.poster.cursor == "" {
					return owner.serving.Load().url
				}
				return f.any()
			}
			var err error
			if p.end, err = p.poster.run(ctx,
				&agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}}); err != nil {
				out.stats.problem("%s: who posted: %v", thread, err)
			}
		})
		all.Go(func() {
			out.await(ctx, runBegan, p.poster)
			var err error
			if p.seen, err = p.watcher.follow(ctx); err != nil {
				out.stats.problem("%s: who watches: %v", thread, err)
			}
		})
	}
	for _, p := range pairs {
		out.await(ctx, runBegan, p.watcher)
		out.await(ctx, runInMiddle, p.poster)
	}
	owner.kill()
	all.Wait()
	withdrawn := 0
	for _, p := range pairs {
		n, err := p.agree(ctx)
		if err != nil {
			out.stats.problem("%s: %v", p.poster.thread, err)
		}
		withdrawn += n
	}
	if err := owner.start(ctx); err != nil {
		out.stats.problem("%v", err)
	}
	out.add("runs with a killed owner %d, takeovers %d, messages withdrawn %d", len(pairs), f.takeovers.Load(),
		withdrawn)
	if n := f.takeovers.Load(); n < watchedThreads {
		out.stats.problem("%d takeovers of %d runs", n, watchedThreads)
	}
	return out
}

// A pair is who posted a run and who watches it through another replica.
type pair struct {
	poster, watcher *reader
	end, seen       agui.Event
}

// agree compares what the two saw with each other and with the thread. It returns how many messages were withdrawn.
func (p *pair) agree(ctx context.Context) (withdrawn int, err error) {
	if !succeeded(p.end) || !succeeded(p.seen) {
		return 0, fmt.Errorf("it ends with %+v for who posted and %+v for who watches", p.end, p.seen)
	}
	for _, r := range []*reader{p.poster, p.watcher} {
		if _, err := r.agrees(ctx); err != nil {
			return 0, err
		}
	}
	// The watcher came later and was never cut, so it has the last part of the events that the other reader got over
	// two connections.
	first := p.watcher.ids[1:] // the prelude goes up to the first
	i := slices.Index(p.poster.ids, first[0])
	if i < 0 || !slices.Equal(p.poster.ids[i:], first) {
		return 0, fmt.Errorf("who went on with the cursor got other frames than who was not cut:\n%v\n%v", p.poster.ids,
			first)
	}
	for j, e := range p.poster.events[i:] {
		mine, err := agui.Encode(e)
		if err != nil {
			return 0, err
		}
		other, err := agui.Encode(p.watcher.events[1+j])
		if err != nil {
			return 0, err
		}
		if !sameJSON(mine, other) {
			return 0, fmt.Errorf("frame %s is %s here and %s there", first[j], mine, other)
		}
	}
	return p.poster.withdrawn()
}

// withdrawn finds the messages that are no longer in the thread, and checks that the first MESSAGES_SNAPSHOT of the new
// owner lacks them and has the committed ones.
func (r *reader) withdrawn() (int, error) {
	last := map[string]bool{}
	for _, m := range r.messages {
		last[m.ID] = true
	}
	var gone, kept []string
	fence := ""
	for i, e := range r.events {
		now, _, _ := strings.Cut(r.ids[i], "-")
		moved := fence != "" && now != fence
		fence = now
		switch e := e.(type) {
		case *agui.TextMessageStart:
			if last[e.MessageID] {
				kept = append(kept, e.MessageID)
			} else {
				gone = append(gone, e.MessageID)
			}
		case *agui.MessagesSnapshot:
			for _, m := range e.Messages {
				if slices.Contains(gone, m.ID) {
					return 0, fmt.Errorf("message %s was withdrawn and is shown again", m.ID)
				}
			}
		}
		if moved && len(kept) == 0 {
			return 0, fmt.Errorf("nothing of the first turn was kept when the run moved")
		}
	}
	if len(gone) == 0 {
		return 0, fmt.Errorf("nothing was withdrawn: the kill did not hit the second turn")
	}
	return len(gone), nil
}
