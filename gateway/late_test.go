package gateway_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A late store holds back a hang-up until it is released.
type lateStore struct {
	state.Store
	held, pass, told chan struct{}
}

func (s *lateStore) Signal(ctx context.Context, key state.Key, run uint64, word state.Signal) (bool, error) {
	if word != state.SignalHungUp {
		return s.Store.Signal(ctx, key, run, word)
	}
	close(s.held)
	<-s.pass
	defer close(s.told)
	return s.Store.Signal(context.WithoutCancel(ctx), key, run, word)
}

// The hang-up of a run's caller may arrive when the run is over and the thread has another one, with another caller.
func TestALateHangUpIsNotTheNextRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aLateHangUpIsNotTheNextRuns)
}

func aLateHangUpIsNotTheNextRuns(t *testing.T) {
	store := &lateStore{
		Store: memstore.New(memstore.Options{}),
		held:  make(chan struct{}), pass: make(chan struct{}), told: make(chan struct{}),
	}
	closeLast(t, store)
	w := newBubbleWorld(t, func(o *gateway.Options) { o.Store, o.Now, o.HangUpGrace = store, nil, soon })
	first := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	first.until(agui.TypeCustom)
	first.hangUp()
	<-store.held
	w.release()
	w.idle("t")
	second := w.open("POST", "/agents/slow", input("t", "r2", []string{"u1:Hi", "u2:More"}))
	second.until(agui.TypeCustom)
	close(store.pass)
	<-store.told
	time.Sleep(5 * soon) // what would stop it had its time
	w.release()
	second.rest()
	if o := second.finished().Outcome; o.Type != agui.OutcomeSuccess {
		t.Errorf("the second run ended as %+v", o)
	}
}
