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

// Estimates of the parts of a request.
const (
	bytesPerToken    = 3
	tokensPerMessage = 4
	tokensPerMedium  = 1000
)

func tokensOf(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// messageTokens estimates how many tokens a message is. Of media it is not the bytes that count.
func messageTokens(m *model.Message) int {
	n := tokensPerMessage + tokensOf(m.Text) + tokensOf(m.Reasoning)
	for _, c := range m.Calls {
		n += tokensPerMessage + tokensOf(c.Name) + tokensOf(c.Arguments)
	}
	for _, p := range m.Parts {
		if p.Type != agui.PartText {
			n += tokensPerMedium
		}
	}
	return n
}

// requestTokens estimates how many tokens a request is.
func requestTokens(r *model.Request) int {
	n := tokensOf(string(r.Schema))
	for _, t := range r.Tools {
		n += tokensPerMessage + tokensOf(t.Name) + tokensOf(t.Description) + tokensOf(string(t.Parameters))
	}
	for i := range r.Messages {
		n += messageTokens(&r.Messages[i])
	}
	return n
}

// ratio is how many tokens an estimated one is: as the history's function says, or the server has shown.
func (s *Shortener) ratio(r *model.Request) float64 {
	if s.h.Count != nil {
		return min(max(float64(s.h.Count(*r))/float64(max(requestTokens(r), 1)), leastRatio), mostRatio)
	}
	if s.note.Ratio > 0 {
		return s.note.Ratio
	}
	return 1
}

// limit is how long a request may be, in estimated tokens; 0 means that there is none.
func (s *Shortener) limit(r *model.Request) int {
	limit := s.note.Limit
	if s.h.Tokens > 0 {
		estimate := max(int(float64(s.h.Tokens)/s.ratio(r)), 1)
		if limit == 0 || estimate < limit {
			limit = estimate
		}
	}
	return limit
}

// The limits of the correction of estimates: ratios beyond say nothing of the text.
const (
	leastRatio, mostRatio = 0.25, 4
	ratioMoves            = 0.1 // a smaller difference is not noted
)

// correct learns from what a server says about how long a request was.
func (s *Shortener) correct(r *model.Request, used agui.TokenUsage) {
	if s.h.Count != nil || s.h.Tokens == 0 || used.InputTokens == nil || *used.InputTokens <= 0 {
		return
	}
	ratio := min(max(float64(*used.InputTokens)/float64(max(requestTokens(r), 1)), leastRatio), mostRatio)
	was := s.note.Ratio
	if was == 0 {
		was = 1
	}
	if ratio < was*(1-ratioMoves) || ratio > was*(1+ratioMoves) {
		s.note.Ratio = ratio
	}
}
