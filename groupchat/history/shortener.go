package history

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A note is the stored knowledge about requests to one model with a conversation, for this run and the next
// ones.
type note struct {
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

func (n *note) forget() { n.Through, n.Sum, n.Summary = "", "", "" }

// A Turn is the place where requests are made.
type Turn interface {
	// Note returns the note of an earlier request under key, nil if there is none; SetNote stores it, and removes it if
	// it is nil.
	Note(key string) json.RawMessage
	SetNote(key string, raw json.RawMessage)
	// Once returns the summary that is recorded under key, or makes and records it.
	Once(key string, summarise func() (Made, error)) (Made, error)
	// Call asks a model for a summary.
	Call(ctx context.Context, m model.Model, r model.Request) (*model.Reply, error)
	Warn(ctx context.Context, message string, err error)
}

// A Shortener keeps the requests of one turn to one model within a policy and the limits of the server.
type Shortener struct {
	t     Turn
	h     Policy
	model model.Model
	key   string // of its note
	// saved is for the next run. note is for this turn; it differs from saved while passing: messages without a summary
	// are omitted for this turn only.
	saved, note note
	passing     bool
	guessed     bool // a refusal was taken to be about the length
}

// New returns a Shortener for requests to m in t. Key is the key of its note.
func New(t Turn, h Policy, m model.Model, key string) *Shortener {
	s := &Shortener{t: t, h: h, model: m, key: key}
	if raw := t.Note(key); raw != nil {
		_ = json.Unmarshal(raw, &s.saved) // this package wrote it; without it the length is learned again
	}
	provider, known := model.Identify(m)
	if name := provider + "/" + known; s.saved.Model != name {
		s.saved.Model, s.saved.Limit, s.saved.Ratio = name, 0, 0
	}
	s.note = s.saved
	return s
}

// KeepsFirst reports whether the first turns of the caller always stay.
func (s *Shortener) KeepsFirst() bool { return s.h.KeepFirst > 0 }

func (s *Shortener) save() {
	if s.passing {
		s.saved.Limit, s.saved.Ratio = s.note.Limit, s.note.Ratio
	} else {
		s.saved = s.note
	}
	if n := s.saved; n.Through == "" && n.Limit == 0 && n.Ratio == 0 {
		s.t.SetNote(s.key, nil)
		return
	}
	raw, err := json.Marshal(s.saved)
	if err == nil {
		s.t.SetNote(s.key, raw)
	}
}

// sumOf is a hash of what a message says, by which one that was edited under its id is known.
func sumOf(m agui.Message) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, m.Content.Text())
	for _, c := range m.ToolCalls {
		_, _ = io.WriteString(h, c.Function.Name+c.Function.Arguments)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
