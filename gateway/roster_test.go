package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	scripts "github.com/agui-gateway/gateway/groupchat/script"
)

// says is an agent that says text and, at a gate, waits before it says it again.
func says(text string, gate <-chan struct{}) groupchat.Agent {
	return groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		if err := groupchat.SayOnce(t, "first", text); err != nil || gate == nil {
			return err
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
		return groupchat.SayOnce(t, "then", fmt.Sprintf("Still %s", text))
	})
}

// asksAround is a team of two, of which the first, called name, asks.
func asksAround(name, text string) *groupchat.Chat {
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: name, Description: text, Agent: groupchat.AgentFunc(asksSize)}, {Name: "last", Agent: says(text, nil)},
	}}
}

// text is all that was said in a stream, in order.
func (r *reader) text() string {
	var all strings.Builder
	for _, e := range r.events {
		if c, ok := e.(*agui.TextMessageContent); ok {
			all.WriteString(c.Delta)
		}
	}
	return all.String()
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestReplace: live runs continue with their agents, new ones use the new agents, and removed agents are not found.
func TestReplace(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"a": says("old", gate), "b": says("old", nil)}
		o.Agent = nil
	})
	run := w.open(http.MethodPost, "/agents/a", input("t", "r", []string{"u1:hi"}))
	run.hears("old")
	left, err := w.g.Replace(map[string]groupchat.Agent{"a": says("new", nil), "c": says("new", nil)}, map[string]gateway.AgentOptions{"c": {Description: "third"}})
	if err != nil {
		t.Fatal(err)
	}
	if isClosed(left) {
		t.Error("the old agents have left, and one of them works")
	}
	if text := w.post("a", input("t2", "r", []string{"u1:hi"})).text(); text != "new" {
		t.Errorf("a new run says %q", text)
	}
	if status, body := w.call(http.MethodPost, "/agents/b", input("t3", "r", []string{"u1:hi"})); status != http.StatusNotFound || !strings.Contains(body, "not_found") {
		t.Errorf("POST /agents/b = %d %s", status, body)
	}
	if status, body := w.call(http.MethodGet, "/agents", ""); status != http.StatusOK || strings.Contains(body, `"b"`) || !strings.Contains(body, "third") {
		t.Errorf("GET /agents = %d %s", status, body)
	}
	close(gate)
	run.rest()
	if text := run.text(); !strings.HasSuffix(text, "Still old") {
		t.Errorf("the run says %q", text)
	}
	receive(t, "the old agents have left", left)

	if _, err := w.g.Replace(map[string]groupchat.Agent{"a b": says("x", nil), "n": nil, "team": &groupchat.Chat{}}, nil); err == nil ||
		strings.Count(err.Error(), "gateway: agent") != 3 {
		t.Errorf("Replace() = %v, want every mistake", err)
	}
	if text := w.post("a", input("t4", "r", []string{"u1:hi"})).text(); text != "new" {
		t.Errorf("after a mistake a run says %q", text)
	}
}

// TestReplaceWhilePaused judges runs that wait by the signature of the agents (G3).
func TestReplaceWhilePaused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		next groupchat.Agent
		code string
	}{
		{"other words", asksAround("clerk", "new"), ""},
		{"one more", func() groupchat.Agent {
			c := asksAround("clerk", "new")
			c.Participants = append(c.Participants, groupchat.Participant{Name: "extra", Agent: says("extra", nil)})
			return c
		}(), ""},
		{"another order", func() groupchat.Agent {
			c := asksAround("clerk", "new")
			slices.Reverse(c.Participants)
			return c
		}(), ""},
		{"another manager", func() groupchat.Agent {
			c := asksAround("clerk", "new")
			c.Manager = groupchat.RoundRobin()
			return c
		}(), "checkpoint_incompatible"},
		{"another agent under the name", func() groupchat.Agent {
			c := asksAround("clerk", "new")
			c.Participants[0].Agent = &scripts.Agent{Steps: []scripts.Step{{Say: "new"}}}
			return c
		}(), "checkpoint_incompatible"},
		{"renamed", asksAround("scribe", "new"), "checkpoint_incompatible"},
		{"another kind", says("new", nil), "checkpoint_incompatible"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *gateway.Options) {
				o.Agents, o.Agent = map[string]groupchat.Agent{"desk": asksAround("clerk", "old")}, nil
			})
			asked := w.post("desk", input("t", "r", []string{"u1:hi"})).finished().Outcome.Interrupts
			left, err := w.g.Replace(map[string]groupchat.Agent{"desk": tt.next}, nil)
			if err != nil {
				t.Fatal(err)
			}
			receive(t, "the old agents have left", left)
			resume := func(answer string) *reader {
				return w.post("desk", input("t", "r2", nil, `"resume":[{"interruptId":`+quote(asked[0].ID)+`,`+answer+`}]`))
			}
			r := resume(`"status":"resolved","payload":"M"`)
			if tt.code == "" {
				if r.finished().Outcome.Type != agui.OutcomeSuccess || !strings.Contains(r.text(), "new") {
					t.Errorf("resumed: %s", r.text())
				}
				return
			}
			if got := r.code(); got != tt.code {
				t.Errorf("resumed: %q, want %q", got, tt.code)
			}
			if d := w.thread("t"); d.Status != "interrupted" || ids(d.Interrupts) != asked[0].ID || len(d.Messages) == 0 {
				t.Errorf("thread = %+v", d)
			}
			if end := resume(`"status":"cancelled"`).finished(); end.Outcome.Type != agui.OutcomeSuccess {
				t.Errorf("called off: %+v", end.Outcome)
			}
		})
	}
}

// TestReplaceOften, while others begin runs: every run is of one team or the other, and all leave.
func TestReplaceOften(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents, o.Agent = map[string]groupchat.Agent{"a": says("team0", nil)}, nil
	})
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 10 {
				response, err := w.try(t.Context(), http.MethodPost, "/agents/a", input("t"+strconv.Itoa(n), "r"+strconv.Itoa(i), []string{"u" + strconv.Itoa(i) + ":hi"})) //nolint:bodyclose // the reader closes it
				if err != nil {
					t.Error(err)
					return
				}
				r := newReader(t, response, func() {}, "")
				r.rest()
				r.hangUp()
				if !strings.HasPrefix(r.text(), "team") {
					t.Errorf("a run says %q", r.text())
				}
			}
		})
	}
	var lefts []<-chan struct{}
	for i := range 50 {
		left, err := w.g.Replace(map[string]groupchat.Agent{"a": says("team"+strconv.Itoa(i), nil)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		lefts = append(lefts, left)
	}
	wg.Wait()
	for _, left := range lefts {
		receive(t, "the old agents have left", left)
	}
}

// TestReplaceUnderAQueue: what waits is run by the agent that is served when its turn comes, and by none if there is
// none: the old one's team may be closed by then.
func TestReplaceUnderAQueue(t *testing.T) {
	t.Parallel()
	for _, next := range []map[string]groupchat.Agent{{"a": says("new", nil)}, {"other": says("new", nil)}} {
		gate := make(chan struct{})
		var begun atomic.Int64
		old := groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			begun.Add(1)
			return await(ctx, turn, gate)
		})
		w := newWorld(t, func(o *gateway.Options) {
			o.Agents, o.Agent = map[string]groupchat.Agent{"a": old}, map[string]gateway.AgentOptions{"a": {OnBusy: gateway.Queue}}
		})
		first := w.open("POST", "/agents/a", input("t", "r1", []string{"u1:Hi"}))
		first.until(agui.TypeCustom)
		waits := w.open("POST", "/agents/a", input("t", "r2", []string{"u2:And this"}))
		left, err := w.g.Replace(next, nil)
		if err != nil {
			t.Fatal(err)
		}
		close(gate)
		first.rest()
		receive(t, "the old agents have left", left)
		waits.rest()
		if begun.Load() != 1 {
			t.Errorf("an agent that is not served any more was begun %d times", begun.Load())
		}
		if next["a"] != nil {
			waits.finished()
		} else if code := waits.code(); code != "not_found" {
			t.Errorf("who waited for an agent that is gone is told %s", code)
		}
	}
}
