package groupchat

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/agui-gateway/gateway/model"
)

// A historyNote is the stored knowledge about requests to one model with a conversation, for this run and the next
// ones.
type historyNote struct {
	// Through is the last omitted message, and Sum a hash of it; empty: none is omitted.
	Through string `json:"through,omitempty"`
	Sum     string `json:"sum,omitempty"`
	// Summary replaces the omitted messages.
	Summary string `json:"summary,omitempty"`
	// Model is the one that Limit and Ratio are about. Limit is the estimated length of a request that is not too long
	// yet, if a longer one was refused; Ratio how many tokens an estimated one is.
	Model string  `json:"model,omitempty"`
	Limit int     `json:"limit,omitempty"`
	Ratio float64 `json:"ratio,omitempty"`
	// clip is the limit of a tool's result in this turn, in bytes, if nothing else could be omitted.
	clip int
}

func (n *historyNote) forget() { n.Through, n.Sum, n.Summary = "", "", "" }

// A shortener keeps the requests of one turn to one model within what a history says, and the server takes.
type shortener struct {
	t     *Turn // nil outside of a run
	h     History
	model model.Model
	key   string // of its note
	// saved is what the next run finds. note is what holds now, which differs while passing: what could not be
	// summarised is left out for this turn.
	saved, note historyNote
	passing     bool
	guessed     bool // a refusal was taken to be about the length
}

// historyKey begins the keys of notes.
const historyKey = "history/"

// newShortener makes that of a model that is asked in t, for what name adds to the path of the turn.
func newShortener(t *Turn, h History, m model.Model, name string) *shortener {
	s := &shortener{t: t, h: h, model: m}
	if t == nil {
		return s
	}
	s.key = historyKey + t.identity() + name
	if raw := t.x.Notes.get(s.key); raw != nil {
		_ = json.Unmarshal(raw, &s.saved) // it is of our own making, and one can do without
	}
	provider, known := model.Identify(m)
	if name := provider + "/" + known; s.saved.Model != name {
		s.saved.Model, s.saved.Limit, s.saved.Ratio = name, 0, 0
	}
	s.note = s.saved
	return s
}

func (s *shortener) save() {
	if s.passing {
		s.saved.Limit, s.saved.Ratio = s.note.Limit, s.note.Ratio
	} else {
		s.saved = s.note
	}
	if s.t == nil {
		return
	}
	if n := s.saved; n.Through == "" && n.Limit == 0 && n.Ratio == 0 {
		s.t.x.Notes.set(s.key, nil)
		return
	}
	raw, err := json.Marshal(s.saved)
	if err == nil {
		s.t.x.Notes.set(s.key, raw)
	}
}

// sumOf is a hash of what a message says, by which one that was edited under its id is known.
func sumOf(m Message) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, m.Content.Text())
	for _, c := range m.ToolCalls {
		_, _ = io.WriteString(h, c.Function.Name+c.Function.Arguments)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
