package groupchat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/internal/partial"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state/document"
)

// A Prediction lets a place in the state follow an argument of a tool's calls while the model writes them, so that
// people see a document as it is written. The state changes in steps that grow with the value, not with each piece of
// the stream. When the call is complete, it has the whole value; if the reply breaks off, or the call is not made or
// fails (its arguments do not fit, there is no such tool, a person or a hook says no, the result of a tool of the
// client is an object with accepted or approved false), it is again what it was before, unless somebody else has
// changed it meanwhile. Arguments that a person has edited take the place of the model's.
//
// The followed arguments are those that people see, behind the filters of [Hooks.Stream]. Places that the agent may not
// write do not follow. Reducers are passed over: a prediction replaces.
type Prediction struct {
	// Tool is the name of a tool, of the agent's own, of a source's or of the client's. An agent that has none of that
	// name follows nothing.
	Tool string
	// Argument is the argument's name; empty means all arguments, as one object.
	Argument string
	// Path is the JSON Pointer of the place.
	Path string
}

// The bounds of predictions.
const (
	maxPredictions = 16
	// maxPredicted is the limit of a followed value, in bytes. A longer one is in the state when the call is complete.
	maxPredicted = 256 << 10
	// The state changes when the value has grown by so many bytes, or by this part of itself if that is more. The
	// changes of a value add up to some ten times its length.
	predictedStep, predictedPart = 24, 8
)

// predictStateEvent is the name of the CUSTOM event that announces predictions, known from LangGraph's integration. See
// [LLM.PredictEvent].
const predictStateEvent = "PredictState"

// checkPredictions reports mistakes in an agent's predictions.
func (a *LLM) checkPredictions(bad func(format string, args ...any)) {
	if len(a.Predict) > maxPredictions {
		bad("has %d predictions, more than %d", len(a.Predict), maxPredictions)
	}
	for i, p := range a.Predict {
		if p.Tool == "" {
			bad("prediction %d names no tool", i+1)
		}
		if p.Path == "" || document.CheckPointer(p.Path) != nil || strings.HasSuffix(p.Path, "/-") ||
			strings.Contains(p.Path, "/-/") {
			bad("prediction %d is for %q, which is not the pointer of a member", i+1, p.Path)
		}
		for _, other := range a.Predict[:i] {
			if other.Tool == p.Tool && other.Path == p.Path {
				bad("%q is predicted twice by calls of %q", p.Path, p.Tool)
			}
		}
	}
}

// predictionsOf are those of a tool, by the name that the model knows it by.
func (r *llmRun) predictionsOf(name string) (list []Prediction) {
	if len(r.Predict) == 0 {
		return nil
	}
	o, offered := r.tools.byName[name]
	for _, p := range r.Predict {
		if offered && o.handoff == "" && (p.Tool == o.name || o.tool != nil && o.tool.named(p.Tool)) {
			list = append(list, p)
		}
	}
	return list
}

// predictEvent announces the predictions of a reply once, before the first call with followed arguments.
func (s *speaker) predictEvent() error {
	if !s.r.PredictEvent || s.announced {
		return nil
	}
	type mapping struct {
		StateKey string `json:"state_key"`
		Tool     string `json:"tool"`
		Argument string `json:"tool_argument"`
	}
	var list []mapping
	for name := range s.r.tools.byName {
		for _, p := range s.r.predictionsOf(name) {
			// A page puts the value under a key of the state itself: a place further down it cannot predict.
			if key := p.Path[1:]; !strings.Contains(key, "/") && p.Argument != "" {
				list = append(list, mapping{strings.NewReplacer("~1", "/", "~0", "~").Replace(key),
					s.r.tools.toolName(name), p.Argument})
			}
		}
	}
	s.announced = true
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b mapping) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), strings.Compare(a.StateKey, b.StateKey))
	})
	raw, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return s.r.t.out.Emit(&agui.Custom{Name: predictStateEvent, Value: raw})
}

// A follower lets one place follow one call of a reply that is coming.
type follower struct {
	Prediction
	value *partial.Value
	next  int  // from how many bytes of the value on the state changes again
	off   bool // the state does not follow until the call is complete
}

// A followed is a call of a reply that is coming.
type followed struct {
	read int // bytes of its arguments
	by   []*follower
}

// follow reads what people see now of the arguments of call i, and lets the state follow.
func (s *speaker) follow(i int, name string) {
	if len(s.r.Predict) == 0 {
		return
	}
	c := s.follows[i]
	if c == nil {
		c = &followed{}
		for _, p := range s.r.predictionsOf(name) {
			c.by = append(c.by, &follower{Prediction: p, value: partial.New(p.Argument), next: 1})
		}
		s.follows = with(s.follows, i, c)
	}
	if len(c.by) == 0 {
		return
	}
	arguments, _ := s.r.shownArguments(s.shown.Calls[i])
	rest := arguments[c.read:]
	c.read = len(arguments)
	for _, f := range c.by {
		f.read(rest)
		if raw, ok := f.due(); ok && s.r.put(s.key, f.Path, raw) != nil {
			f.off = true
		}
	}
}

// read reads more. Text that is no JSON, or nests too deeply, is not followed.
func (f *follower) read(rest string) {
	if !f.off && (f.value.Write(rest) != nil || f.value.Len() > maxPredicted) {
		f.off = true
	}
}

// due returns the known part of the value if it has grown enough.
func (f *follower) due() (json.RawMessage, bool) {
	size := f.value.Len()
	if f.off || size < f.next && !f.value.Ended() || size == 0 {
		return nil, false
	}
	if f.value.Ended() && f.next > size {
		return nil, false // it was complete before
	}
	raw, ok := f.value.JSON()
	if ok {
		f.next = size + max(predictedStep, size/predictedPart)
	}
	return raw, ok
}

// shownArguments are the arguments of a call as people see them.
func (r *llmRun) shownArguments(call string) (arguments string, ok bool) {
	for _, in := range []*run.Run{r.t.run, r.t.x.Run} {
		in.Inspect(func(v *run.View) { arguments, ok = v.Arguments(call) })
		if ok {
			return arguments, true
		}
	}
	return "", false
}

// argumentOf is an argument of a call, all of them as an object if it has no name.
func argumentOf(arguments, name string) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if exact.Unmarshal([]byte(arguments), &members) != nil || members == nil {
		return nil, false
	}
	if name == "" {
		return json.RawMessage(arguments), true
	}
	raw, ok := members[name]
	return raw, ok
}
