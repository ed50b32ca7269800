package groupchat

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/model"
)

// historyPolicy returns the policy for requests in t: own, or that of the innermost team with one.
func (t *Turn) historyPolicy(own *history.Policy) history.Policy {
	for at := t; at != nil && own == nil; at = at.up {
		if at.chat != nil {
			own = at.chat.History
		}
	}
	return *cmp.Or(own, &history.Policy{})
}

// checkHistory reports each mistake of p.
func checkHistory(p *history.Policy, bad func(format string, args ...any)) {
	if joined, ok := p.Validate().(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			bad("%w", err)
		}
	}
}

// historyKey begins the keys of notes about requests.
const historyKey = "history/"

// newShortener returns the shortener of requests to m in t, which is nil outside of a run. Name is added to the path of
// the turn in the key of the note.
func newShortener(t *Turn, p history.Policy, m model.Model, name string) *history.Shortener {
	if summarise := p.Summarise; summarise != nil {
		p.Summarise = func(ctx context.Context, s history.Summary) (text string, err error) {
			err = protect(func() (err error) {
				text, err = summarise(ctx, s)
				return err
			})
			return text, err
		}
	}
	key := ""
	if t != nil {
		key = historyKey + t.identity() + name
	}
	return history.New(historyTurn{t}, p, m, key)
}

// historyTurn is a [history.Turn]. T is nil outside of a run: then nothing is kept.
type historyTurn struct{ t *Turn }

func (h historyTurn) Note(key string) json.RawMessage {
	if h.t == nil {
		return nil
	}
	return h.t.x.Notes.get(key)
}

func (h historyTurn) SetNote(key string, raw json.RawMessage) {
	if h.t != nil {
		h.t.x.Notes.set(key, raw)
	}
}

func (h historyTurn) Once(key string, summarise func() (history.Made, error)) (history.Made, error) {
	if h.t == nil {
		return summarise()
	}
	return recorded(h.t, modelKey+"summary/"+key, summarise)
}

func (h historyTurn) Call(ctx context.Context, m model.Model, r model.Request) (*model.Reply, error) {
	if err := Fence(ctx); err != nil {
		return nil, err
	}
	reply, err := callModel(ctx, &ModelCall{Turn: h.t, Purpose: ForSummary, Model: m, Request: r})
	if h.t != nil {
		if usageErr := h.t.x.addReply(reply); err == nil {
			err = usageErr
		}
	}
	return reply, err
}

func (h historyTurn) Warn(ctx context.Context, message string, err error) {
	if h.t != nil {
		h.t.x.Log.WarnContext(ctx, message, "turn", h.t.ID(), "error", err)
	}
}
