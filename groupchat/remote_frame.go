package groupchat

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// remoteMemo is the key under which a turn remembers how far a [Remote] has come.
const remoteMemo = "remote"

// A remoteFrame is how far a turn has come with a remote agent. It is in the checkpoint before anybody is asked.
type remoteFrame struct {
	N int `json:"n,omitempty"` // runs there that have come to an end
	// Pause is what the last of them waits for.
	Pause *remotePause `json:"pause,omitempty"`
	// Done says that there was nothing to wait for: a turn that is entered again does not begin it anew.
	Done bool `json:"done,omitempty"`
}

// A remotePause is what a remote run stopped for.
type remotePause struct {
	RunID     string           `json:"runId"`
	Dialect   RemoteDialect    `json:"dialect"`
	Questions []remoteQuestion `json:"questions,omitempty"`
	Calls     []remoteCall     `json:"calls,omitempty"`
}

// A remoteQuestion is a question of a remote agent's, on its way to a person.
type remoteQuestion struct {
	Key string `json:"key"` // in the turn's record
	// ID is the remote's, empty if it has none. Event is what asked, in the legacy dialect.
	ID    string          `json:"id,omitempty"`
	Event json.RawMessage `json:"event,omitempty"`
	// Call is the remote's call that the question is about, empty if there is none.
	Call string `json:"call,omitempty"`
	// Ask is the question as we ask it, without our id; Own says that the participant itself asks it, and no agent
	// behind it.
	Ask   agui.Interrupt `json:"ask"`
	Own   bool           `json:"own,omitempty"`
	Until time.Time      `json:"until,omitzero"`
}

// A remoteCall is a frontend call of a remote agent's.
type remoteCall struct {
	Key  string `json:"key"` // in the turn's record
	ID   string `json:"id"`  // the remote's
	Name string `json:"name"`
}

func recallRemote(t *Turn) (*remoteFrame, error) {
	f := &remoteFrame{}
	raw, ok := t.memo(remoteMemo)
	if !ok {
		return f, nil
	}
	if err := exact.Unmarshal(raw, f); err != nil {
		return nil, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: remote: %w", t.Path(), err))
	}
	return f, nil
}

func (f *remoteFrame) keep(t *Turn) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return fail(errcode.RemoteFailed, "%s: %w", t.Path(), err)
	}
	t.remember(remoteMemo, raw)
	return nil
}

// A delivery is what goes back to a remote agent that waits.
type delivery struct {
	pause   *remotePause
	answers []state.Answer // one for each question
	results map[string]agui.Content
}

// collect returns everything that p waits for, or the pause that continues to wait.
func (p *remotePause) collect(t *Turn) (*delivery, error) {
	d := &delivery{pause: p, results: map[string]agui.Content{}}
	waits := &ask.Pause{}
	for _, q := range p.Questions {
		answer, open, err := q.answer(t)
		if err != nil {
			return nil, err
		}
		if open != nil {
			waits.Interrupts = append(waits.Interrupts, *open)
		}
		d.answers = append(d.answers, answer)
	}
	for _, c := range p.Calls {
		call, _ := t.frontendCall(c.Key)
		if d.results[c.ID] = call.Result; !call.Done {
			waits.Calls = append(waits.Calls, state.Call{ID: call.ID, Name: c.Name})
		}
	}
	if len(waits.Interrupts)+len(waits.Calls) > 0 {
		return nil, waits
	}
	return d, nil
}

// answer returns the answer, or the open question. If the asking agent could not see the deadline it is asked
// again, unless the remote's own deadline has passed: then the question is cancelled.
func (q *remoteQuestion) answer(t *Turn) (state.Answer, *ask.Interrupt, error) {
	for try := 1; ; try++ {
		key := tryKey(q.Key, try)
		given, ok, err := t.answered(key, q.question(key), try == 1)
		if err != nil {
			return state.Answer{}, nil, err
		}
		if !ok {
			return state.Answer{}, q.ask(t, key), nil
		}
		if !given.TimedOut || !q.Until.IsZero() && !time.Now().Before(q.Until) {
			return given, nil, nil
		}
	}
}

// question is the question as those see it who may answer for a person.
func (q *remoteQuestion) question(key string) Question {
	var value struct {
		Options json.RawMessage `json:"options"`
	}
	_ = exact.Unmarshal(q.Ask.Metadata["value"], &value) // a card of another shape has no options
	out := Question{
		Key: key, Reason: q.Ask.Reason, Message: q.Ask.Message, Schema: q.Ask.ResponseSchema,
		ToolCallID: q.Ask.ToolCallID,
	}
	if value.Options != nil {
		out.Options = value.Options
	}
	return out
}

func (q *remoteQuestion) ask(t *Turn, key string) *ask.Interrupt {
	i := &ask.Interrupt{Interrupt: q.Ask, Until: q.Until}
	i.ID = t.openQuestion(key, "")
	if q.Own {
		i.SubagentRunID = t.clientWriter.SubagentRunID()
	}
	return i
}

// deliverable reports whether the remote can be sent these answers. The legacy dialect cannot cancel a question without
// an id.
func (d *delivery) deliverable() bool {
	if d == nil || d.pause.Dialect != RemoteLegacy {
		return true
	}
	for i, q := range d.pause.Questions {
		if q.ID == "" && d.answers[i].Status == agui.ResumeCancelled {
			return false
		}
	}
	return true
}

// onlyCancels reports whether every question is cancelled.
func (d *delivery) onlyCancels() bool {
	return d != nil && len(d.pause.Questions) > 0 && !slices.ContainsFunc(d.answers, func(a state.Answer) bool {
		return a.Status != agui.ResumeCancelled
	})
}

func (d *delivery) resume() []agui.ResumeEntry {
	var list []agui.ResumeEntry
	for i, q := range d.pause.Questions {
		list = append(list,
			agui.ResumeEntry{InterruptID: q.ID, Status: d.answers[i].Status, Payload: d.answers[i].Payload})
	}
	return list
}

// command is the answers in the legacy dialect: a bare value to one question, entries to several that have ids, values
// in their order to several that have none.
func (d *delivery) command() (json.RawMessage, error) {
	var command struct {
		Resume json.RawMessage `json:"resume"`
		Event  json.RawMessage `json:"interruptEvent,omitempty"`
	}
	questions := d.pause.Questions
	var err error
	switch {
	case len(questions) == 1 && d.answers[0].Status == agui.ResumeResolved:
		command.Resume, command.Event = d.answers[0].Payload, questions[0].Event
	case questions[0].ID != "":
		command.Resume, err = json.Marshal(d.resume())
	default:
		values := make([]json.RawMessage, len(questions))
		for i := range questions {
			values[i] = d.answers[i].Payload
		}
		command.Resume, err = json.Marshal(values)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(command)
}
