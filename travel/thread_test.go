package travel_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/travel"
)

// team is shared by all tests, as a server shares it among its threads.
var team = travel.Team()

// A thread is a conversation with the team, kept between runs as JSON.
type thread struct {
	t          reporter
	with       *groupchat.Chat
	state      json.RawMessage
	messages   []agui.Message
	checkpoint json.RawMessage
	open       []ask.Interrupt
	ids        int

	commits int // of the run
	crash   int // the commit after which the owner of the run dies; 0: it lives
}

var errCrashed = errors.New("crashed")

// A reporter is a test's, or one of its cases made by chance.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newThread(t reporter) *thread { return &thread{t: t, with: team} }

// newID numbers what the conversation brings, so that golden files stay the same.
func (th *thread) newID() string {
	th.ids++
	return strconv.Itoa(th.ids)
}

// Commit keeps the boundary a takeover starts from.
func (th *thread) Commit(_ context.Context, checkpoint json.RawMessage) error {
	th.checkpoint = slices.Clone(checkpoint)
	if th.commits++; th.commits == th.crash {
		return errCrashed
	}
	return nil
}

// Once records nothing: the team has no effects.
func (th *thread) Once(context.Context, string, json.RawMessage) error { return nil }

// say sends a message.
func (th *thread) say(text string) []agui.Event {
	th.t.Helper()
	th.checkpoint, th.open = nil, nil
	th.messages = append(th.messages, agui.Message{ID: "u" + th.newID(), Role: agui.RoleUser, Content: agui.TextContent(text)})
	return th.run(nil)
}

// answer answers the one open question, in the form of admission: a bare name is the value of the member that the
// question requires.
func (th *thread) answer(payload string) []agui.Event {
	th.t.Helper()
	form := state.Canonical(json.RawMessage(payload))
	var s struct{ Required []string }
	if len(th.open) == 1 && json.Unmarshal(th.open[0].ResponseSchema, &s) == nil && form[0] != '{' {
		raw, err := json.Marshal(map[string]json.RawMessage{s.Required[0]: form})
		th.must(err)
		form = raw
	}
	return th.resume(state.Answer{Status: agui.ResumeResolved, Payload: form})
}

// cancel calls the one open question off.
func (th *thread) cancel() []agui.Event {
	th.t.Helper()
	return th.resume(state.Answer{Status: agui.ResumeCancelled})
}

func (th *thread) resume(a state.Answer) []agui.Event {
	th.t.Helper()
	if len(th.open) != 1 {
		th.t.Fatalf("%d questions are open, want 1", len(th.open))
	}
	a.ID = th.open[0].ID
	return th.run(map[string]state.Answer{a.ID: a})
}

// run executes one run with the order of events a gateway gives it, and holds every event against the rules:
// the order, and that a reader's own copy of the state follows.
func (th *thread) run(answers map[string]state.Answer) []agui.Event {
	th.t.Helper()
	r := &recorder{t: th.t}
	writer := run.New(run.Options{
		ThreadID: "T", RunID: "R", NewID: func() string { return "m" + th.newID() },
		View: run.NewView(th.messages, nil), Sink: r.sink,
	})
	doc, err := document.New(th.filled(), document.Options{
		Reducers: th.with.StateSpec().Reducers,
		OnChange: func(c document.Change) error { return writer.Emit(c.Event()) },
	})
	th.must(err)
	th.must(writer.Start(&agui.RunStarted{}))
	th.must(writer.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()}))
	result, err := groupchat.Execute(context.Background(), th.with, &groupchat.Session{
		Run: writer, State: doc, Journal: th, Checkpoint: th.checkpoint, Answers: answers,
		Origin: "origin", NewID: th.newID,
	})
	th.state = doc.JSON()
	writer.Inspect(func(v *run.View) { th.messages = v.Messages() })
	if errors.Is(err, errCrashed) {
		return r.events
	}
	th.must(err)
	th.must(writer.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()}))
	th.must(writer.Emit(&agui.MessagesSnapshot{Messages: th.messages}))
	for _, e := range result.Closings {
		th.must(writer.Emit(e))
	}
	th.must(writer.Finish(&agui.RunFinished{Outcome: th.outcome(result)}))
	if diff := cmp.Diff(string(r.before), string(r.state)); diff != "" {
		th.t.Errorf("the deltas and the last snapshot differ:\n%s", diff)
	}
	return r.events
}

// outcome records the open questions after the run.
func (th *thread) outcome(result groupchat.Result) *agui.Outcome {
	th.commits, th.checkpoint, th.open = 0, nil, nil
	if result.Pause == nil {
		return &agui.Outcome{Type: agui.OutcomeSuccess}
	}
	th.checkpoint, th.open = slices.Clone(result.Checkpoint), result.Pause.Interrupts
	outcome := &agui.Outcome{Type: agui.OutcomeInterrupt}
	for _, i := range th.open {
		th.must(state.CheckSchema(i.ResponseSchema))
		outcome.Interrupts = append(outcome.Interrupts, i.Interrupt)
	}
	return outcome
}

// filled is the state with the team's initial values for what it lacks.
func (th *thread) filled() json.RawMessage {
	members := map[string]json.RawMessage{}
	th.must(json.Unmarshal(team.StateSpec().Initial, &members))
	if len(th.state) > 0 {
		th.must(json.Unmarshal(th.state, &members))
	}
	raw, err := json.Marshal(members)
	th.must(err)
	return raw
}

// at decodes the state's value at pointer.
func at[T any](th *thread, pointer string) T {
	th.t.Helper()
	doc, err := document.New(th.state, document.Options{})
	th.must(err)
	var v T
	_, err = doc.Get(pointer, &v)
	th.must(err)
	return v
}

func (th *thread) must(err error) {
	th.t.Helper()
	if err != nil {
		th.t.Fatal(err)
	}
}

// A recorder is a reader of the stream.
type recorder struct {
	t        reporter
	verifier agui.Verifier
	events   []agui.Event
	state    json.RawMessage
	before   json.RawMessage // the state before the last snapshot
}

func (r *recorder) sink(e agui.Event, data []byte) error {
	if err := r.verifier.Next(e); err != nil {
		r.t.Errorf("%s: %v", data, err)
	}
	switch e := e.(type) {
	case *agui.StateSnapshot:
		r.before, r.state = r.state, e.Snapshot
	case *agui.StateDelta:
		next, err := e.Delta.Apply(context.Background(), r.state)
		if err != nil {
			r.t.Errorf("%s: %v", data, err)
		}
		r.state = next
	}
	r.events = append(r.events, e)
	return nil
}
