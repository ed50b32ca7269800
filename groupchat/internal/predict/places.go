package predict

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// The keys under which a turn keeps, for each reply with open calls, the values before their predictions, and hashes of
// the last predicted values.
const (
	PlacesKey = "predict/"
	putKey    = "/put"
)

// A Memo is what a turn remembers over pauses.
type Memo interface {
	Recall(key string) (json.RawMessage, bool)
	Remember(key string, value json.RawMessage)
	Forget(keys ...string)
}

// Places are the places in the state of a turn that predictions have changed, for each reply of its model. They are
// not safe for concurrent use, except with commits, which hold Lock.
type Places struct {
	Context context.Context // of the turn: it goes with changes of the state
	State   *document.Scope
	Memo    Memo
	Lock    sync.Locker // a commit during a change would keep the prediction and lose the old value
	Warn    func(message, path string, err error)

	known map[string]map[string]place // by the key of the reply
}

// A place is changed by a reply's predictions.
type place struct {
	// At is the pointer of the first change: the place, or an object on the way to it. Before is the old value; nothing
	// if there was nothing.
	At     string          `json:"at"`
	Before json.RawMessage `json:"before,omitempty"`
}

var errChangedElsewhere = errors.New("groupchat: a predicted value was changed by others")

// load returns the places of a reply, and the hashes of the predicted values.
func (p *Places) load(reply string) (places map[string]place, put map[string]string) {
	places, known := p.known[reply]
	if raw, ok := p.Memo.Recall(PlacesKey + reply); ok && !known { // the old values may be large, and are read once
		_ = exact.Unmarshal(raw, &places) // this package wrote it; without it a prediction stays
	}
	if raw, ok := p.Memo.Recall(PlacesKey + reply + putKey); ok {
		_ = exact.Unmarshal(raw, &put)
	}
	if places == nil {
		places = map[string]place{}
	}
	if put == nil {
		put = map[string]string{}
	}
	if p.known == nil {
		p.known = map[string]map[string]place{}
	}
	p.known[reply] = places
	return places, put
}

// save records the places of a reply, those of an earlier call again only if they have changed. No places are
// forgotten.
func (p *Places) save(reply string, places map[string]place, changed bool, put map[string]string) error {
	if len(places) == 0 {
		p.Forget(reply)
		return nil
	}
	if changed {
		raw, err := json.Marshal(places)
		if err != nil {
			return err
		}
		p.Memo.Remember(PlacesKey+reply, raw)
	}
	raw, err := json.Marshal(put)
	if err == nil {
		p.Memo.Remember(PlacesKey+reply+putKey, raw)
	}
	return err
}

// Forget forgets the old values of a reply: its predictions are final.
func (p *Places) Forget(reply string) {
	delete(p.known, reply)
	p.Memo.Forget(PlacesKey+reply, PlacesKey+reply+putKey)
}

// Put sets the value at path, as a prediction of a reply. If others have changed the place, or the value is refused,
// nothing changes and the place does not follow any more.
func (p *Places) Put(reply, path string, value json.RawMessage) error {
	p.Lock.Lock()
	defer p.Lock.Unlock()
	places, put := p.load(reply)
	at, began := places[path]
	if began && p.hash(at.At) != put[path] {
		return errChangedElsewhere
	}
	if !began {
		at = p.find(path)
	}
	if err := p.replace(path, value); err != nil {
		if !began {
			p.Warn("groupchat: a prediction is left out", path, err)
		}
		return err
	}
	places[path], put[path] = at, p.hash(at.At)
	return p.save(reply, places, !began, put)
}

// Settle sets each place of a reply to its final value, those further down first. A place without one gets the value
// from before the predictions.
func (p *Places) Settle(reply string, value func(path string) (json.RawMessage, bool)) {
	places, _ := p.load(reply)
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(places))) {
		final, ok := value(path)
		p.SettleAt(reply, path, final, ok)
	}
}

// SettleAt sets one place to its final value; without one, it gets the value from before the predictions.
func (p *Places) SettleAt(reply, path string, value json.RawMessage, ok bool) {
	if !ok || p.Put(reply, path, value) != nil {
		p.revert(reply, path)
	}
}

// revert sets the place to the value from before the predictions of a reply, unless others have changed it.
func (p *Places) revert(reply, path string) {
	p.Lock.Lock()
	defer p.Lock.Unlock()
	places, put := p.load(reply)
	at, began := places[path]
	if !began {
		return
	}
	if p.hash(at.At) == put[path] {
		op := agui.PatchOp{Op: "remove", Path: at.At}
		if at.Before != nil {
			op = agui.PatchOp{Op: "replace", Path: at.At, Value: at.Before}
		}
		if err := p.State.Apply(context.WithoutCancel(p.Context), agui.Patch{op}); err != nil {
			p.Warn("groupchat: a prediction stays", path, err)
		}
	}
	delete(places, path)
	delete(put, path)
	if err := p.save(reply, places, true, put); err != nil {
		p.Warn("groupchat: a prediction is not forgotten", path, err)
	}
}

// find returns the place that the first change of path makes.
func (p *Places) find(path string) place {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		raw, ok := p.State.Raw(path[:end])
		if !ok {
			return place{At: path[:end]}
		}
		if string(raw) == "null" || end == len(path) {
			return place{At: path[:end], Before: raw}
		}
	}
	return place{At: path}
}

// replace sets the value at path; where there is one already, without reducers.
func (p *Places) replace(path string, value json.RawMessage) error {
	if _, ok := p.State.Raw(path); !ok {
		return p.State.Set(path, value)
	}
	return p.State.Apply(p.Context, agui.Patch{{Op: "replace", Path: path, Value: value}})
}

func (p *Places) hash(pointer string) string {
	raw, ok := p.State.Raw(pointer)
	if !ok {
		return ""
	}
	return state.Hash(raw)
}
