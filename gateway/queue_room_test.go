package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// crowded are two replicas in a bubble, the first of which has its one place taken. On the thread t a run of the second
// has ended; r2 waits at the first and r3, behind it, at the second.
func crowded(t *testing.T) (full, free *desktop, r2, r3 *sink) {
	t.Helper()
	shared := memstore.New(memstore.Options{})
	here := func(runs int) *desktop {
		d := newDesktop(t, func(o *gateway.Options) {
			o.Store, o.Shared, o.Limits.Runs = shared, true, runs
			o.Agent["slow-queue"] = gateway.AgentOptions{OnBusy: gateway.Queue}
		})
		if err := d.store.Close(); err != nil { // the default one
			t.Error(err)
		}
		d.store = shared
		return d
	}
	full, free = here(1), here(0)
	t.Cleanup(func() {
		if err := full.g.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
		free.close()
	})
	full.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("other", "r1", []string{"u1:Hi"}))
	free.serve(newSink(), "POST", "/agents/slow-queue?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
	r2, r3 = newSink(), newSink()
	full.serve(r2, "POST", "/agents/slow-queue", input("t", "r2", []string{"u2:Hi"}))
	free.serve(r3, "POST", "/agents/slow-queue", input("t", "r3", []string{"u3:Hi"}))
	free.gate <- struct{}{}
	time.Sleep(time.Hour) // all leases without renewal have expired
	return full, free, r2, r3
}

// runs are those of the thread t, newest first.
func (d *desktop) runs() string {
	d.t.Helper()
	synctest.Wait()
	runs, err := d.store.Runs(context.Background(), state.Key{Principal: "local", Agent: "slow-queue", ID: "t"})
	if err != nil {
		d.t.Fatal(err)
	}
	var list []string
	for _, run := range runs {
		list = append(list, run.RunID+" "+string(run.Status))
	}
	return strings.Join(list, ", ")
}

// The first request in the queue of a full server keeps its place until there is a slot.
func TestWhoIsFirstStaysFirstWhileTheServerIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full, free, r2, r3 := crowded(t)
		if got := full.runs(); got != "r1 success" {
			t.Fatalf("the runs are %s, want r1 alone", got)
		}
		full.gate <- struct{}{} // the other thread's run ends
		if got := full.runs(); got != "r2 running, r1 success" {
			t.Errorf("with a place the runs are %s", got)
		}
		full.gate <- struct{}{}
		synctest.Wait()
		free.gate <- struct{}{}
		if got := full.runs(); got != "r3 success, r2 success, r1 success" {
			t.Errorf("in the end the runs are %s", got)
		}
		for name, reader := range map[string]*sink{"r2": r2, "r3": r3} {
			if reader.count("RUN_FINISHED") != 1 {
				t.Errorf("%s is sent %s", name, &reader.data)
			}
		}
	})
}

// It gets an error when its thread is deleted, and does not create it again.
func TestWhoWaitsForAPlaceIsToldOfADeletion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full, free, r2, r3 := crowded(t)
		free.serve(newSink(), "DELETE", "/threads/t", "")
		time.Sleep(time.Minute)
		for name, reader := range map[string]*sink{"r2": r2, "r3": r3} {
			if reader.count(`"cancelled"`) != 1 {
				t.Errorf("%s is sent %s", name, &reader.data)
			}
		}
		if keys, err := free.store.Find(context.Background(), "local", "t"); err != nil || len(keys) != 0 {
			t.Errorf("Find() = %v, %v, want no thread", keys, err)
		}
		full.gate <- struct{}{}
	})
}
