package gateway_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/statetest"
)

// skews are how far the clock of a gateway may be from that of its store.
var skews = []time.Duration{-time.Hour, time.Hour}

// Questions expire, and runs take their time, by the store's clock: a gateway's clock may be wrong, and replicas may
// differ.
func TestAGatewayWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			const ttl = 30 * time.Minute
			clock := statetest.NewClock()
			store := closeLast(t, memstore.New(memstore.Options{Now: clock.Now}))
			w := newWorld(t, func(o *gateway.Options) {
				o.Store, o.InterruptTTL, o.RunTimeout = store, ttl, time.Minute
			})
			w.clock.Move(skew)
			w.post("echo", input("e", "r1", []string{"u1:Hi"})).finished()
			asked := w.post("ask", input("t", "r1", []string{"u1:Hi"})).interrupts()
			if want := clock.Now().Add(ttl).Format(time.RFC3339); len(asked) != 1 || asked[0].ExpiresAt != want {
				t.Fatalf("interrupts = %+v, want one until %s", asked, want)
			}
			if d := w.thread("t"); d.Status != string(state.StatusInterrupted) {
				t.Errorf("the thread is %s, want interrupted", d.Status)
			}
			answer := fmt.Sprintf(`{"resume":[{"interruptId":%q,"status":"resolved","payload":{"value":"S"}}]}`, asked[0].ID)
			if status, body := w.call("POST", "/threads/t/resume", answer); status != 202 {
				t.Errorf("resume = %d %s", status, body)
			}
			if d := w.idle("t"); d.Status != string(state.StatusIdle) {
				t.Errorf("the thread is %s, want idle", d.Status)
			}
		})
	}
}

// A replica without the agent of an orphaned run leaves it to others for some leases, by the store's time.
func TestAWrongClockAndARunThatIsOthers(t *testing.T) {
	t.Parallel()
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				owner, other := newLink(nil), newLink(nil)
				d := newDesktop(t, func(o *gateway.Options) {
					owner.Store = memstore.New(memstore.Options{})
					o.Store, o.Shared, o.Lease = owner, true, pairLease
				})
				d.store = owner.Store
				defer d.close()
				stranger := newDesktop(t, func(o *gateway.Options) {
					other.Store = d.store
					o.Store, o.Shared, o.Lease = other, true, pairLease
					o.Now = func() time.Time { return time.Now().Add(skew) }
					delete(o.Agents, "slow")
				})
				defer stranger.close()
				defer d.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))()
				owner.cut.Store(true)
				time.Sleep(4 * pairLease)
				if status := d.status("slow"); status != state.RunRunning {
					t.Errorf("while others may come for it the run is %s", status)
				}
				time.Sleep(4 * pairLease)
				if status := d.status("slow"); status != state.RunError {
					t.Errorf("when nobody came the run is %s", status)
				}
			})
		})
	}
}
