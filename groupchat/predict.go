package groupchat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/internal/predict"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
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

// maxPredictions is how many predictions an agent may have.
const maxPredictions = 16

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

// A followed is a call of a reply that is still being written.
type followed struct {
	read int // bytes of its arguments
	by   []*predict.Follower
}

// follow reads the arguments of call i as people see them now, and lets the state follow.
func (s *speaker) follow(i int, name string) {
	if len(s.r.Predict) == 0 {
		return
	}
	c := s.follows[i]
	if c == nil {
		c = &followed{}
		for _, p := range s.r.predictionsOf(name) {
			c.by = append(c.by, predict.NewFollower(p.Path, p.Argument))
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
		if raw, ok := f.Read(rest); ok && s.r.places.Put(s.key, f.Path, raw) != nil {
			f.Stop()
		}
	}
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

// newPlaces returns the places that predictions of the turn change.
func newPlaces(t *Turn) *predict.Places {
	return &predict.Places{Context: t.ctx, State: t.State(), Memo: turnMemo{t}, Lock: &t.x.keep,
		Warn: func(message, path string, err error) {
			t.x.Log.Warn(message, "turn", t.ID(), "path", path, "error", err)
		}}
}

// A turnMemo is a [predict.Memo].
type turnMemo struct{ t *Turn }

func (m turnMemo) Recall(key string) (json.RawMessage, bool)  { return m.t.memo(key) }
func (m turnMemo) Remember(key string, value json.RawMessage) { m.t.remember(key, value) }
func (m turnMemo) Forget(keys ...string)                      { m.t.forget(keys...) }

// withdraw sets every place to the value from before the predictions of a reply.
func (r *llmRun) withdraw(key string) {
	if len(r.Predict) > 0 {
		r.places.Settle(key, func(string) (json.RawMessage, bool) { return nil, false })
	}
}

// settlePredictions sets every place of a reply to the value of the last call that is to be made or was made, or to the
// old value.
func (r *llmRun) settlePredictions(s *llmRound) {
	r.places.Settle(s.key(), func(path string) (json.RawMessage, bool) { return r.predicted(s, path) })
}

// predictWhole sets the places of a complete reply's calls to the values of the calls.
func (r *llmRun) predictWhole(s *llmRound) {
	for _, c := range s.reply.Calls {
		for _, p := range r.predictionsOf(c.Name) {
			value, ok := r.predicted(s, p.Path)
			r.places.SettleAt(s.key(), p.Path, value, ok)
		}
	}
}

// predicted is the value that a reply's calls have for a place.
func (r *llmRun) predicted(s *llmRound, path string) (value json.RawMessage, ok bool) {
	for i, c := range s.reply.Calls {
		if s.unmade[i] {
			continue
		}
		for _, p := range r.predictionsOf(c.Name) {
			if p.Path != path {
				continue
			}
			if v, there := argumentOf(r.finalArguments(s, i), p.Argument); there {
				value, ok = v, true
			}
		}
	}
	return value, ok
}

// finalArguments are the arguments of a call: those that a person has put in the place of the model's, or the model's
// as people see them.
func (r *llmRun) finalArguments(s *llmRound, i int) string {
	if edited := r.editedArguments(s, i); edited != "" {
		return edited
	}
	arguments, _ := r.shownArguments(s.shown.Calls[i])
	return arguments
}

// editedArguments are a person's arguments for a call; empty if there are none.
func (r *llmRun) editedArguments(s *llmRound, i int) string {
	given, ok := r.t.answer(approvalKey + s.callKey(i))
	if !ok || !approval.Given(given) {
		return ""
	}
	_, edited, _, _ := approval.Read(ask.Answer{Payload: given.Payload})
	if !strings.HasPrefix(string(edited), "{") {
		return ""
	}
	return string(edited)
}

// notePrepared lets the predictions of a reply know what becomes of call i, before its tool works: settled without
// having been made, or made with other arguments.
func (r *llmRun) notePrepared(s *llmRound, i int, settled settledCall, work bool) {
	if len(r.Predict) == 0 {
		return
	}
	unmade := !work && settled.result != nil && settled.err == nil && !r.recorded(s.callKey(i)) &&
		(!settled.known || rejected(settled.result))
	if unmade {
		s.unmade = with(s.unmade, i, true)
	}
	if unmade || r.editedArguments(s, i) != "" {
		r.settlePredictions(s)
	}
}

// noteOutcome updates the predictions of a reply with the result of call i: a call that failed has done nothing. A tool
// that works in the turn may have let a person say no, with a tool of the page.
func (r *llmRun) noteOutcome(s *llmRound, i int, got settledCall) {
	if len(r.Predict) == 0 {
		return
	}
	tool := r.tools.byName[s.reply.Calls[i].Name].tool
	inTurn := tool != nil && tool.Turn != nil && tool.agent == nil
	if got.err != nil ||
		got.result != nil && (got.result.Metadata[failedMeta] != nil || inTurn && rejected(got.result)) {
		s.unmade = with(s.unmade, i, true)
	}
}

// rejected reports whether the result of a tool of the page says that a person rejected the proposal, as the pages of
// CopilotKit do: an object with accepted, or approved, false. A call without an answer counts as rejected.
func rejected(result *tools.Result) bool {
	var said struct {
		Accepted *bool `json:"accepted"`
		Approved *bool `json:"approved"`
	}
	text := result.Content.Text()
	if text == state.NotAnswered {
		return true
	}
	if exact.Unmarshal([]byte(text), &said) != nil {
		return false
	}
	return said.Accepted != nil && !*said.Accepted || said.Approved != nil && !*said.Approved
}

// endPredictions ends those of a reply after its calls have ended: with err, those without a result were not made.
// While calls wait, the state shows what they are to be made with.
func (r *llmRun) endPredictions(s *llmRound, err error) {
	if len(r.Predict) == 0 || ask.PauseOf(err) != nil {
		return
	}
	if err != nil {
		for i := range s.reply.Calls {
			if _, ended := s.results[i]; !ended {
				s.unmade = with(s.unmade, i, true)
			}
		}
	}
	if len(s.unmade) > 0 {
		r.settlePredictions(s)
	}
	r.places.Forget(s.key())
}
