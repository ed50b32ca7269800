package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
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
			err = failure.Protect(func() (err error) {
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
	return h.t.x.Notes.Get(key)
}

func (h historyTurn) SetNote(key string, raw json.RawMessage) {
	if h.t != nil {
		h.t.x.Notes.Set(key, raw)
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
	reply, err := callModel(ctx, &ModelCall{Turn: h.t, Purpose: model.ForSummary, Model: m, Request: r})
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

// forgotten are the replies that made a try of a turn fail. A retry that found them again would fail again; it asks the
// model for others instead, and requests omit the messages. The effects of its tools stay, and the model knows them.
type forgotten struct {
	// Replies are the numbers they were recorded under, which are not used again: a takeover finds the records.
	Replies []int `json:"replies,omitempty"`
	// Rounds are the rounds of tools that earlier tries took.
	Rounds int `json:"rounds,omitempty"`
}

// forgottenKey is where a turn keeps them.
const forgottenKey = "llm/forgotten"

func recallForgotten(t *Turn) (f forgotten, err error) {
	raw, ok := t.memo(forgottenKey)
	if !ok {
		return f, nil
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", t.Path(), forgottenKey, err))
	}
	return f, nil
}

func (r *llmRun) next() int {
	n := 0
	if len(r.rounds) > 0 {
		n = r.rounds[len(r.rounds)-1].n + 1
	}
	for slices.Contains(r.past.Replies, n) {
		n++
	}
	return n
}

// forgetWords forgets the replies that called for nothing, because none of them was accepted.
func (r *llmRun) forgetWords() error {
	var words []*llmRound
	for _, s := range r.rounds {
		if len(s.reply.Calls) == 0 {
			words = append(words, s)
		}
	}
	return r.forget(words...)
}

// forgetCalls forgets s, with calls that exceeded the rounds, and gives the next try rounds more.
func (r *llmRun) forgetCalls(s *llmRound, rounds int) error {
	r.past.Rounds += rounds
	return r.forget(s)
}

func (r *llmRun) forget(rounds ...*llmRound) error {
	for _, s := range rounds {
		r.past.Replies = append(r.past.Replies, s.n)
		r.discardMessages(s.shown)
	}
	raw, err := json.Marshal(r.past)
	if err != nil {
		return err
	}
	r.t.remember(forgottenKey, raw)
	return nil
}

// recall keeps what the agent thought in an earlier turn until the message it belongs to, the agent's next, has come,
// if its model wants that back.
func (h *transcript) recall(m Message) {
	switch {
	case m.Role == agui.RoleReasoning && model.Echoes(h.r.Model):
		if h.name == "" && m.SubagentRunID == "" || m.SubagentRunID != "" && h.own[m.SubagentRunID] {
			h.thought += m.Content.Text()
		}
	case m.Role == agui.RoleUser || m.Role == agui.RoleTool:
		h.thought = ""
	}
}

// The limits of a result in one request, and of one reading of it.
const (
	llmMaxResult  = 64 << 10
	resultMatches = 20 // places that are found in a result at once
	matchContext  = 80 // bytes on each side of one
)

// readResult is the tool by which a model reads the omitted part of a result.
const readResult = "read_result"

var readResultSchema = json.RawMessage(`{"type":"object","required":["call"],"additionalProperties":false,` +
	`"properties":{` +
	`"call":{"type":"string","description":"which result, as it was told where it was cut"},` +
	`"offset":{"type":"integer","minimum":0,"description":"from which byte on"},` +
	`"search":{"type":"string","minLength":1,"description":"instead: the places from offset on that have this text"}}}`)

// resultLimit is the limit of a result in a request, in bytes.
func (a *LLM) resultLimit() int {
	if a.MaxResult > 0 {
		return a.MaxResult
	}
	return llmMaxResult
}

// readsResults reports whether requests may have less of a result than is kept: then there is a tool for the rest.
func (r *llmRun) readsResults(tools llmTools) bool {
	if r.MaxResult > 0 {
		return true
	}
	for _, o := range tools.byName {
		if o.tool != nil && o.tool.most() > llmMaxResult {
			return true
		}
	}
	return false
}

// resultTool reads results of the agent's own calls, those included that requests omit, for as long as they are in the
// conversation.
func (r *llmRun) resultTool() *Tool {
	return &Tool{
		Name: readResult, Description: "Reads on in the result of a call that was told you in part, or searches in it.",
		Parameters: readResultSchema, Approve: tools.ApproveNever, MaxResult: r.resultLimit() + history.LeastResult,
		Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
			var in struct {
				Call, Search string
				Offset       int
			}
			if err := exact.Unmarshal(c.Arguments, &in); err != nil {
				return tools.Result{}, err
			}
			text, ok := r.wholeResult(in.Call)
			switch {
			case !ok:
				return tools.Result{}, &tools.Error{Text: "There is no result of such a call."}
			case in.Offset >= len(text):
				return tools.Text(fmt.Sprintf("[The result has %d bytes.]", len(text))), nil
			case in.Search != "":
				return tools.Text(found(text, in.Search, in.Offset, r.resultLimit())), nil
			}
			rest := strings.ToValidUTF8(text[in.Offset:], "")
			// Its result is not cut again.
			part := clip.Bytes(rest, max(r.resultLimit()-history.LeastResult/2, history.LeastResult/2))
			if end := in.Offset + len(part); len(part) < len(rest) {
				return tools.Text(fmt.Sprintf("%s\n[Bytes %d to %d of %d.]", part, in.Offset, end, len(text))), nil
			}
			return tools.Text(part), nil
		},
	}
}

// wholeResult is the kept result of a call that the agent made.
func (r *llmRun) wholeResult(call string) (string, bool) {
	h := r.transcript(r.t.Messages(), 0)
	for _, m := range r.t.Messages() {
		h.add(m)
	}
	if len(r.rounds) > 0 {
		h.round(r.rounds[len(r.rounds)-1])
	}
	for _, e := range h.out {
		if e.Role == agui.RoleTool && e.CallID == call {
			return e.Text, true
		}
	}
	return "", false
}

// found are the places in text, from offset on, that match the query, letter case aside, in at most limit bytes.
func found(text, search string, offset, limit int) string {
	var b strings.Builder
	lower, want := strings.ToLower(text), strings.ToLower(search)
	if len(lower) != len(text) {
		lower, want = text, search // places would not be the same
	}
	for n := 0; ; n++ {
		i := strings.Index(lower[offset:], want)
		if i < 0 {
			break
		}
		at := offset + i
		around := strings.ToValidUTF8(text[max(0, at-matchContext):min(len(text), at+len(want)+matchContext)], "")
		line := fmt.Sprintf("%d: %s\n", at, strings.Join(strings.Fields(around), " "))
		if n == resultMatches || b.Len()+len(line) > limit-history.LeastResult/2 {
			fmt.Fprintf(&b, "[There is more from byte %d on.]", at)
			break
		}
		b.WriteString(line)
		offset = at + len(want)
	}
	if b.Len() == 0 {
		return "[Nothing is found.]"
	}
	return b.String()
}
