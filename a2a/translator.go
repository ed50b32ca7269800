package a2a

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A translator translates a run into events of AG-UI. It sends each item once, even if the agent repeats it.
type translator struct {
	*client.Writer
	r     client.Request
	state bool

	taskID string
	texts  map[string]*text
	// files are the parts of artifacts and messages that are no text, by the id of the activity that shows them.
	files map[string][]any
	shown map[string]string // the content of each activity
	// data is what artifacts have of data, by their names.
	data  map[string]json.RawMessage
	step  string
	usage []agui.TokenUsage
}

// A text is the sent part of a message or an artifact.
type text struct {
	*client.Message
	restarts int
}

func newTranslator(r client.Request, state bool, yield func(agui.Event, error) bool) *translator {
	t := &translator{Writer: r.Writer(yield), r: r, state: state, texts: map[string]*text{}, files: map[string][]any{},
		shown: map[string]string{}, data: map[string]json.RawMessage{}}
	for _, m := range r.Input.Messages {
		if m.Role == agui.RoleAssistant {
			t.texts[m.ID] = &text{Message: t.Message(m.ID, m.Content.Text())}
		}
	}
	if state {
		_ = exact.Unmarshal(r.Input.State, &t.data) // any other value is replaced
	}
	return t
}

// addUsage reads the usage in metadata. The last one counts.
func (t *translator) addUsage(list ...metadata) {
	for _, m := range list {
		if u := usageIn(m); u != nil {
			t.usage = []agui.TokenUsage{*u}
		}
	}
}

// enter sends the state of the task, as a step while it works.
func (t *translator) enter(s taskState) error {
	if err := t.leave(); err != nil {
		return err
	}
	if s != stateSubmitted && s != stateWorking {
		return nil
	}
	t.step = string(s)
	return t.Emit(&agui.StepStarted{StepName: t.step})
}

func (t *translator) leave() error {
	if t.step == "" {
		return nil
	}
	e := &agui.StepFinished{StepName: t.step}
	t.step = ""
	return t.Emit(e)
}

func (t *translator) message(m *message) error {
	id := m.ID
	if id == "" {
		id = t.r.Input.RunID + "-" + strconv.Itoa(len(t.texts)+1)
	}
	if t.texts[id] != nil {
		return nil
	}
	t.texts[id] = &text{Message: t.Message(id, "")}
	if said := textOf(m.Parts, "\n"); !t.wasSaid(said) {
		if err := t.texts[id].say(said, true); err != nil {
			return err
		}
	}
	return t.show(id+"/parts", "a2a.message", map[string]any{"messageId": m.ID}, shown(m.Parts))
}

// wasSaid reports whether an artifact of the task has just this text: agents say it again as they complete the task.
func (t *translator) wasSaid(said string) bool {
	for id, s := range t.texts {
		if t.taskID != "" && strings.HasPrefix(id, t.taskID+"/") && s.Text() == said {
			return true
		}
	}
	return false
}

// artifact sends the new parts of an artifact. With more its parts are appended to the earlier ones; otherwise they are
// all of it.
func (t *translator) artifact(a *artifact, more, whole bool) error {
	id := t.taskID + "/" + a.ID
	s := t.texts[id]
	if s == nil {
		s = &text{Message: t.Message(id, "")}
		t.texts[id] = s
	}
	said, before := textOf(a.Parts, ""), s.Text()
	switch {
	case more, said == "":
	case strings.HasPrefix(said, before):
		said = said[len(before):]
	case strings.HasPrefix(before, said):
		said = "" // an older one
	default:
		s.restarts++ // the agent has replaced it; the sent part stays
		if err := s.Restart(s.ID + "~" + strconv.Itoa(s.restarts)); err != nil {
			return err
		}
	}
	if err := s.say(said, whole); err != nil {
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

// say sends a piece of a text, which may split a character.
func (s *text) say(piece string, whole bool) error {
	err := s.Say(s.Join(piece))
	if err == nil && whole {
		err = s.Close()
	}
	return err
}

// show shows parts that are no text, if they are others than before.
func (t *translator) show(id, kind string, about map[string]any, parts []any) error {
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
	return t.Emit(&agui.ActivitySnapshot{MessageID: id, ActivityType: kind, Content: content})
}

// keep puts the data of an artifact where the agent's state is.
func (t *translator) keep(a *artifact) error {
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
	if t.data == nil {
		t.data = map[string]json.RawMessage{}
	}
	t.data[name] = value
	return t.State(t.data)
}

// end closes open items, and ends the run with its outcome, or as a failure with the code.
func (t *translator) end(outcome *agui.Outcome, code, message string) error {
	if err := t.Close(); err != nil {
		return err
	}
	if err := t.leave(); err != nil {
		return err
	}
	if outcome == nil {
		return t.Fail(code, message, t.usage)
	}
	return t.Finish(outcome, t.usage)
}
