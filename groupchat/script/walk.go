package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A walk takes the steps of one turn. What a step has done is remembered under the step's place, so that a turn that is
// entered again does it once.
type walk struct {
	t     *groupchat.Turn
	taken int            // steps so far, for their bound
	turns map[string]int // of other agents, by name
	last  json.RawMessage
}

// errTooLong ends a script that takes more steps than it may.
var errTooLong = fmt.Errorf("script: takes more than %d steps in a turn", maxSteps)

// steps takes steps in order. Below says where they are: the place of the step that they are in, and in which elements
// of lists. It reports whether the script is over.
func (w *walk) steps(steps []Step, below place, v values) (over bool, err error) {
	for i := range steps {
		if w.taken++; w.taken > maxSteps {
			return true, errTooLong
		}
		over, err := w.take(&steps[i], below.step(i), v)
		if over || err != nil {
			return over, err
		}
	}
	return false, nil
}

// A place is where a step is: key names it in the turn, items are the elements of the lists around it.
type place struct{ key, items string }

// top is where the steps of a script are that are in no other.
var top = place{key: "step/"}

func (p place) step(i int) place { return place{p.key + strconv.Itoa(i), p.items} }

func (p place) in(branch string) place { return place{p.key + "/" + branch + "/", p.items} }

func (p place) element(i int) place {
	return place{p.key + "/each/" + strconv.Itoa(i) + "/", p.items + "/" + strconv.Itoa(i)}
}

func (w *walk) take(s *Step, at place, v values) (over bool, err error) {
	switch {
	case s.Ask != nil:
		return w.ask([]Ask{*s.Ask}, at, v)
	case len(s.AskMany) > 0:
		return w.ask(s.AskMany, at, v)
	case s.Set != nil:
		return false, w.once(at.key, func() error { return s.Set.write(w.t.State(), v) })
	case s.Tool != nil:
		content, err := w.t.CallTool(at.key, s.Tool.Name, v.fill(s.Tool.Arguments))
		if err != nil {
			return false, err
		}
		return false, w.learn(v, s.Tool.Name, content.Text())
	case s.Call != nil:
		return false, w.call(s.Call, v)
	case s.Sleep > 0:
		return false, w.once(at.key, func() error { return w.t.Sleep(s.Sleep) })
	case s.Fail != nil:
		return true, s.Fail.err(v)
	case s.When != nil:
		return w.when(s.When, at, v)
	case s.Each != nil:
		return w.each(s.Each, at, v)
	default:
		return false, groupchat.SayOnce(w.t, at.key, v.text(s.Say))
	}
}

// once does f unless the turn remembers under key that it did.
func (w *walk) once(key string, f func() error) error {
	if _, done := w.t.Recall(key); done {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	w.t.Remember(key, json.RawMessage("true"))
	return nil
}

func (w *walk) learn(v values, key, text string) error {
	raw, err := json.Marshal(text)
	w.last = state.Canonical(raw)
	v.learn(key, w.last)
	return err
}

func (w *walk) call(c *Call, v values) error {
	w.turns[c.Name]++
	o := groupchat.InvokeOptions{N: w.turns[c.Name]}
	if c.Query != "" {
		o.Input = []groupchat.Message{{Role: agui.RoleUser, Content: agui.TextContent(v.text(c.Query))}}
	}
	reply, err := w.t.Invoke(c.Name, c.Agent, o)
	if err != nil {
		return err
	}
	return w.learn(v, c.Name, reply.Text())
}

// when takes one of two branches. What the condition saw may have changed when the turn is entered again, so the
// decision is remembered.
func (w *walk) when(c *When, at place, v values) (over bool, err error) {
	raw, decided := w.t.Recall(at.key)
	if !decided {
		raw = json.RawMessage(strconv.FormatBool(c.holds(w.t, v)))
		w.t.Remember(at.key, raw)
	}
	if string(raw) == "true" {
		return w.steps(c.Then, at.in("then"), v)
	}
	return w.steps(c.Else, at.in("else"), v)
}

func (c *When) holds(t *groupchat.Turn, v values) bool {
	if c.If == nil {
		return string(state.Canonical(v.raw(c.Value))) == string(state.Canonical(v.raw(c.Equals)))
	}
	view := t.View()
	view.State = t.State()
	return c.If(view)
}

// each takes the steps for each element of a list; other values have none.
func (w *walk) each(e *Each, at place, v values) (over bool, err error) {
	var list []json.RawMessage
	if json.Unmarshal(v.raw(e.In), &list) != nil {
		return false, nil
	}
	if len(list) > maxSteps {
		return true, errTooLong
	}
	for i, item := range list {
		if over, err := w.steps(e.Do, at.element(i), v.at(i, item)); over || err != nil {
			return over, err
		}
	}
	return false, nil
}

func (s *Set) write(to *document.Scope, v values) error {
	path, err := v.path(s.Path)
	if err != nil {
		return err
	}
	value := v.fill(s.Value)
	if !s.Merge {
		return to.Set(path, value)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return fmt.Errorf("script: set %s: what is merged is no object", path)
	}
	switch had, ok := to.Raw(path); {
	case !ok || string(had) == "null":
		return to.Set(path, json.RawMessage(raw))
	case had[0] != '{':
		return fmt.Errorf("script: set %s: what is there is no object to merge with", path)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := to.Set(path+document.Pointer(name), members[name]); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fail) err(v values) error {
	code := errcode.Code(f.Code)
	if code == "" {
		code = errcode.AgentFailed
	}
	return &errcode.Error{Code: code, Text: v.text(f.Message), Err: errFail}
}

var errFail = errors.New("script: a step fails the run")
