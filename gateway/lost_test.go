package gateway_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// A run that no attempt can continue, because its log is unreadable, is lost when its attempts are used up: all readers
// get the error, the only valid event.
func TestARunWhoseLogCannotBeReadIsLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		frames   []string
		attempts int // that died before
		want     string
	}{
		{"a log that is out of order", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m1"}`}, 1, "RUN_STARTED TEXT_MESSAGE_END RUN_ERROR"},
		{"the same, when attempts died of its end as well", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m1"}`}, 6, "RUN_STARTED TEXT_MESSAGE_END RUN_ERROR"},
		{"no log at all", nil, 6, "RUN_STARTED RUN_ERROR"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesktop(t, nil)
				defer d.close()
				key := state.Key{Principal: "local", Agent: "echo", ID: "t"}
				begun, err := d.store.Begin(t.Context(), &state.Request{
					Key: key, RunID: "r1", Hash: "h", Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("Hi")}},
				}, state.LeaseOptions{Attempt: "a1", TTL: time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				var frames []state.Frame
				for i, data := range tt.frames {
					types := []agui.EventType{agui.TypeRunStarted, agui.TypeTextMessageEnd}
					frames = append(frames, state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: uint64(i + 1)}, Type: types[i], Data: []byte(data)})
				}
				if err := d.store.Append(t.Context(), begun.Lease, state.FrameID{}, frames); err != nil {
					t.Fatal(err)
				}
				for n := 1; n < tt.attempts; n++ {
					time.Sleep(2 * time.Millisecond)
					if _, err := d.store.Take(t.Context(), key, state.LeaseOptions{Attempt: "a" + strings.Repeat("x", n), TTL: time.Millisecond}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				thread, _, err := d.store.Load(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				if run := thread.Run; run.Status != state.RunError || run.Code != errcode.RunLost || !thread.Failed {
					t.Errorf("the run ended as %s %s, want run_lost", run.Status, run.Code)
				}
				if got := strings.Join(d.log(key), " "); got != tt.want {
					t.Errorf("the log = %s", got)
				}
				after := newSink()
				d.serve(after, "POST", "/agents/echo", input("t", "r2", []string{"u1:Hi"}))
				if after.count("RUN_FINISHED") != 1 {
					t.Errorf("the next run: %s", &after.data)
				}
			})
		})
	}
}

// log are the types of the events in the log of an idle thread.
func (d *desktop) log(key state.Key) []string {
	d.t.Helper()
	thread, _, err := d.store.Load(context.Background(), key)
	if err != nil {
		d.t.Fatal(err)
	}
	var list []string
	for batch, err := range d.store.Tail(context.Background(), key, state.FrameID{}) {
		if err != nil {
			d.t.Fatal(err)
		}
		for _, f := range batch {
			if f.Type != state.TypeTrace {
				list = append(list, string(f.Type))
			}
			if f.ID == thread.Last {
				return list
			}
		}
	}
	return list
}
