package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/host"
	"github.com/agui-gateway/gateway/state"
)

// A rig is the least of a host around an agent: one thread, without a store. Every stream is held to the protocol's order, and
// every pause is entered again without an answer, which must change nothing.
type rig struct {
	t        testing.TB
	root     groupchat.Agent
	reducers state.Reducers

	messages []agui.Message
	state    json.RawMessage
	waiting  host.Result
	ids      int
	effects  int
}

// A stream is what one run came to.
type stream struct {
	events   []agui.Event
	result   host.Result
	messages []agui.Message
	state    json.RawMessage
	err      error
}

func newRig(t testing.TB, root groupchat.Agent) *rig {
	t.Helper()
	if v, ok := root.(interface{ Validate() error }); ok {
		must(t, v.Validate())
	}
	return &rig{t: t, root: root}
}

func (r *rig) newID() string {
	r.ids++
	return fmt.Sprint(r.ids)
}

// say runs the agent on a new message of the user's, from the top.
func (r *rig) say(text string) *stream {
	r.t.Helper()
	r.messages = append(r.messages, agui.Message{ID: "u" + r.newID(), Role: agui.RoleUser, Content: agui.TextContent(text)})
	return r.run(host.Session{})
}

// answer resumes with payloads by question key: "cancel" calls the question off, and X may stand for {"value": X}.
func (r *rig) answer(payloads map[string]string) *stream {
	r.t.Helper()
	answers := map[string]state.Answer{}
	for key, payload := range payloads {
		q := r.question(key)
		a := state.Answer{ID: q.ID, Status: agui.ResumeResolved, Payload: admitted(q, payload)}
		if payload == "cancel" {
			a.Status, a.Payload = agui.ResumeCancelled, nil
		}
		answers[a.ID] = a
	}
	return r.run(host.Session{Checkpoint: r.waiting.Checkpoint, Answers: answers})
}

// admitted is a payload in the form its question wants, as admission has it.
func admitted(i groupchat.Interrupt, payload string) json.RawMessage {
	bare := state.Canonical([]byte(payload))
	form := slices.Concat([]byte(`{"value":`), bare, []byte(`}`))
	if state.ValidateAnswer(i.ResponseSchema, bare) != nil && json.Valid(form) && state.ValidateAnswer(i.ResponseSchema, form) == nil {
		return form
	}
	return bare
}

// question finds the open question with a key.
func (r *rig) question(key string) groupchat.Interrupt {
	r.t.Helper()
	if r.waiting.Pause != nil {
		for _, i := range r.waiting.Pause.Interrupts {
			var where struct{ Key string }
			must(r.t, json.Unmarshal(i.Metadata["groupchat"], &where))
			if where.Key == key {
				return i
			}
		}
	}
	r.t.Fatalf("no open question %q", key)
	return groupchat.Interrupt{}
}

// returns resumes with the results of frontend calls, by the name of the tool.
func (r *rig) returns(results map[string]string) *stream {
	r.t.Helper()
	byID := map[string]agui.Content{}
	for _, c := range r.waiting.Pause.Calls {
		text, ok := results[c.Name]
		if !ok {
			text = state.NotAnswered
		}
		byID[c.ID] = agui.TextContent(text)
		r.messages = append(r.messages, agui.Message{ID: "t" + r.newID(), Role: agui.RoleTool, ToolCallID: c.ID, Content: byID[c.ID]})
	}
	return r.run(host.Session{Checkpoint: r.waiting.Checkpoint, Results: byID})
}

// run is one run and its bookkeeping.
func (r *rig) run(s host.Session) *stream {
	r.t.Helper()
	out := r.execute(s)
	if out.err != nil {
		return out
	}
	r.messages, r.state, r.waiting = out.messages, out.state, out.result
	if r.waiting.Pause == nil {
		return out
	}
	before := r.effects
	again := r.execute(host.Session{Checkpoint: r.waiting.Checkpoint})
	must(r.t, again.err)
	equal(r.t, "what is waited for when the turn is entered again", again.result.Pause, r.waiting.Pause)
	if !bytes.Equal(r.waiting.Checkpoint, again.result.Checkpoint) || r.effects != before {
		r.t.Errorf("entered again, the turn ends at %s after %d effects, want %s", again.result.Checkpoint, r.effects-before, r.waiting.Checkpoint)
	}
	for _, e := range again.body() {
		switch e.(type) {
		case *agui.StepStarted, *agui.StepFinished, *agui.SubagentStarted, *agui.SubagentFinished:
		default:
			r.t.Errorf("entered again, the turn sent %s", line(e))
		}
	}
	return out
}

// execute is a run without bookkeeping, as a host brings it to its end.
func (r *rig) execute(s host.Session) *stream {
	r.t.Helper()
	out := &stream{}
	var verifier agui.Verifier
	writer := run.New(run.Options{
		ThreadID: "t", RunID: "r", NewID: r.newID, View: run.NewView(r.messages, nil),
		Sink: func(e agui.Event, data []byte) error {
			decoded, err := agui.Decode(data, nil)
			if err == nil {
				err = verifier.Next(decoded)
			}
			if err != nil {
				r.t.Errorf("%s: %v", data, err)
			}
			out.events = append(out.events, e)
			return nil
		},
	})
	doc, err := state.NewDocument(r.state, state.DocumentOptions{
		Reducers: r.reducers, OnChange: func(c state.Change) error { return writer.Emit(c.Event()) },
	})
	must(r.t, err)
	must(r.t, writer.Start(&agui.RunStarted{}))
	must(r.t, writer.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()}))
	s.Run, s.State, s.NewID, s.Origin, s.Journal = writer, doc, r.newID, "1", (*journal)(r)
	if out.result, out.err = host.Execute(context.Background(), r.root, s); out.err != nil {
		told := errcode.Of(out.err).Message()
		if e, ok := errors.AsType[*errcode.Error](out.err); ok {
			told = e.Public()
		}
		must(r.t, writer.Fail(&agui.RunError{Message: told, Code: string(errcode.Of(out.err))}))
		return out
	}
	writer.Inspect(func(v *run.View) { out.messages = v.Messages() })
	out.state = doc.JSON()
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if p := out.result.Pause; p != nil && len(p.Interrupts) > 0 {
		outcome.Type = agui.OutcomeInterrupt
		for _, i := range p.Interrupts {
			outcome.Interrupts = append(outcome.Interrupts, i.Interrupt)
		}
	}
	ending := []agui.Event{&agui.StateSnapshot{Snapshot: out.state}, &agui.MessagesSnapshot{Messages: out.messages}}
	for _, e := range append(ending, out.result.Closings...) {
		must(r.t, writer.Emit(e))
	}
	must(r.t, writer.Finish(&agui.RunFinished{Outcome: outcome}))
	return out
}

// A journal counts effects.
type journal rig

func (*journal) Commit(context.Context, json.RawMessage) error { return nil }

func (j *journal) Once(context.Context, string, json.RawMessage) error {
	j.effects++
	return nil
}

// body is the stream between its opening and what follows the agents' work.
func (s *stream) body() []agui.Event {
	end := len(s.events)
	for i, e := range s.events {
		switch e.(type) {
		case *agui.MessagesSnapshot:
			end = min(end, i-1)
		case *agui.RunError:
			end = min(end, i)
		}
	}
	return s.events[2:end]
}

// shape is the stream's body in short: its steps, what is said in them, and where the state changes.
func (s *stream) shape() string {
	var words []string
	for _, e := range s.body() {
		switch e := e.(type) {
		case *agui.StepStarted:
			words = append(words, e.StepName+" {")
		case *agui.StepFinished:
			words = append(words, "} "+e.StepName)
		case *agui.TextMessageContent:
			words = append(words, e.Delta)
		case *agui.StateDelta, *agui.StateSnapshot:
			words = append(words, "state")
		}
	}
	return strings.Join(words, " ")
}

// texts are what a list of messages says.
func texts(messages []agui.Message) []string {
	said := make([]string, 0, len(messages))
	for _, m := range messages {
		said = append(said, m.Content.Text())
	}
	return said
}

// line is an event as golden files show it.
func line(e agui.Event) string {
	raw, err := agui.Encode(e)
	if err != nil {
		return err.Error()
	}
	rest := strings.TrimPrefix(string(raw), `{"type":"`+string(e.EventType())+`"`)
	return string(e.EventType()) + " {" + strings.TrimPrefix(rest, ",")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func codeOf(t testing.TB, s *stream, want errcode.Code) {
	t.Helper()
	if got := errcode.Of(s.err); got != want {
		t.Fatalf("run ended with %q (%v), want %q", got, s.err, want)
	}
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// team is a chat in which one member speaks once.
func team(a groupchat.Agent) *groupchat.Chat {
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "p", Agent: a}}}
}
