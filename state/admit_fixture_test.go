package state

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state/document"
)

// noon is the store's clock in these tests.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// A fixture is a thread with its related records.
type fixture struct {
	Thread  Thread                    `json:"thread"`
	Said    []saying                  `json:"messages"`
	Tokens  []Token                   `json:"tokens,omitempty"`
	Earlier []Run                     `json:"earlier,omitempty"`
	States  map[int64]json.RawMessage `json:"states,omitempty"` // by the revision that brought them
	Back    document.History          `json:"past,omitzero"`
}

// A saying is a message the thread has or had. The slot of one that is written down is its place in the list.
type saying struct {
	Message agui.Message `json:"message"`
	Slot    int          `json:"slot,omitempty"`
	Added   int64        `json:"added"`
	Left    int64        `json:"left,omitempty"`
	Run     uint64       `json:"run"`
}

func (s saying) stored() StoredMessage {
	m, err := NewStoredMessage(s.Message)
	if err != nil {
		panic(err)
	}
	m.Slot, m.Added, m.Run = s.Slot, s.Added, s.Run
	return m
}

// UnmarshalJSON reads a fixture as it is written down.
func (f *fixture) UnmarshalJSON(data []byte) error {
	type plain fixture
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	if f.Thread.Slots == 0 {
		for i := range f.Said {
			f.Said[i].Slot = i
		}
		f.Thread.Slots = len(f.Said)
	}
	return nil
}

func (f *fixture) Runs() []Run { return f.Earlier }

func (f *fixture) Past() document.History { return f.Back }

func (f *fixture) State(rev int64) json.RawMessage {
	for ; rev > 0; rev-- {
		if s, ok := f.States[rev]; ok {
			return s
		}
	}
	return nil
}

// in sets the state that the thread is in.
func (f *fixture) in(state string) *fixture {
	f.Thread.StateRev = max(f.Thread.Rev, 1)
	f.States = map[int64]json.RawMessage{f.Thread.StateRev: json.RawMessage(state)}
	return f
}

// state is the one that the thread is in.
func (f *fixture) state() string { return string(f.State(f.Thread.StateRev)) }

func (f *fixture) Messages() iter.Seq[StoredMessage] {
	return func(yield func(StoredMessage) bool) {
		for _, m := range slices.Backward(f.inSlots()) {
			if !yield(m) {
				return
			}
		}
	}
}

// inSlots is the conversation in the order of its slots.
func (f *fixture) inSlots() []StoredMessage {
	var list []StoredMessage
	for _, m := range f.Said {
		if m.Left == 0 {
			list = append(list, m.stored())
		}
	}
	slices.SortFunc(list, func(a, b StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return list
}

func (f *fixture) Known(id string) (Place, bool) {
	var place Place
	found := false
	for _, m := range f.Said {
		if m.Message.ID == id {
			stored := m.stored()
			place, found = stored.Place(), true
			place.Left = m.Left != 0
		}
	}
	return place, found
}

func (f *fixture) Token(id string) (Token, bool) {
	for _, token := range f.Tokens {
		if token.Interrupt.ID == id {
			return token, true
		}
	}
	return Token{}, false
}

// apply is what a store does with a transition.
func (f *fixture) apply(s *Transition) {
	for _, id := range s.Left {
		for i := range f.Said {
			if f.Said[i].Message.ID == id && f.Said[i].Left == 0 {
				f.Said[i].Left = s.Thread.Rev
			}
		}
	}
	for _, m := range s.Append {
		for i := range f.Said {
			if f.Said[i].Slot == m.Slot && f.Said[i].Left == 0 {
				f.Said[i].Left = s.Thread.Rev
			}
		}
		message, err := m.Message()
		if err != nil {
			panic(err)
		}
		f.Said = append(f.Said, saying{Message: message, Slot: m.Slot, Added: m.Added, Run: m.Run})
	}
	for _, token := range s.Tokens {
		found := false
		for i := range f.Tokens {
			if f.Tokens[i].Interrupt.ID == token.Interrupt.ID {
				f.Tokens[i], found = token, true
			}
		}
		if !found {
			f.Tokens = append(f.Tokens, token)
		}
	}
	if s.State != nil {
		f.States = maps.Clone(f.States)
		if f.States == nil {
			f.States = map[int64]json.RawMessage{}
		}
		f.States[s.Thread.StateRev] = s.State
	}
	if s.Mark != nil {
		f.Back = f.Back.With(s.Mark.Name, s.Mark.Undo)
	}
	if s.Ended != nil {
		f.Earlier = slices.Concat([]Run{*s.Ended}, f.Earlier)
	}
	f.Thread = *s.Thread
}

func (f *fixture) conversation() string {
	var ids []string
	for _, m := range NewConversation(f.inSlots()) {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}
