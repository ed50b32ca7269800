package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// frozen stops a replica in the middle of its runs for three lease times and wakes it: the runs are others' by then. It
// writes nothing more, and its readers see the takeover or are cut.
func frozen(ctx context.Context, f *fleet, _ size) *result {
	out := &result{}
	reading := out.readers()
	owner := f.replicas[0]
	readers := make([]*reader, 3*watchedThreads)
	var all sync.WaitGroup
	for i := range readers {
		thread := fmt.Sprintf("frozen-%d", i/3)
		r := reading.at(owner, "long", thread)
		readers[i] = r
		all.Go(func() {
			var end agui.Event
			var err error
			switch i % 3 {
			case 0: // its connection is to the frozen replica, from beginning to end
				end, err = r.run(ctx, &agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}})
			case 1: // and so is this one's
				out.await(ctx, runBegan, readers[i-1])
				end, err = r.follow(ctx)
			default:
				out.await(ctx, runBegan, readers[i-2])
				r.where = func() string { return f.replicas[1].serving.Load().url }
				end, err = r.follow(ctx)
			}
			if err == nil && !succeeded(end) {
				err = fmt.Errorf("it ends with %+v", end)
			}
			if err != nil {
				out.stats.problem("%s, reader %d: %v", thread, i%3, err)
			}
		})
	}
	for i, r := range readers {
		if out.await(ctx, runBegan, r); i%3 == 0 {
			out.await(ctx, runInMiddle, r)
		}
	}
	owner.signal(syscall.SIGSTOP)
	time.Sleep(3 * lease)
	f.awaitTakeovers(0, watchedThreads)
	owner.signal(syscall.SIGCONT)
	all.Wait()
	for _, r := range readers {
		if _, err := r.agrees(ctx); err != nil {
			out.stats.problem("%s: %v", r.thread, err)
		}
	}
	out.oneWriter(ctx, f)
	out.add("frozen for %v with %d runs, takeovers %d", 3*lease, watchedThreads, f.takeovers.Load())
	if n := f.takeovers.Load(); n < watchedThreads {
		out.stats.problem("%d takeovers of %d runs", n, watchedThreads)
	}
	return out
}

// sealed is the number of the marker behind the last frame of an owner that lost its lease.
const sealed = "18446744073709551615"

// oneWriter reads the logs where they are kept: behind the first frame of a new owner none of the old one's may come,
// and every owner's frames are there without a hole.
func (r *result) oneWriter(ctx context.Context, f *fleet) {
	logs, err := f.redis.logs(ctx)
	if err != nil {
		r.stats.problem("%v", err)
		return
	}
	frames, moved := 0, 0
	for key, ids := range logs {
		fence, seq := "", 0
		owners := 0
		for _, id := range ids {
			frames++
			now, number, _ := strings.Cut(id, "-")
			if now != fence {
				fence, seq = now, 0 // the marker that seals the old fence
				owners++
			}
			if number == sealed {
				seq = -1 // nothing of this owner may follow
				continue
			}
			if number != fmt.Sprint(seq) {
				r.stats.problem("the log %s has frame %s where %s-%d belongs", key, id, fence, seq)
				break
			}
			seq++
		}
		if owners == 2 {
			moved++
		}
	}
	r.add("logs %d with %d frames, each without a hole; logs of two owners in turn %d", len(logs), frames, moved)
	if moved != watchedThreads {
		r.stats.problem("%d of %d logs have two owners", moved, watchedThreads)
	}
}
