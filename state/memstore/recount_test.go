package memstore

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest"
	"github.com/agui-gateway/gateway/state/store"
)

// recount is what the parts of an entry take, counted anew.
func recount(e *entry) (n sizes) {
	for _, m := range e.messages {
		if m != nil {
			n.messages += messageSize(m)
		}
	}
	for id, place := range e.known {
		if place.Left {
			n.messages += placeSize(id)
		}
	}
	for _, token := range e.tokens {
		n.tokens += tokenSize(&token)
	}
	for _, p := range e.log.packs {
		n.frames += packSize(p)
	}
	for i := range e.log.frames {
		n.frames += frameSize(&e.log.frames[i])
	}
	for _, old := range e.replaced {
		n.replaced += old.memory()
	}
	n.state, n.past, n.runs, n.thread = int64(len(e.state)), pastSize(e.past), runsSize(e.runs), threadSize(e.thread.Load())
	return n
}

// TestTheBooksAreWhatIsThere makes random changes, and compares the counted sizes with computed ones.
func TestTheBooksAreWhatIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		clock := statetest.NewClock()
		b := newBackend(Options{Now: clock.Now, LogTTL: time.Minute})
		s := store.New(b, store.Options{ThreadTTL: time.Hour})
		keys := []state.Key{{Principal: "ada", ID: "1"}, {Principal: "ada", ID: "2"}, {Principal: "eve", ID: "1"}}
		for n := range rapid.IntRange(1, 15).Draw(r, "changes") {
			key := rapid.SampledFrom(keys).Draw(r, "thread")
			switch change := rapid.SampledFrom([]string{"run", "again", "ask", "live", "fork", "delete", "time", "log", "room"}).Draw(r, "change"); change {
			case "fork":
				_, _ = s.Fork(t.Context(), key, "u0", fmt.Sprint("fork", n), 0)
			case "delete":
				_ = s.Delete(t.Context(), key)
			case "time":
				clock.Move(40 * time.Minute)
			case "log":
				clock.Move(2 * time.Minute)
			case "room":
				b.makeRoom(b.books.Total()-1, state.Key{})
			default:
				step(t, s, key, n, change)
			}
		}
		sums, total := map[string]int64{}, int64(0)
		for key, e := range b.threads {
			want := recount(e)
			if e.size != want {
				r.Fatalf("%v is counted as %+v, and is %+v", key, e.size, want)
			}
			sums[key.Principal] += want.total()
			total += want.total()
		}
		for _, list := range b.dead.byKey {
			for _, e := range list {
				total += e.size.frames
			}
		}
		for _, principal := range []string{"ada", "eve"} {
			if got := b.books.Principal(principal); got != sums[principal] {
				r.Fatalf("%s has %d bytes, counted are %d", principal, sums[principal], got)
			}
		}
		if got := b.books.Total(); got != total {
			r.Fatalf("there are %d bytes, counted are %d", total, got)
		}
	})
}

// step makes a run on a thread, of the kind that is asked for. A message that comes again takes the place of what
// followed.
func step(t *testing.T, s state.Store, key state.Key, n int, kind string) {
	t.Helper()
	id := fmt.Sprint("u", n)
	if kind == "again" {
		id = "u0"
	}
	m := agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 1000*n))}
	r := &state.Request{Key: key, RunID: id, Hash: fmt.Sprint(n), Era: agui.Era1, Messages: []agui.Message{m}, Edit: true, Regenerate: true}
	begun, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: fmt.Sprint(n), TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	l := begun.Lease
	if l == nil || kind == "live" {
		return
	}
	frame := state.Frame{ID: state.FrameID{Fence: l.Fence, Seq: 1}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM","name":"n","value":1}`), Rev: 0}
	if err := s.Once(t.Context(), l, "effect", json.RawMessage(`true`)); err != nil {
		t.Fatal(err)
	}
	c := state.Commit{
		State: fmt.Appendf(nil, `{"n":%d}`, n), Frames: []state.Frame{frame}, End: &state.End{Status: state.RunSuccess},
		Messages: []agui.Message{{ID: "a" + id, Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("y", 10*n))}},
	}
	if kind == "ask" {
		c.Checkpoint, c.End.Status = json.RawMessage(`{"v":1}`), state.RunInterrupt
		c.Tokens = []state.Token{{Interrupt: agui.Interrupt{ID: fmt.Sprint("q", n), Reason: "input_required"}, Status: state.TokenOpen}}
	}
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatal(err)
	}
}
