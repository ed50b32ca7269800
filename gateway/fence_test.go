package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A link is one replica's connection to a shared store. While it is cut no call gets through, and signals to a lease
// never do.
type link struct {
	door
	cut atomic.Bool
}

func newLink(shared state.Store) *link {
	l := &link{}
	l.door = door{Store: shared, shut: l.fault}
	return l
}

func (l *link) fault() error {
	if l.cut.Load() {
		return errAway
	}
	return nil
}

func (l *link) Ping(ctx context.Context) error { return errors.Join(l.fault(), ctx.Err()) }

func (l *link) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	if err := l.fault(); err != nil {
		return nil, err
	}
	return l.Store.Overdue(ctx, limit)
}

func (l *link) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	if err := l.fault(); err != nil {
		return nil, err
	}
	return unheard(l.Store.Take(ctx, key, o))
}

func (l *link) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	if err := l.fault(); err != nil {
		return nil, err
	}
	return unheard(l.Store.Begin(ctx, r, o))
}

// unheard takes the signals off a lease.
func unheard(b *state.Begun, err error) (*state.Begun, error) {
	if err == nil && b.Lease != nil {
		lease := *b.Lease
		lease.Signals = nil
		b.Lease = &lease
	}
	return b, err
}

// An effect is something that a replica's agent did in the world.
type effect struct {
	replica string
	step    int
	at      time.Duration // since the start
}

// A pair is two replicas with separate links to one store, with an agent that acts every fifteen seconds.
type pair struct {
	*testing.T
	links   map[string]*link
	start   time.Time
	request func() // hangs up
	store   state.Store

	mu      sync.Mutex
	effects []effect
}

const (
	pairLease = 10 * time.Second
	pairPause = 15 * time.Second
	pairSteps = 4
)

// newPair begins a run on the replica a, in a bubble.
func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{T: t, links: map[string]*link{}, start: time.Now(), store: memstore.New(memstore.Options{})}
	closeLast(t, p.store)
	for _, name := range []string{"a", "b"} {
		l := newLink(p.store)
		p.links[name] = l
		d := newDesktop(t, func(o *gateway.Options) {
			o.Store, o.Shared, o.Lease, o.StoreBuffer = l, true, pairLease, time.Minute
			o.Agents["acts"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
				return p.act(ctx, turn, name)
			})
		})
		t.Cleanup(d.close)
		if name == "a" {
			p.request = d.serve(newSink(), "POST", "/agents/acts?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
		}
	}
	return p
}

func (p *pair) act(ctx context.Context, turn *groupchat.Turn, replica string) error {
	for i := range pairSteps {
		_, err := groupchat.Once(turn, fmt.Sprint("step", i), func() (int, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.effects = append(p.effects, effect{replica, i, time.Since(p.start)})
			return i, nil
		})
		if err != nil {
			return err
		}
		select {
		case <-time.After(pairPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// until lets time pass to a moment since the start.
func (p *pair) until(at time.Duration) {
	time.Sleep(at - time.Since(p.start))
	synctest.Wait()
}

// finish waits for the end of the run, and holds it to have done every step once and in order.
func (p *pair) finish() []effect {
	p.Helper()
	p.until(3 * time.Minute)
	p.request()
	key := state.Key{Principal: "local", Agent: "acts", ID: "t"}
	thread, _, err := p.store.Load(context.Background(), key)
	if err != nil {
		p.Fatal(err)
	}
	if status := thread.Run.Status; status != state.RunSuccess {
		p.Errorf("the run is %s, want success", status)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.effects {
		if e.step != i || len(p.effects) != pairSteps {
			p.Errorf("effects = %v, want %d steps, once each", p.effects, pairSteps)
			break
		}
	}
	return p.effects
}

// A replica that is cut off from the store has no side effects once its lease has expired, because another replica may
// have them then. It relies on its own clock.
func TestAReplicaThatIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const cut = 16 * time.Second // behind the second step
		p := newPair(t)
		p.until(cut)
		p.links["a"].cut.Store(true)
		p.until(100 * time.Second)
		p.links["a"].cut.Store(false)
		for _, e := range p.finish() {
			if e.replica == "a" && e.at > cut+pairLease {
				t.Errorf("step %d is done by the replica that was cut off at %v, at %v", e.step, cut, e.at)
			}
		}
	})
}

// No replica can take over while the store is away for all of them. A run that waited for it continues where it was,
// and has no side effects while its lease is uncertain.
func TestAStoreThatIsAwayForLongerThanALease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const away, back = 16 * time.Second, 50 * time.Second
		p := newPair(t)
		p.until(away)
		for _, l := range p.links {
			l.cut.Store(true)
		}
		p.until(back)
		for _, l := range p.links {
			l.cut.Store(false)
		}
		for _, e := range p.finish() {
			if e.replica != "a" || e.at > away+pairLease && e.at < back {
				t.Errorf("step %d is done by %s at %v", e.step, e.replica, e.at)
			}
		}
	})
}

// A renewer is a store that renews no lease while it is cut, and does everything else.
type renewer struct {
	state.Store
	cut atomic.Bool
}

func (r *renewer) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	if r.cut.Load() {
		return errAway
	}
	return r.Store.Renew(ctx, l, ttl)
}

// A replica does not take over a run with an expired lease that it could not renew itself: it is late, and not dead.
func TestAReplicaDoesNotTakeOverFromItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &renewer{}
		d := newDesktop(t, func(o *gateway.Options) {
			store.Store = o.Store
			o.Store, o.Shared, o.Lease = store, true, pairLease
		})
		defer d.close()
		w := newSink()
		defer d.serve(w, "POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))()
		store.cut.Store(true)
		time.Sleep(pairLease + pairLease/2 + time.Second) // and a scan for orphaned runs
		store.cut.Store(false)
		time.Sleep(pairLease)
		thread, _, err := d.store.Load(t.Context(), state.Key{Principal: "local", Agent: "slow", ID: "t"})
		if err != nil || thread.Live == nil || thread.Live.Intent.Attempts != 1 {
			t.Errorf("Load() = %+v, %v, want the first attempt at work", thread, err)
		}
		d.gate <- struct{}{}
		if w.count("RUN_FINISHED") != 1 {
			t.Errorf("the run does not end: %s", &w.data)
		}
	})
}
