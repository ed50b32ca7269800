package groupchat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A stage is one thread around an agent for tests from outside of the package: it keeps what a gateway would, pauses
// and effects included, and continues from the last commit after a run that died.
type stage struct {
	t     testing.TB
	agent groupchat.Agent
	hooks []groupchat.Hooks

	mu         sync.Mutex
	ids        int
	messages   []agui.Message
	state      json.RawMessage
	checkpoint json.RawMessage
	memo       map[string]json.RawMessage
	pause      *ask.Pause
	usage      groupchat.Usage
	steps      []string
}

func newStage(t testing.TB, agent groupchat.Agent) *stage {
	t.Helper()
	if v, ok := groupchat.As[interface{ Validate() error }](agent); ok {
		if err := v.Validate(); err != nil {
			t.Fatalf("Validate() = %v", err)
		}
	}
	return &stage{t: t, agent: agent, memo: map[string]json.RawMessage{}}
}

func (s *stage) newID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprint(s.ids)
}

// Commit is part of groupchat.Journal.
func (j stageJournal) Commit(_ context.Context, checkpoint json.RawMessage) error {
	j.s.keep(j.run, j.doc, checkpoint)
	return nil
}

// Once is part of groupchat.Journal.
func (j stageJournal) Once(_ context.Context, key string, result json.RawMessage) error {
	j.s.mu.Lock()
	defer j.s.mu.Unlock()
	j.s.memo[key] = result
	return nil
}

type stageJournal struct {
	s   *stage
	run *run.Run
	doc *document.Document
}

func (s *stage) keep(r *run.Run, doc *document.Document, checkpoint json.RawMessage) {
	r.Inspect(func(v *run.View) { s.messages = v.Messages() })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.checkpoint = doc.JSON(), checkpoint
}

// say begins a run with a message of the user's.
func (s *stage) say(text string) error {
	s.messages = append(s.messages, agui.Message{ID: "u" + s.newID(), Role: agui.RoleUser, Content: agui.TextContent(text)})
	s.checkpoint, s.memo = nil, map[string]json.RawMessage{}
	return s.run(context.Background(), groupchat.Session{})
}

// takeover continues a run that died, from its last commit.
func (s *stage) takeover() error {
	return s.run(context.Background(), groupchat.Session{Checkpoint: s.checkpoint, Memo: maps.Clone(s.memo), Takeover: true})
}

// answer answers the only open question; with "" it is cancelled.
func (s *stage) answer(payload string) error {
	s.t.Helper()
	if s.pause == nil || len(s.pause.Interrupts) != 1 {
		s.t.Fatalf("waits for %v, want one question", s.pause)
	}
	id := s.pause.Interrupts[0].ID
	a := state.Answer{ID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
	if payload == "" {
		a = state.Answer{ID: id, Status: agui.ResumeCancelled}
	}
	return s.run(context.Background(), groupchat.Session{Checkpoint: s.checkpoint, Answers: map[string]state.Answer{id: a}})
}

func (s *stage) run(ctx context.Context, session groupchat.Session) error {
	s.t.Helper()
	s.pause, s.steps = nil, nil
	var verifier agui.Verifier
	r := run.New(run.Options{ThreadID: "t", RunID: "r", NewID: s.newID, View: run.NewView(s.messages, nil), Sink: func(e agui.Event, data []byte) error {
		if step, ok := e.(*agui.StepStarted); ok {
			s.steps = append(s.steps, step.StepName)
		}
		decoded, err := agui.Decode(data, nil)
		return errors.Join(err, verifier.Next(decoded))
	}})
	doc, err := document.New(s.state, document.Options{OnChange: func(c document.Change) error { return r.Emit(c.Event()) }})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := errors.Join(r.Start(&agui.RunStarted{}), r.Emit(&agui.StateSnapshot{Snapshot: doc.JSON()})); err != nil {
		s.t.Fatal(err)
	}
	session.Run, session.State, session.Journal, session.NewID, session.Origin = r, doc, stageJournal{s, r, doc}, s.newID, "1"
	session.Usage, session.Hooks = &s.usage, s.hooks
	result, err := groupchat.Execute(ctx, s.agent, &session)
	if err != nil {
		return err
	}
	s.keep(r, doc, result.Checkpoint)
	s.pause = result.Pause
	return nil
}

// said lists the messages since the user's last one, with the speakers' names.
func (s *stage) said() string {
	var lines []string
	for _, m := range s.messages {
		if m.Role == agui.RoleUser {
			lines = nil
			continue
		}
		lines = append(lines, m.Name+": "+m.Content.Text())
	}
	return strings.Join(lines, " | ")
}

// A mind is a model with written replies, the next one for each call; it notes its requests.
type mind struct {
	mu      sync.Mutex
	replies []string
	asked   []model.Request
}

// Stream is part of model.Model.
func (m *mind) Stream(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r)
	if len(m.replies) == 0 {
		return model.Reply{}, errors.New("nothing more to say")
	}
	next := m.replies[0]
	m.replies = m.replies[1:]
	in, out := int64(10), int64(1)
	reply := model.Reply{Text: next, Usage: agui.TokenUsage{Provider: "test", Model: "mind", InputTokens: &in, OutputTokens: &out}}
	if name, ok := strings.CutPrefix(next, "call "); ok {
		reply.Text, reply.Calls = "", []model.Call{{Name: name, Arguments: "{}"}}
	}
	return reply, nil
}

func speaks(text string) groupchat.Agent {
	return groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.SayOnce(t, "say", text) })
}
