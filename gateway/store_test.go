package gateway_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// faulty is a gateway on a store with injectable failures.
func faulty(t *testing.T) (*world, *statetest.Faulty) {
	t.Helper()
	store := &statetest.Faulty{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) {
		o.Store, o.Now = store, nil
		o.Log = slog.New(slog.DiscardHandler)
	})
	return w, store
}

// A short outage of the store has no visible effect: lost calls are repeated, once.
func TestAStoreThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()
	for _, call := range []statetest.Call{statetest.CallAppend, statetest.CallCommit, statetest.CallRenew} {
		for _, fault := range []statetest.Fault{statetest.Before, statetest.After} {
			w, store := faulty(t)
			store.Fail(call, fault)
			w.release()
			r := w.post("slow", input("t", "r1", []string{"u1:Hi"}))
			r.finished()
			r.equals(w.shows("t"))
			if n := len(w.thread("t").Messages); n != 2 {
				t.Errorf("%v %v: %d messages, want 2", call, fault, n)
			}
		}
	}
}

// A verdict with a lost reply is requested again under the same name: the begun run is recognised.
func TestAVerdictThatGotLost(t *testing.T) {
	t.Parallel()
	for _, fault := range []statetest.Fault{statetest.Before, statetest.After} {
		w, store := faulty(t)
		store.Fail(statetest.CallBegin, fault)
		w.post("echo", input("t", "r1", []string{"u1:Hi"})).finished()
		if d := w.thread("t"); len(d.Runs) != 1 || len(d.Messages) != 2 {
			t.Errorf("fault %v: %d runs, %d messages", fault, len(d.Runs), len(d.Messages))
		}
	}
}

func TestAStoreThatIsAwayForAdmission(t *testing.T) {
	t.Parallel()
	store := &blindStore{Store: memstore.New(memstore.Options{}), shut: true}
	closeLast(t, store)
	w := newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil })
	response := w.request(t.Context(), "POST", "/agents/echo", input("t", "r1", []string{"u1:Hi"}))
	response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("status = %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
}

// A blind store shows no messages, a deaf one no log, and one that is shut begins nothing.
type blindStore struct {
	state.Store
	blind, deaf, shut bool
}

var errAway = errors.New("away")

// Begin fails if the store is shut.
func (s *blindStore) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	if s.shut {
		return nil, errAway
	}
	return s.Store.Begin(ctx, r, o)
}

// Messages fails if the store is blind.
func (s *blindStore) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	if s.blind {
		return nil, errAway
	}
	return s.Store.Messages(ctx, key, rev)
}

// Tail fails if the store is deaf.
func (s *blindStore) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	if s.deaf {
		return func(yield func([]state.Frame, error) bool) { yield(nil, errAway) }
	}
	return s.Store.Tail(ctx, key, after)
}

// A run that cannot begin is seen to fail, and its thread is free again.
func TestARunThatCannotBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aRunThatCannotBegin)
}

func aRunThatCannotBegin(t *testing.T) {
	store := &blindStore{Store: memstore.New(memstore.Options{}), blind: true}
	closeLast(t, store)
	w := newBubbleWorld(t, func(o *gateway.Options) { o.Store, o.Now, o.StoreBuffer = store, nil, soon })
	if status, _ := w.call("POST", "/agents/echo?disconnect=detach", input("t", "r1", []string{"u1:Hi"})); status != http.StatusOK {
		t.Errorf("status = %d", status)
	}
	eventually(t, "the run has ended", func() bool {
		now, _, err := store.Load(t.Context(), state.Key{Principal: "local", Agent: "echo", ID: "t"})
		return err == nil && now.Live == nil && now.Failed
	})
}

// A leaseless store does not renew leases once it is away.
type leaseless struct {
	state.Store
	away atomic.Bool
}

// Renew fails while the store is away.
func (s *leaseless) Renew(ctx context.Context, l *state.Lease, ttl time.Duration) error {
	if s.away.Load() {
		return errAway
	}
	return s.Store.Renew(ctx, l, ttl)
}

// TestAWaitingRunGivesUpItsStore checks that a run ends when its store is unavailable for the outage limit, even if
// the agent waits and the run writes nothing.
func TestAWaitingRunGivesUpItsStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aWaitingRunGivesUpItsStore)
}

func aWaitingRunGivesUpItsStore(t *testing.T) {
	store := &leaseless{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	working, ended := make(chan struct{}), make(chan time.Duration, 1)
	const patience = time.Minute
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Now, o.StoreBuffer, o.Lease = store, nil, patience, 10*time.Second
		o.Agents["waits"] = groupchat.AgentFunc(func(ctx context.Context, _ *groupchat.Turn) error {
			close(working)
			began := time.Now()
			<-ctx.Done()
			ended <- time.Since(began)
			return ctx.Err()
		})
	})
	w.open("POST", "/agents/waits?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	<-working
	store.away.Store(true)
	select {
	case took := <-ended:
		if took < patience {
			t.Errorf("the run waited %s for its store, want at least %s", took, patience)
		}
	case <-time.After(10 * patience):
		t.Error("the run waits without end for a store that is away")
	}
}

// A reader gets an error when the store is gone: a stream without an end looks like a success.
func TestAReaderWhoseStoreIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aReaderWhoseStoreIsGone)
}

func aReaderWhoseStoreIsGone(t *testing.T) {
	store := &blindStore{Store: memstore.New(memstore.Options{}), deaf: true}
	closeLast(t, store)
	w := newBubbleWorld(t, func(o *gateway.Options) { o.Store, o.Now, o.StoreBuffer = store, nil, soon })
	r := w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	if code := r.code(); code != "store_unavailable" {
		t.Errorf("the stream ends with %s", code)
	}
}

// I3: a resume that calls off every question is accepted even if the paused work cannot be entered any more.
func TestCallingOffWhatCannotBeEntered(t *testing.T) {
	t.Parallel()
	store := closeLast(t, memstore.New(memstore.Options{}))
	team := func(name string) *groupchat.Chat {
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
			{Name: name, Agent: groupchat.AgentFunc(asksSize)},
		}}
	}
	serve := func(name string) *world {
		return newWorld(t, func(o *gateway.Options) {
			o.Store, o.Now = store, time.Now
			o.Agents = map[string]groupchat.Agent{"team": team(name)}
			o.Legacy = "team"
		})
	}
	question := serve("old").post("team", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	w := serve("new")
	resolved := `"resume":[{"interruptId":` + quote(question) + `,"status":"resolved","payload":"M"}]`
	if code := w.post("team", input("t", "r2", []string{"u1:Hi"}, resolved)).code(); code != "checkpoint_incompatible" {
		t.Errorf("an answer ends with %s", code)
	}
	if d := w.thread("t"); d.Status != "interrupted" {
		t.Errorf("the thread is %s: the question must stay answerable", d.Status)
	}
	r := w.post("team", input("t", "r3", []string{"u1:Hi"}, `"resume":[{"interruptId":`+quote(question)+`,"status":"cancelled"}]`))
	if o := r.finished().Outcome; o.Type != agui.OutcomeSuccess {
		t.Errorf("calling it off ends as %+v", o)
	}
	if d := w.thread("t"); d.Status != "idle" || len(d.Interrupts) != 0 {
		t.Errorf("the thread is %+v", d)
	}
}
