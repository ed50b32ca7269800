package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/telemetry"
)

// A traceDoc is what GET /threads/{id}/runs/{n}/trace answers.
type traceDoc struct {
	ThreadID, RunID, Agent, Status, Code string
	Number                               int
	StartedAt, EndedAt                   int64
	Usage                                []agui.TokenUsage
	Steps                                []tracedStep
	More                                 bool
}

type tracedStep struct {
	telemetry.Record
	Dropped int
}

// trace is the trace of a run. Each of its steps has a parent that is one of them, and lies within the run.
func (w *world) trace(thread string, run int) traceDoc {
	w.t.Helper()
	status, body := w.call("GET", fmt.Sprintf("/threads/%s/runs/%d/trace", thread, run), "")
	var d traceDoc
	if err := json.Unmarshal([]byte(body), &d); err != nil || status != http.StatusOK {
		w.t.Fatalf("GET trace = %d %s: %v", status, body, err)
	}
	ids := map[string]bool{}
	for _, s := range d.Steps {
		if ids[s.ID] || s.Parent != "" && !ids[s.Parent] {
			w.t.Errorf("step %s (%s %s) is there twice, or its parent %q is not: %s", s.ID, s.Kind, s.Name, s.Parent, body)
		}
		ids[s.ID] = true
		open := s.End == 0
		if open != (d.Status == "running" || s.Kind == telemetry.KindQuestion && s.Code == "" && d.Status == "interrupt") && d.Status != "running" {
			w.t.Errorf("step %s (%s %s) of a run that is %s ends at %d", s.ID, s.Kind, s.Name, d.Status, s.End)
		}
		if !open && s.End < s.Start || s.Kind != telemetry.KindQuestion && s.Start < d.StartedAt || d.EndedAt != 0 && s.End > d.EndedAt {
			w.t.Errorf("step %s (%s %s) is from %d to %d, the run from %d to %d", s.ID, s.Kind, s.Name, s.Start, s.End, d.StartedAt, d.EndedAt)
		}
	}
	return d
}

// outline is what the steps are, each below its parent.
func (d traceDoc) outline() []string {
	depth := map[string]int{}
	var lines []string
	for _, s := range d.Steps {
		if s.Parent != "" {
			depth[s.ID] = depth[s.Parent] + 1
		}
		line := strings.Repeat("  ", depth[s.ID]) + string(s.Kind) + " " + s.Name
		if s.Attempt > 1 {
			line += " attempt " + strconv.Itoa(s.Attempt)
		}
		if s.Code != "" {
			line += " " + string(s.Code)
		}
		lines = append(lines, line)
	}
	return lines
}

func (d traceDoc) is(t *testing.T, status string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, d.outline()); d.Status != status || diff != "" {
		t.Errorf("run %d is %s, want %s; its steps (-want +got):\n%s", d.Number, d.Status, status, diff)
	}
}

// A trip asks one question, between a participant that is done and one that comes later.
func trip() *groupchat.Chat {
	says := func(words string) groupchat.Agent {
		return groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.SayOnce(t, "say", words) })
	}
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: "flights", Agent: says("I fly.")}, {Name: "hotels", Agent: groupchat.AgentFunc(asksSize)}, {Name: "cars", Agent: says("I drive.")},
	}}
}

// The trace of a run tells who worked, and what people were asked, on every store and through every replica.
func TestTheTraceOfARun(t *testing.T) {
	t.Parallel()
	serves := func(o *gateway.Options) { o.Agents["trip"], o.Limits.Rate = trip(), -1 }
	for name, start := range map[string]func(*testing.T) (a, b *world){
		"memory": func(t *testing.T) (a, b *world) { w := newWorld(t, serves); return w, w },
		"file": func(t *testing.T) (a, b *world) {
			store, err := filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			closeLast(t, store)
			w := newWorld(t, serves, func(o *gateway.Options) { o.Store, o.Now, o.NewID = store, nil, nil })
			return w, w
		},
		"two replicas on Redis": func(t *testing.T) (a, b *world) { return twins(t, redistest.Start(t).URL(), serves) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := start(t)
			asked := a.post("trip", input("t", "r1", []string{"u1:Hi"})).interrupts()[0]
			first := b.trace("t", 1)
			first.is(t, "interrupt", "run trip", "  choice supervisor", "  turn flights", "  choice supervisor", "  turn hotels", "  question hotels")
			if q := first.Steps[5]; q.InterruptID != asked.ID || q.End != 0 {
				t.Errorf("the question is %+v, want that of %s without an end", q, asked.ID)
			}
			if first.ThreadID != "t" || first.RunID != "r1" || first.Number != 1 || first.Agent != "trip" || first.EndedAt == 0 {
				t.Errorf("the run is %+v", first)
			}

			b.post("trip", input("t", "r2", []string{"u1:Hi"}, answerTo(asked.ID, "M"))).finished()
			second := a.trace("t", 2)
			second.is(t, "success", "run trip", "  question trip", "  turn hotels", "  choice supervisor", "  turn cars", "  choice supervisor")
			if q := second.Steps[1]; q.InterruptID != asked.ID || q.Start > second.StartedAt || q.End != second.StartedAt || q.Start < first.StartedAt {
				t.Errorf("the question is %+v, want one from the first run to the second, which began at %d", q, second.StartedAt)
			}
			for run, want := range map[string]int{"0": 404, "3": 404, "01": 404, "x": 404, "-1": 404, "2": 200} {
				if status, body := a.call("GET", "/threads/t/runs/"+run+"/trace", ""); status != want {
					t.Errorf("run %s = %d %s, want %d", run, status, body, want)
				}
			}
		})
	}
}

// Without its spans, the stream of a reader that asks for them is that of every other reader, for any actions of the
// agent.
func TestAReaderIsSentStepsOnlyIfItAsksForThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick)
	for _, agent := range []string{"echo", "ask", "both", "map", "mixed", "approve", "fails", "panics", "mute", "large", "silent"} {
		body := input(agent, "r", []string{"u1:Hi"})
		live := w.begin(http.MethodPost, "/agents/"+agent+"?trace=1", body)
		live.rest()
		live.hangUp()
		plain := w.begin(http.MethodGet, "/threads/"+agent+"/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
		plain.rest()
		plain.hangUp()
		traced := w.begin(http.MethodGet, "/threads/"+agent+"/events?protocolVersion=1.0&trace=1", "", "Last-Event-ID", "0-0")
		traced.rest()
		traced.hangUp()
		if diff := cmp.Diff(plain.lines(0), withoutSteps(traced)); diff != "" || plain.count(customTrace) != 0 {
			t.Errorf("%s: a reader is sent without the steps (-plain +traced):\n%s", agent, diff)
		}
		begun, ended := map[string]int{}, map[string]int{}
		for _, s := range traced.steps() {
			if begun[s.ID]++; s.End != 0 {
				ended[s.ID]++
			}
			if s.Kind != telemetry.KindQuestion && begun[s.ID] != ended[s.ID]+1 && begun[s.ID] != 2 {
				t.Errorf("%s: step %s is told %d times", agent, s.ID, begun[s.ID])
			}
		}
		if len(begun) < 1 || live.count(customTrace) != traced.count(customTrace) {
			t.Errorf("%s: %d steps are told, %d events live and %d later", agent, len(begun), live.count(customTrace), traced.count(customTrace))
		}
		w.trace(agent, 1)
	}
	for _, query := range []string{"?trace=1", ""} { // pages of CopilotKit never are
		page := w.begin(http.MethodPost, "/api/copilotkit/agent/echo/run"+query, pageInput("page"+query[:min(1, len(query))], "r", []string{"u1:Hi"}))
		page.rest()
		page.hangUp()
		if n := page.count(customTrace); n != 0 {
			t.Errorf("a page that asks with %q is sent %d steps", query, n)
		}
	}
	if status, body := w.call("GET", "/threads/echo/events?trace=yes", ""); status != http.StatusBadRequest {
		t.Errorf("trace=yes = %d %s", status, body)
	}
}

const customTrace = "gateway.trace"

// steps are the spans in the reader's stream.
func (r *reader) steps() (steps []tracedStep) {
	r.t.Helper()
	for _, e := range r.events {
		if c, ok := e.(*agui.Custom); ok && c.Name == customTrace {
			var s tracedStep
			if err := json.Unmarshal(c.Value, &s); err != nil {
				r.t.Fatalf("%s: %v", c.Value, err)
			}
			steps = append(steps, s)
		}
	}
	return steps
}

// count is how many CUSTOM events of a name the reader was sent.
func (r *reader) count(name string) (n int) {
	for _, e := range r.events {
		if c, ok := e.(*agui.Custom); ok && c.Name == name {
			n++
		}
	}
	return n
}

// withoutSteps is what the reader was sent beside steps.
func withoutSteps(r *reader) string {
	lines := strings.Split(r.lines(0), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"name":"`+customTrace+`"`) }), "\n")
}

// A joining reader gets the spans so far, and then the following ones.
func TestWhoJoinsIsToldOfTheStepsSoFar(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owner := w.open(http.MethodPost, "/agents/slow?disconnect=detach", input("t", "r", []string{"u1:Hi"}))
	owner.until(agui.TypeCustom)
	joined := w.open(http.MethodGet, "/threads/t/events?protocolVersion=1.0&trace=1", "")
	for len(joined.steps()) < 1 {
		if _, ok := joined.step(); !ok {
			t.Fatal("the stream ended")
		}
	}
	w.trace("t", 1).is(t, "running", "run slow")
	w.release()
	joined.rest()
	var told []string
	for _, s := range joined.steps() {
		told = append(told, fmt.Sprint(s.Kind, " ", s.End != 0))
	}
	if want := []string{"run false", "run true"}; !slices.Equal(told, want) {
		t.Errorf("it was told %v, want %v", told, want)
	}
}

// The spans of a dead attempt end when another continues the run.
func TestATakeoverEndsTheStepsOfTheDead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, door, leave := halfway(t, 3)
		defer leave()
		watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0&trace=1", "", "Last-Event-ID", "0-0")
		defer watcher.hangUp()
		watcher.hears("I paid ")
		close(door.dead)
		b.gate <- struct{}{}
		watcher.rest()
		watcher.times()
		d := b.trace("t", 1)
		d.is(t, "success",
			"run crew run_moved", "  choice supervisor", "  turn first", "  choice supervisor", "  turn second run_moved",
			"run crew attempt 2", "  choice supervisor", "  turn second", "  choice supervisor")
		for _, s := range d.Steps[:5] {
			if !strings.HasPrefix(s.ID, "1.") {
				t.Errorf("step %s is of the first attempt", s.ID)
			}
		}
	})
}

// A run has no more steps in its log than there is room for, and the trace says so.
func TestTheStepsOfARunAreLimited(t *testing.T) {
	t.Parallel()
	const most, more = 1000, 50
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["busy"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			for i := range most + more - 1 { // beside the run itself
				_, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTool, Name: strconv.Itoa(i)})
				step.End(nil)
			}
			return groupchat.SayOnce(turn, "end", "Done.")
		})
	})
	w.post("busy", input("t", "r", []string{"u1:Hi"})).finished()
	d := w.trace("t", 1)
	if len(d.Steps) != most || !d.More || d.Steps[0].Dropped != more {
		t.Errorf("%d steps, more %t, dropped %d; want %d and that there were %d more", len(d.Steps), d.More, d.Steps[0].Dropped, most, more)
	}
}

// Steps of which a reader is sent nothing do not count as a sign of life.
func TestStepsAreNoHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesktop(t, func(o *gateway.Options) {
			o.Heartbeat = 15 * time.Second
			o.Agents["busy"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
				for range 20 {
					time.Sleep(10 * time.Second)
					_, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTool, Name: "look"})
					step.End(nil)
				}
				return nil
			})
		})
		defer d.close()
		out := newSink()
		d.serve(out, "POST", "/agents/busy", input("t", "r", []string{"u1:Hi"}))
		time.Sleep(201 * time.Second)
		if n := out.count("keep-alive"); n < 12 {
			t.Errorf("200 s of steps have %d heartbeats", n)
		}
	})
}

// The log of a run goes before the thread forgets the run.
func TestTheTraceOfATrimmedRunIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	w.clock.Move(2 * time.Hour)
	w.post("echo", input("t", "r2", []string{"u1:Hi", "u2:Again"}))
	for _, path := range []string{"trace", "events"} {
		if status, body := w.call("GET", "/threads/t/runs/1/"+path, ""); status != http.StatusGone || !strings.Contains(body, `"log_trimmed"`) {
			t.Errorf("%s of a run without log = %d %s", path, status, body)
		}
		if status, body := w.call("GET", "/threads/t/runs/2/"+path, ""); status != http.StatusOK {
			t.Errorf("%s of the run behind it = %d %s", path, status, body)
		}
	}
	if status, body := w.call("GET", "/threads/t/runs/1", ""); status != http.StatusOK || !strings.Contains(body, `"content":"Hi"`) {
		t.Errorf("the run itself = %d %s", status, body)
	}
}
