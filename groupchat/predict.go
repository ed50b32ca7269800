package groupchat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
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

// PredictState is the name of the CUSTOM event that announces predictions, known from LangGraph's integration. See
// [LLM.PredictEvent].
const PredictState = "PredictState"

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
	return s.r.t.out.Emit(&agui.Custom{Name: PredictState, Value: raw})
}
