package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// The keys under which a turn keeps, for each reply with open calls, the values before their predictions, and hashes of
// the was put there last.
const (
	placesKey = "predict/"
	putKey    = "/put"
)

// A predictedPlace is a place that a reply's predictions have changed.
type predictedPlace struct {
	// At is the pointer of the first change: the place, or an object on the way to it. Before is the old value; nothing
	// if there was nothing.
	At     string          `json:"at"`
	Before json.RawMessage `json:"before,omitempty"`
}

var errChangedElsewhere = errors.New("groupchat: somebody else has changed what is predicted")

// places are those of the reply that is recorded under key, and the predicted values.
func (r *llmRun) places(key string) (places map[string]predictedPlace, put map[string]string) {
	if len(r.Predict) == 0 {
		return nil, nil
	}
	places, known := r.placed[key]
	if raw, ok := r.t.memo(placesKey + key); ok && !known { // the old values may be large, and are read once
		_ = exact.Unmarshal(raw, &places) // it is of our own making; without it a prediction stays
		r.placed = with(r.placed, key, places)
	}
	if raw, ok := r.t.memo(placesKey + key + putKey); ok {
		_ = exact.Unmarshal(raw, &put)
	}
	return places, put
}

// keepPlaces records places of a reply, and whether they are others than before; none forgets them.
func (r *llmRun) keepPlaces(key string, places map[string]predictedPlace, others bool, put map[string]string) error {
	if len(places) == 0 {
		delete(r.placed, key)
		r.t.forget(placesKey+key, placesKey+key+putKey)
		return nil
	}
	if others {
		raw, err := json.Marshal(places)
		if err != nil {
			return err
		}
		r.placed = with(r.placed, key, places)
		r.t.remember(placesKey+key, raw)
	}
	raw, err := json.Marshal(put)
	if err == nil {
		r.t.remember(placesKey+key+putKey, raw)
	}
	return err
}

// put makes value the one at path, as a prediction of a reply. Nothing changes, and the place does not follow any more,
// if somebody else has changed it, or if it cannot be.
func (r *llmRun) put(key, path string, value json.RawMessage) error {
	r.t.x.keep.Lock() // a commit in between would keep the prediction and lose the old value
	defer r.t.x.keep.Unlock()
	places, put := r.places(key)
	place, began := places[path]
	if began && r.hashAt(place.At) != put[path] {
		return errChangedElsewhere
	}
	if !began {
		place = r.placeOf(path)
	}
	if err := r.replaceAt(path, value); err != nil {
		if !began {
			r.t.x.Log.Warn("groupchat: a prediction is left out", "turn", r.t.ID(), "path", path, "error", err)
		}
		return err
	}
	return r.keepPlaces(key, with(places, path, place), !began, with(put, path, r.hashAt(place.At)))
}

// revert makes the place what it was before the predictions of a reply, unless somebody else has changed it.
func (r *llmRun) revert(key, path string) {
	r.t.x.keep.Lock()
	defer r.t.x.keep.Unlock()
	places, put := r.places(key)
	place, began := places[path]
	if !began {
		return
	}
	if r.hashAt(place.At) == put[path] {
		op := agui.PatchOp{Op: "remove", Path: place.At}
		if place.Before != nil {
			op = agui.PatchOp{Op: "replace", Path: place.At, Value: place.Before}
		}
		if err := r.t.State().Apply(context.WithoutCancel(r.t.ctx), agui.Patch{op}); err != nil {
			r.t.x.Log.Warn("groupchat: a prediction stays", "turn", r.t.ID(), "path", path, "error", err)
		}
	}
	delete(places, path)
	delete(put, path)
	if err := r.keepPlaces(key, places, true, put); err != nil {
		r.t.x.Log.Warn("groupchat: a prediction is not forgotten", "turn", r.t.ID(), "path", path, "error", err)
	}
}

// placeOf finds what the first change of path makes.
func (r *llmRun) placeOf(path string) predictedPlace {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		raw, ok := r.t.State().Raw(path[:end])
		if !ok {
			return predictedPlace{At: path[:end]}
		}
		if string(raw) == "null" || end == len(path) {
			return predictedPlace{At: path[:end], Before: raw}
		}
	}
	return predictedPlace{At: path}
}

// replaceAt makes value the one at path, past the reducers where there is one.
func (r *llmRun) replaceAt(path string, value json.RawMessage) error {
	if _, ok := r.t.State().Raw(path); !ok {
		return r.t.State().Set(path, value)
	}
	return r.t.State().Apply(r.t.ctx, agui.Patch{{Op: "replace", Path: path, Value: value}})
}

func (r *llmRun) hashAt(pointer string) string {
	raw, ok := r.t.State().Raw(pointer)
	if !ok {
		return ""
	}
	return state.Hash(raw)
}

// withdraw makes every place what it was before the predictions of a reply.
func (r *llmRun) withdraw(key string) {
	places, _ := r.places(key)
	for _, path := range inReverse(places) {
		r.revert(key, path)
	}
}

// settlePredictions puts into every place of a reply the value of the last call that is to be made or was made, or the
// old value.
func (r *llmRun) settlePredictions(s *llmRound) {
	places, _ := r.places(s.key())
	for _, path := range inReverse(places) {
		value, ok := r.predicted(s, path)
		if !ok || r.put(s.key(), path, value) != nil {
			r.revert(s.key(), path)
		}
	}
}

// predictWhole puts the values of a complete reply's calls into their places.
func (r *llmRun) predictWhole(s *llmRound) {
	for _, c := range s.reply.Calls {
		for _, p := range r.predictionsOf(c.Name) {
			if value, ok := r.predicted(s, p.Path); !ok || r.put(s.key(), p.Path, value) != nil {
				r.revert(s.key(), p.Path)
			}
		}
	}
}

// inReverse are the paths of places, those further down first.
func inReverse(places map[string]predictedPlace) []string {
	paths := slices.Sorted(maps.Keys(places))
	slices.Reverse(paths)
	return paths
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
	if !ok || !approves(given) {
		return ""
	}
	_, edited, _, _ := readApproval(ask.Answer{Payload: given.Payload})
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
	_ = r.keepPlaces(s.key(), nil, true, nil) // forgetting cannot fail
}
