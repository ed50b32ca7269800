package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// times are the timestamps of a stream. Every event of the log must have one, and they must not decrease.
func (r *reader) times() []int64 {
	r.t.Helper()
	var times []int64
	for _, e := range r.events {
		at := agui.BaseOf(e).Timestamp
		if at == 0 || len(times) > 0 && at < times[len(times)-1] {
			r.t.Errorf("%s has the timestamp %d, behind %v", agui.TypeOf(e), at, times)
		}
		times = append(times, at)
	}
	return times
}

// The clock is the gateway's: times set by an agent are ignored, and a clock that goes back leaves the log in order.
func TestEveryEventOfTheLogHasItsTime(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, func(o *gateway.Options) {
		o.Agents["clock"] = groupchat.AgentFunc(func(_ context.Context, turn *groupchat.Turn) error {
			for _, d := range []time.Duration{time.Second, -time.Minute, 2 * time.Minute} {
				w.clock.Move(d)
				e := &agui.Custom{Name: "test.tick", Value: json.RawMessage("1")}
				e.Timestamp = 5
				if err := turn.Emit(e); err != nil {
					return err
				}
			}
			return groupchat.SayOnce(turn, "end", "Done.")
		})
	})
	start := w.clock.Now()
	live := w.post("clock", input("t", "r", []string{"u1:Hi"}))
	after := func(d time.Duration) int64 { return start.Add(d).UnixMilli() }
	ticks := slices.Compact(live.times())
	if want := []int64{after(0), after(time.Second), after(61 * time.Second)}; !slices.Equal(ticks, want) {
		t.Errorf("the events have the times %v, want %v", ticks, want)
	}

	w.clock.Move(time.Minute)
	again := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
	again.rest()
	if got := slices.Compact(again.times()); !slices.Equal(got, ticks) {
		t.Errorf("read again they have the times %v, want %v", got, ticks)
	}
}

// A joining reader gets open items of the log with their times; events made for one reader have none.
func TestAPreludeTellsTheTimesOfWhatItRestates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := w.clock.Now().UnixMilli()
	owner := w.open(http.MethodPost, "/agents/slow?disconnect=detach", input("t", "r", []string{"u1:Hi"}))
	owner.until(agui.TypeCustom)
	w.clock.Move(time.Hour)
	joined := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	joined.until(agui.TypeTextMessageContent)
	for _, e := range joined.events {
		if at := agui.BaseOf(e).Timestamp; at != start && (at != 0 || agui.TypeOf(e) == agui.TypeRunStarted) {
			t.Errorf("%s has the timestamp %d, want none or that of the log, %d", agui.TypeOf(e), at, start)
		}
	}
	w.release()
	owner.rest()
}

func TestTheTimesOfARunGoOnWithATakeover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, door, leave := halfway(t, 3)
		defer leave()
		died := time.Now().UnixMilli()
		all := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
		defer all.hangUp()
		all.hears("I paid ")
		close(door.dead)
		b.gate <- struct{}{}
		all.rest()
		if times := all.times(); times[0] > died || times[len(times)-1] <= died {
			t.Errorf("a run that was taken over after %d has the times %v", died, times)
		}
	})
}

// A run that is deleted has an end with a time too.
func TestTheEndOfADeletedRunHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, theEndOfADeletedRunHasItsTime)
}

func theEndOfADeletedRunHasItsTime(t *testing.T) {
	w := newBubbleWorld(t, quick)
	owner := w.open(http.MethodPost, "/agents/deaf?disconnect=detach", input("t", "r", []string{"u1:Hi"}))
	owner.until(agui.TypeRunStarted)
	if status, body := w.call(http.MethodDelete, "/threads/t", ""); status != http.StatusNoContent {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	owner.rest()
	owner.times()
}
