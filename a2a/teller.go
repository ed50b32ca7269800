package a2a

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A teller translates a run into events of AG-UI. It sends each item once, even if the agent repeats it.
type teller struct {
	r     client.Request
	state bool
	yield func(agui.Event, error) bool

	taskID string
	told   int // events so far
	texts  map[string]*text
	// files are the parts of artifacts and messages that are no text, by the id of the activity that shows them.
	files map[string][]any
	shown map[string]string // the content of each activity
	// data is what artifacts have of data, by their names.
	data  map[string]json.RawMessage
	step  string
	usage *agui.TokenUsage
}

// A text is the sent part of a message or an artifact.
type text struct {
	id   string // of the text message
	said strings.Builder
	join surrogate.Joiner
	open bool
	n    int // how often it was begun anew
}

func newTeller(r client.Request, state bool, yield func(agui.Event, error) bool) *teller {
	t := &teller{r: r, state: state, yield: yield, texts: map[string]*text{}, files: map[string][]any{},
		shown: map[string]string{}, data: map[string]json.RawMessage{}}
	for _, m := range r.Input.Messages {
		if m.Role == agui.RoleAssistant {
			s := &text{id: m.ID}
			s.said.WriteString(m.Content.Text())
			t.texts[m.ID] = s
		}
	}
	if state {
		_ = exact.Unmarshal(r.Input.State, &t.data) // any other value is replaced
	}
	return t
}

func (t *teller) emit(e agui.Event) error {
	t.told++
	if !t.yield(e, nil) {
		return client.ErrEnough
	}
	return nil
}

func (t *teller) used(list ...metadata) {
	for _, m := range list {
		if u := usageIn(m); u != nil {
			t.usage = u
		}
	}
}

func (t *teller) start() error {
	return t.emit(&agui.RunStarted{ThreadID: t.r.Input.ThreadID, RunID: t.r.Input.RunID,
		ProtocolVersion: agui.ProtocolVersion})
}

// enter tells of the state that the task is in, as a step while it works.
func (t *teller) enter(s taskState) error {
	if err := t.leave(); err != nil {
		return err
	}
	if s != stateSubmitted && s != stateWorking {
		return nil
	}
	t.step = string(s)
	return t.emit(&agui.StepStarted{StepName: t.step})
}

func (t *teller) leave() error {
	if t.step == "" {
		return nil
	}
	e := &agui.StepFinished{StepName: t.step}
	t.step = ""
	return t.emit(e)
}

func (t *teller) message(m *message) error {
	id := m.ID
	if id == "" {
		id = t.r.Input.RunID + "-" + strconv.Itoa(len(t.texts)+1)
	}
	if t.texts[id] != nil {
		return nil
	}
	t.texts[id] = &text{id: id}
	if said := textOf(m.Parts, "\n"); !t.wasSaid(said) {
		if err := t.say(t.texts[id], said, true); err != nil {
			return err
		}
	}
	return t.show(id+"/parts", "a2a.message", map[string]any{"messageId": m.ID}, shown(m.Parts))
}

// wasSaid reports whether an artifact of the task has just this text: agents say it again as they complete the task.
func (t *teller) wasSaid(said string) bool {
	for id, s := range t.texts {
		if t.taskID != "" && strings.HasPrefix(id, t.taskID+"/") && s.said.String() == said {
			return true
		}
	}
	return false
}

// artifact sends the new parts of an artifact. With more its parts are appended to the earlier ones; otherwise they are
// all of it.
func (t *teller) artifact(a *artifact, more, whole bool) error {
	id := t.taskID + "/" + a.ID
	s := t.texts[id]
	if s == nil {
		s = &text{id: id}
		t.texts[id] = s
	}
	said, before := textOf(a.Parts, ""), s.said.String()
	switch {
	case more, said == "":
	case strings.HasPrefix(said, before):
		said = said[len(before):]
	case strings.HasPrefix(before, said):
		said = "" // an older one
	default:
		if err := t.replace(s); err != nil {
			return err
		}
	}
	if err := t.say(s, said, whole); err != nil {
		return err
	}
	about := map[string]any{"artifactId": a.ID}
	for name, value := range map[string]string{"name": a.Name, "description": a.Description} {
		if value != "" {
			about[name] = value
		}
	}
	parts := shown(a.Parts)
	if more {
		parts = slices.Concat(t.files[id+"/parts"], parts)
	}
	if err := t.show(id+"/parts", "a2a.artifact", about, parts); err != nil {
		return err
	}
	return t.keep(a)
}

// replace begins a text anew, because the agent has replaced it. The sent part stays.
func (t *teller) replace(s *text) error {
	if err := t.close(s); err != nil {
		return err
	}
	s.n++
	s.id += "~" + strconv.Itoa(s.n)
	s.said.Reset()
	return nil
}

func (t *teller) say(s *text, piece string, whole bool) error {
	more := s.join.Add(surrogate.Text(piece))
	if more != "" {
		if !s.open {
			s.open = true
			if err := t.emit(&agui.TextMessageStart{MessageID: s.id, Role: agui.RoleAssistant}); err != nil {
				return err
			}
		}
		s.said.WriteString(more)
		if err := t.emit(&agui.TextMessageContent{MessageID: s.id, Delta: more}); err != nil {
			return err
		}
	}
	if whole {
		return t.close(s)
	}
	return nil
}

func (t *teller) close(s *text) error {
	if !s.open {
		return nil
	}
	s.open = false
	return t.emit(&agui.TextMessageEnd{MessageID: s.id})
}

// show shows parts that are no text, if they are others than before.
func (t *teller) show(id, kind string, about map[string]any, parts []any) error {
	if len(parts) == 0 {
		return nil
	}
	t.files[id] = parts
	about["parts"] = parts
	content, err := agui.Marshal(about)
	if err != nil {
		return &client.Error{Fault: client.FaultInvalid, Err: errEvent}
	}
	if t.shown[id] == string(content) {
		return nil
	}
	t.shown[id] = string(content)
	return t.emit(&agui.ActivitySnapshot{MessageID: id, ActivityType: kind, Content: content})
}

// keep puts the data of an artifact where the agent's state is.
func (t *teller) keep(a *artifact) error {
	var list []json.RawMessage
	for _, p := range a.Parts {
		if p.Data != nil {
			list = append(list, p.Data)
		}
	}
	if !t.state || len(list) == 0 {
		return nil
	}
	name := a.Name
	if name == "" {
		name = a.ID
	}
	value := list[0]
	if len(list) > 1 {
		value, _ = json.Marshal(list) // decoded values can be encoded
	}
	if string(t.data[name]) == string(value) {
		return nil
	}
	t.data = maps.Clone(t.data)
	if t.data == nil {
		t.data = map[string]json.RawMessage{}
	}
	t.data[name] = value
	snapshot, err := agui.Marshal(t.data)
	if err != nil {
		return &client.Error{Fault: client.FaultInvalid, Err: errEvent}
	}
	return t.emit(&agui.StateSnapshot{Snapshot: snapshot})
}

func (t *teller) settle() error {
	for _, id := range slices.Sorted(maps.Keys(t.texts)) {
		if err := t.close(t.texts[id]); err != nil {
			return err
		}
	}
	return t.leave()
}

func (t *teller) finish(outcome *agui.Outcome) error {
	if err := t.settle(); err != nil {
		return err
	}
	return t.emit(&agui.RunFinished{ThreadID: t.r.Input.ThreadID, RunID: t.r.Input.RunID, Outcome: outcome,
		Usage: t.usages()})
}

// fail ends the run with what the agent says of its failure.
func (t *teller) fail(code, message string) error {
	if err := t.settle(); err != nil {
		return err
	}
	return t.emit(&agui.RunError{Code: code, Message: message, Usage: t.usages()})
}

func (t *teller) usages() []agui.TokenUsage {
	if t.usage == nil {
		return nil
	}
	return []agui.TokenUsage{*t.usage}
}
