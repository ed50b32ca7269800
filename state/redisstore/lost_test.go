package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// goBack makes a Redis what it was when all was dumped, and cuts all subscriptions: so it looks to stores when a
// replica takes the place of its master without the newest writes.
func goBack(t *testing.T, c *redis.Client, prefix string, all map[string]string) {
	t.Helper()
	_, err := c.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		for key := range dump(t, c, prefix) {
			p.Del(t.Context(), key)
		}
		for key, is := range all {
			p.RestoreReplace(t.Context(), key, 0, is)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), "CLIENT", "KILL", "TYPE", "pubsub").Err(); err != nil {
		t.Fatal(err)
	}
}

// A losing is a thread in a Redis that loses its newest writes, with two stores. Each of its frames names the frame
// before it.
type losing struct {
	*thread

	client *redis.Client
	prefix string
	stores []state.Store
	before state.FrameID // a run that is not lost
	dumps  []map[string]string
}

func newLosing(t *testing.T, server *redistest.Server) *losing {
	t.Helper()
	g := &losing{thread: newThread(t), client: server.Client(), prefix: rand.Text()}
	for range 2 {
		g.stores = append(g.stores, open(t, server.URL(), redisstore.Options{Prefix: g.prefix}))
	}
	l := g.begin(g.stores[0], time.Hour)
	g.write(g.stores[0], l, state.FrameID{}, 1, 3)
	g.before = g.end(g.stores[0], l, behind(l, 3))
	return g
}

// linked are frames of a lease behind a frame of any.
func linked(l *state.Lease, after state.FrameID, seq, n int) []state.Frame {
	list := frames(l, seq, n)
	for i := range list {
		list[i].Data = fmt.Appendf(nil, `{"type":"CUSTOM","name":"n","value":%q}`, after)
		after = list[i].ID
	}
	return list
}

func (g *losing) write(s state.Store, l *state.Lease, after state.FrameID, seq, n int) {
	g.Helper()
	if err := s.Append(g.Context(), l, behind(l, seq-1), linked(l, after, seq, n)); err != nil {
		g.Fatalf("Append() = %v", err)
	}
}

// end ends a run behind a frame, and returns the last one.
func (g *losing) end(s state.Store, l *state.Lease, after state.FrameID) state.FrameID {
	g.Helper()
	seq := 1
	if after.Fence == l.Fence {
		seq = int(after.Seq) + 1
	}
	c := state.Commit{Frames: linked(l, after, seq, 1), End: &state.End{Status: state.RunSuccess}}
	if _, err := s.Commit(g.Context(), l, c); err != nil {
		g.Fatalf("Commit() = %v", err)
	}
	return c.Frames[0].ID
}

// note keeps what the Redis has now.
func (g *losing) note() { g.dumps = append(g.dumps, dump(g.T, g.client, g.prefix)) }

// run writes a run of 6 frames, which may end, and notes what there was before it and after each step.
func (g *losing) run(ends bool) *state.Lease {
	g.Helper()
	g.note()
	l := g.begin(g.stores[0], time.Millisecond)
	g.note()
	g.write(g.stores[0], l, g.before, 1, 3)
	g.note()
	g.write(g.stores[0], l, behind(l, 3), 4, 3)
	g.note()
	if ends {
		g.end(g.stores[0], l, behind(l, 6))
	}
	return l
}

// A lostReader follows a log from a frame on.
type lostReader struct {
	after state.FrameID
	name  string
	has   chan state.FrameID
	ended chan error
}

// follow reads a log in each store from several frames on, and waits until all readers have what there is up to last.
func (g *losing) follow(last state.FrameID, from ...state.FrameID) []*lostReader {
	g.Helper()
	var readers []*lostReader
	for i, s := range g.stores {
		for _, after := range from {
			r := &lostReader{after: after, name: fmt.Sprintf("store %d from %s", i, after), has: make(chan state.FrameID, 100), ended: make(chan error, 1)}
			readers = append(readers, r)
			go func() { r.ended <- r.read(g.Context(), s, g.key) }()
		}
	}
	for _, r := range readers {
		for id := r.after; id != last; {
			select {
			case id = <-r.has:
			case err := <-r.ended:
				g.Fatalf("%s: Tail() = %v before anything was lost", r.name, err)
			}
		}
	}
	return readers
}

// read reads until the log ends, or its frames do not follow each other.
func (r *lostReader) read(ctx context.Context, s state.Store, key state.Key) error {
	at := r.after
	for batch, err := range s.Tail(ctx, key, at) {
		if err != nil {
			return err
		}
		for _, f := range batch {
			var e struct {
				Value string `json:"value"`
			}
			if err := json.Unmarshal(f.Data, &e); err != nil {
				return err
			}
			if before, _ := state.ParseFrameID(e.Value); before != at && at.Seq > 0 {
				return fmt.Errorf("%s came behind %s, and was written behind %s", f.ID, at, before)
			}
			at = f.ID
			r.has <- at
		}
	}
	return ctx.Err()
}

// reaches waits until each reader has the last frame, or has been sent [state.ErrTrimmed]; keeps says that none may be.
func (g *losing) reaches(readers []*lostReader, last state.FrameID, keeps bool) {
	g.Helper()
	deadline := time.After(time.Minute)
	for _, r := range readers {
		for id := r.after; id != last; {
			select {
			case id = <-r.has:
				continue
			case err := <-r.ended:
				if keeps || !errors.Is(err, state.ErrTrimmed) {
					g.Errorf("%s: Tail() = %v", r.name, err)
				}
			case <-deadline:
				g.Errorf("%s hangs behind %s", r.name, id)
			}
			break
		}
	}
}

// TestReadersOfLostFrames has a Redis lose the newest writes of a run, any number of them, and the run continue in
// each way. Readers get consecutive frames, or learn that theirs are lost; none hangs.
func TestReadersOfLostFrames(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for at, step := range []string{"before the run", "begun", "frame 3", "frame 6"} {
		for _, c := range []struct {
			name string
			ends bool // before it is lost
			then func(g *losing, l *state.Lease) (last state.FrameID)
		}{
			{"sent again", false, (*losing).sendAgain},
			{"taken there", false, func(g *losing, _ *state.Lease) state.FrameID { return g.takeOver(g.stores[1]) }},
			{"taken here", false, func(g *losing, _ *state.Lease) state.FrameID { return g.takeOver(g.stores[0]) }},
			{"taken there after its end", true, func(g *losing, _ *state.Lease) state.FrameID { return g.takeOver(g.stores[1]) }},
			{"taken here after its end", true, func(g *losing, _ *state.Lease) state.FrameID { return g.takeOver(g.stores[0]) }},
			{"only missed", false, (*losing).renews},
		} {
			t.Run(step+" "+c.name, func(t *testing.T) { // one after the other: each cuts all subscriptions
				g := newLosing(t, server)
				l := g.run(c.ends)
				last := behind(l, 6)
				if c.ends {
					last.Seq++
				}
				readers := g.follow(last, behind(l, 1), behind(l, 2), behind(l, 3), behind(l, 5))
				goBack(t, g.client, g.prefix, g.dumps[at])
				then := c.then
				if at == 0 && c.name != "only missed" {
					then = func(g *losing, l *state.Lease) state.FrameID {
						g.renews(l)
						return g.beginAnew()
					}
				}
				g.reaches(readers, then(g, l), c.name == "sent again" && at > 0)
				g.agrees()
			})
		}
	}
}

// sendAgain makes the owner of the run append the missing frames, and continue.
func (g *losing) sendAgain(l *state.Lease) state.FrameID {
	s := g.stores[0]
	err := s.Append(g.Context(), l, behind(l, 6), linked(l, behind(l, 6), 7, 1))
	if errors.Is(err, state.ErrGap) {
		g.write(s, l, g.before, 1, 6)
		err = s.Append(g.Context(), l, behind(l, 6), linked(l, behind(l, 6), 7, 1))
	}
	if err != nil {
		g.Errorf("Append() = %v", err)
	}
	return g.end(s, l, behind(l, 7))
}

// takeOver continues the run after its remaining frames.
func (g *losing) takeOver(s state.Store) state.FrameID {
	redistest.Until(g.T, "the lease's end", func() bool {
		keys, err := s.Overdue(g.Context(), 10)
		return err == nil && len(keys) == 1
	})
	b, err := s.Take(g.Context(), g.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		g.Fatalf("Take() = %v", err)
	}
	g.write(s, b.Lease, b.Thread.Last, 1, 3)
	return g.end(s, b.Lease, behind(b.Lease, 3))
}

// beginAnew begins the next run, in the other store.
func (g *losing) beginAnew() state.FrameID {
	l := g.begin(g.stores[1], time.Hour)
	g.write(g.stores[1], l, g.before, 1, 3)
	return g.end(g.stores[1], l, behind(l, 3))
}

// renews makes the owner of the run notice the loss, if it is the run's. Otherwise the run is taken over.
func (g *losing) renews(l *state.Lease) state.FrameID {
	if err := g.stores[0].Renew(g.Context(), l, time.Millisecond); err == nil {
		return g.takeOver(g.stores[1])
	} else if !errors.Is(err, state.ErrLeaseLost) {
		g.Errorf("Renew() = %v", err)
	}
	return state.FrameID{}
}

// agrees holds the log of an idle thread to end with the newest frame that the thread knows of.
func (g *losing) agrees() {
	g.Helper()
	now, _, err := g.stores[1].Load(g.Context(), g.key)
	if err != nil {
		g.Fatal(err)
	}
	r := &lostReader{has: make(chan state.FrameID, 100)}
	ctx, cancel := context.WithCancel(g.Context())
	defer cancel()
	go func() { _ = r.read(ctx, g.stores[1], g.key) }()
	for id := (state.FrameID{}); id != now.Last; {
		select {
		case id = <-r.has:
		case <-time.After(time.Minute):
			g.Fatalf("the log ends with %s, and the thread says %s", id, now.Last)
		}
	}
	if now.Live != nil {
		g.Error("the run is live")
	}
}
