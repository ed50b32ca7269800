package groupchat

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/internal/partial"
	"github.com/agui-gateway/gateway/internal/exact"
)

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
