package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A rig is the least of a gateway around a team: one thread, without a store and without a wire. What it keeps from
// run to run goes through JSON, every stream is held to the protocol's order, and every pause is replayed.
type rig struct {
	t    testing.TB
	root Agent

	messages   []Message
	state      json.RawMessage
	checkpoint json.RawMessage
	open       []ask.Interrupt
	calls      []state.Call
	notes      json.RawMessage

	reducers document.Reducers
	maxTurns int
	ctx      context.Context
	origin   string
	input    Input
	log      *slog.Logger
	hooks    []Hooks // the service's
	// approvals are remembered; nil: nothing is.
	approvals ApprovalStore

	mu       sync.Mutex
	ids      int
	commits  []commit
	onces    map[string]json.RawMessage
	onceErr  error
	recorded func() // is called when an effect is recorded
	failAt   int    // the commit that fails, from 1
}

// A commit is what the journal was given.
type commit struct {
	checkpoint, state json.RawMessage
	messages          []Message
	onces             map[string]json.RawMessage // all that was recorded by then
}

// A stream is the output of one run.
type stream struct {
	events []agui.Event
	result Result
	err    error
}

func newRig(t testing.TB, root Agent) *rig {
	t.Helper()
	if v, ok := root.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			t.Fatalf("Validate() = %v", err)
		}
	}
	return &rig{t: t, root: root, onces: map[string]json.RawMessage{}, ctx: context.Background(), origin: "1"}
}

func (r *rig) newID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return fmt.Sprint(r.ids)
}

// say runs the team on a new user message, from the top.
func (r *rig) say(text string) *stream {
	r.t.Helper()
	r.messages = append(r.messages, Message{ID: "u" + r.newID(), Role: agui.RoleUser, Content: agui.TextContent(text)})
	r.checkpoint, r.open, r.calls = nil, nil, nil
	return r.run(Session{})
}

// answer resumes with payloads by question key.
func (r *rig) answer(payloads map[string]string) *stream {
	r.t.Helper()
	answers := map[string]state.Answer{}
	for key, payload := range payloads {
		a := state.Answer{ID: r.question(key).ID, Status: agui.ResumeResolved, Payload: fitted(r.question(key), payload)}
		if payload == "cancel" {
			a.Status, a.Payload = agui.ResumeCancelled, nil
		}
		if payload == "late" {
			a.Status, a.Payload, a.TimedOut = agui.ResumeCancelled, nil, true
		}
		answers[a.ID] = a
	}
	return r.run(Session{Checkpoint: r.checkpoint, Answers: answers})
}

// fitted is a payload in the form its question wants, as admission has it: X may stand for {"value": X}.
func fitted(i ask.Interrupt, payload string) json.RawMessage {
	bare := state.Canonical([]byte(payload))
	form := slices.Concat([]byte(`{"value":`), bare, []byte(`}`))
	if state.ValidateAnswer(i.ResponseSchema, bare) != nil && json.Valid(form) && state.ValidateAnswer(i.ResponseSchema, form) == nil {
		return form
	}
	return bare
}

// question finds the open question with a key, or with a message where several have one key.
func (r *rig) question(key string) ask.Interrupt {
	r.t.Helper()
	for _, i := range r.open {
		if where(i).Key == key || i.Message == key {
			return i
		}
	}
	r.t.Fatalf("no open question %q", key)
	return ask.Interrupt{}
}

func where(i ask.Interrupt) (w struct{ Path, Key string }) {
	_ = json.Unmarshal(i.Metadata["groupchat"], &w) // the zero value is compared
	return w
}

// returns resumes with the results of frontend calls by tool name.
func (r *rig) returns(results map[string]string) *stream {
	r.t.Helper()
	byID := map[string]agui.Content{}
	for _, c := range r.calls {
		text, ok := results[c.Name]
		if !ok {
			text = state.NotAnswered
		}
		byID[c.ID] = agui.TextContent(text)
		r.messages = append(r.messages, Message{
			ID: "t" + r.newID(), Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent(text),
		})
	}
	return r.run(Session{Checkpoint: r.checkpoint, Results: byID})
}

// run is one run as the gateway does it, and its bookkeeping.
func (r *rig) run(s Session) *stream {
	r.t.Helper()
	out, end := r.execute(s)
	if out.err != nil {
		return out
	}
	r.messages, r.state = end.messages, end.state
	r.checkpoint, r.open, r.calls = nil, nil, nil
	if p := out.result.Pause; p != nil {
		r.checkpoint, r.open, r.calls = out.result.Checkpoint, p.Interrupts, p.Calls
		r.replay()
	}
	return out
}

// replay enters the paused turn again without any answer: it must wait for the very same things, having said, changed
// and recorded nothing.
func (r *rig) replay() {
	r.t.Helper()
	before := len(r.onces)
	out, _ := r.execute(Session{Checkpoint: r.checkpoint})
	if out.err != nil {
		r.t.Fatalf("replay: %v", out.err)
	}
	if diff := cmp.Diff(r.open, out.result.Pause.Interrupts); diff != "" {
		r.t.Errorf("replay asks something else (-first +replay):\n%s", diff)
	}
	if !bytes.Equal(r.checkpoint, out.result.Checkpoint) {
		r.t.Errorf("replay ends at %s, want %s", out.result.Checkpoint, r.checkpoint)
	}
	if len(r.onces) != before {
		r.t.Errorf("replay recorded %d effects", len(r.onces)-before)
	}
	for _, e := range out.body() {
		switch e.(type) {
		case *agui.StepStarted, *agui.StepFinished, *agui.SubagentStarted, *agui.SubagentFinished:
		default:
			r.t.Errorf("replay sent %s", line(e))
		}
	}
}

// Execute without bookkeeping; end is the thread as the run left it.
func (r *rig) execute(s Session) (out *stream, end commit) {
	r.t.Helper()
	out = &stream{}
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
	doc, err := document.New(r.state, document.Options{
		Reducers: r.reducers, OnChange: func(c document.Change) error { return writer.Emit(c.Event()) },
	})
	must(r.t, err)
	must(r.t, writer.Start(&agui.RunStarted{}))
	must(r.t, writer.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()}))
	s.Run, s.State, s.NewID, s.Origin, s.MaxTurns = writer, doc, r.newID, r.origin, r.maxTurns
	s.Journal, s.Approvals = &journal{r, writer, doc}, r.approvals
	if s.Log == nil {
		s.Log = r.log
	}
	s.Notes, s.Input, s.Hooks = &history.Notes{}, r.input, r.hooks
	must(r.t, s.Notes.Load(r.notes))
	out.result, out.err = Execute(r.ctx, r.root, &s)
	if changed := s.Notes.Changed(); changed != nil {
		r.notes = changed
	}
	if out.err != nil {
		must(r.t, writer.Fail(&agui.RunError{Message: errcode.Public(out.err), Code: string(errcode.Of(out.err))}))
		return out, commit{}
	}
	writer.Inspect(func(v *run.View) { end.messages = v.Messages() })
	end.state = doc.JSON()
	must(r.t, writer.Emit(&agui.StateSnapshot{Snapshot: end.state}))
	must(r.t, writer.Emit(&agui.MessagesSnapshot{Messages: end.messages}))
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	if p := out.result.Pause; p != nil && len(p.Interrupts) > 0 {
		outcome.Type = agui.OutcomeInterrupt
		for _, i := range p.Interrupts {
			outcome.Interrupts = append(outcome.Interrupts, i.Interrupt)
		}
	}
	for _, e := range out.result.Closings {
		must(r.t, writer.Emit(e))
	}
	must(r.t, writer.Finish(&agui.RunFinished{Outcome: outcome}))
	return out, end
}

// A journal keeps what a takeover would find.
type journal struct {
	*rig
	run *run.Run
	doc *document.Document
}

var errStore = errors.New("store: gone")

func (j *journal) Commit(_ context.Context, checkpoint json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := commit{checkpoint: checkpoint, state: j.doc.JSON(), onces: maps.Clone(j.onces)}
	j.run.Inspect(func(v *run.View) { c.messages = v.Messages() })
	j.commits = append(j.commits, c)
	if len(j.commits) == j.failAt {
		return errStore
	}
	return nil
}

func (j *journal) Once(_ context.Context, key string, result json.RawMessage) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.onceErr != nil {
		return j.onceErr
	}
	if j.recorded != nil {
		j.recorded()
	}
	j.onces[key] = result
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
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

// shape is the stream's body as types, with names of steps and who speaks.
func (s *stream) shape() string {
	var lines []string
	for _, e := range s.body() {
		switch e := e.(type) {
		case *agui.StepStarted:
			lines = append(lines, e.StepName+" {")
		case *agui.StepFinished:
			lines = append(lines, "} "+e.StepName)
		case *agui.TextMessageContent:
			lines = append(lines, e.Delta)
		case *agui.StateDelta, *agui.StateSnapshot:
			lines = append(lines, "state")
		case *agui.SubagentError:
			lines = append(lines, "error "+e.Code)
		case *agui.ToolCallStart:
			lines = append(lines, "call "+e.ToolCallName)
		case *agui.ToolCallResult:
			lines = append(lines, "result "+e.Content.Text())
		}
	}
	return strings.Join(lines, " ")
}

// steps are the turns of a stream, in order.
func (s *stream) steps() []string {
	var names []string
	for _, e := range s.events {
		if step, ok := e.(*agui.StepStarted); ok {
			names = append(names, step.StepName)
		}
	}
	return names
}

// texts are what a list of messages says.
func texts(messages []Message) []string {
	said := make([]string, 0, len(messages))
	for _, m := range messages {
		said = append(said, m.Content.Text())
	}
	return said
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

// line is an event as golden files show it.
func line(e agui.Event) string {
	raw, err := agui.Encode(e)
	if err != nil {
		return err.Error()
	}
	head := `{"type":"` + string(agui.TypeOf(e)) + `"`
	rest := strings.TrimPrefix(string(raw), head)
	return strings.TrimRight(string(agui.TypeOf(e))+" {"+strings.TrimPrefix(rest, ","), " ")
}

// A described agent says nothing and has a description.
type described string

func (d described) Describe() profile.Info { return profile.Info{Description: string(d)} }

func (described) Run(context.Context, *Turn) error { return nil }

// sayer is an agent that says its text once.
func sayer(text string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error { return SayOnce(t, "say", text) })
}

// asker asks a question and says the answer.
func asker(key string) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		a, err := t.Ask(Question{Key: key, Message: key + "?"})
		if err != nil {
			return err
		}
		if a.Cancelled {
			return SayOnce(t, "said", "nothing")
		}
		return SayOnce(t, "said", string(a.Payload))
	})
}

func team(manager func() Manager, participants ...Participant) *Chat {
	return &Chat{Manager: manager, Participants: participants}
}
