package groupchat

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// WithSuggestions returns agent with what a person could say to it next. Its turns are the same.
func WithSuggestions(agent Agent, s Suggester) Agent { return &suggesting{agent, s} }

// A suggesting is an agent with a suggester.
type suggesting struct {
	Agent
	suggester Suggester
}

// Unwrap returns the agent inside.
func (s *suggesting) Unwrap() Agent { return s.Agent }

// Suggest asks the suggester.
func (s *suggesting) Suggest(ctx context.Context, situation Situation) ([]Suggestion, error) {
	if situation.Agent == nil {
		situation.Agent = s
	}
	return s.suggester.Suggest(ctx, situation)
}

func (s *suggesting) check(bad func(format string, args ...any)) {
	if s.suggester == nil {
		bad("has no suggester")
	}
}

// SuggestOptions are the options of [Suggest].
type SuggestOptions struct {
	// List is what is suggested where there is no Model, and where it does not answer as it should.
	List []Suggestion
	// Model, if set, makes suggestions. Its request has Instructions, the parts of the state at Sees, and the end of the conversation.
	// The request counts for the hooks and budgets of the agent. It is not stored.
	Model        model.Model
	Instructions string
	Sees         []string // JSON Pointers
	// Timeout is how long the model may take; 0 means 10 seconds.
	Timeout time.Duration
	// Log is told why a model made none; nil keeps silent.
	Log *slog.Logger
}

// The limits of what a model is told and may suggest.
const (
	suggestTimeout     = 10 * time.Second
	suggestMessages    = 12
	suggestMessage     = 2 << 10 // bytes of each message it is told
	suggestState       = 8 << 10 // bytes of each part of the state
	maxSuggestionTitle = 80      // bytes
	maxSuggestion      = 500     // bytes
)

// Suggest returns a suggester that has a list, or asks a model. A model that fails, takes too long or answers nonsense leaves it to the
// list.
func Suggest(o SuggestOptions) Suggester { return &suggester{o} }

type suggester struct{ SuggestOptions }

// Suggest returns at most s.Most suggestions.
func (g *suggester) Suggest(ctx context.Context, s Situation) ([]Suggestion, error) {
	list := g.List
	if g.Model != nil {
		made, err := g.ask(ctx, s)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && g.Log != nil:
			g.Log.WarnContext(ctx, "groupchat: a model suggests nothing, its list does", "error", err)
		case err == nil:
			list = made
		}
	}
	return slices.Clone(list[:min(len(list), max(s.Most, 0))]), nil
}

// suggestSchema is what a model's answer looks like.
var suggestSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["suggestions"],"properties":{"suggestions":{"type":"array","items":` +
	`{"type":"object","additionalProperties":false,"required":["title","message"],"properties":{"title":{"type":"string"},"message":{"type":"string"}}}}}}`)

// ask asks the model.
func (g *suggester) ask(ctx context.Context, s Situation) ([]Suggestion, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(g.Timeout, suggestTimeout))
	defer cancel()
	var reply *model.Reply
	run := NewThread(WithHooksOf(s.Agent, AgentFunc(func(ctx context.Context, t *Turn) (err error) {
		reply, err = callModel(ctx, &ModelCall{Turn: t, Purpose: ForOther, Model: g.Model, Request: g.request(s)})
		if usageErr := t.x.addReply(reply); err == nil {
			err = usageErr
		}
		return err
	})), ThreadOptions{Input: Input{Principal: s.Principal, Context: s.Context}, Messages: s.spoken(), Hooks: s.Hooks, Log: g.Log})
	_, err := run.Send(ctx)
	if s.Used != nil {
		used, _ := run.Usage()
		s.Used(used)
	}
	if err == nil && reply == nil {
		err = fail(errcode.AgentFailed, "suggestions: a hook answers in place of the agent")
	}
	if err != nil {
		return nil, err
	}
	schema, err := schemas.compile(suggestSchema)
	if err != nil {
		return nil, err
	}
	var answer struct{ Suggestions []Suggestion }
	raw, problem := schema.find(reply.Text)
	if problem != nil || exact.Unmarshal(raw, &answer) != nil {
		return nil, fmt.Errorf("groupchat: suggestions: %w", mismatch(suggestSchema, likeliest(model.Values(reply.Text))))
	}
	return slices.DeleteFunc(answer.Suggestions, func(one Suggestion) bool {
		empty := strings.TrimSpace(one.Title) == "" || strings.TrimSpace(one.Message) == ""
		return empty || len(one.Title) > maxSuggestionTitle || len(one.Message) > maxSuggestion
	}), nil
}

// request is what the model is asked: what does not change comes first.
func (g *suggester) request(s Situation) model.Request {
	system := fmt.Sprintf("You suggest what a user of a chat could say next: short messages in the user's own words and language, which the assistant can help with. "+
		"Answer with one JSON object: {\"suggestions\": [{\"title\": at most %d bytes for a button, \"message\": what is sent when it is pressed}]}.", maxSuggestionTitle)
	if g.Instructions != "" {
		system += "\n\n" + g.Instructions
	}
	out := []model.Message{{Role: agui.RoleSystem, Text: system}}
	for _, m := range s.spoken() {
		out = append(out, model.Message{Role: m.Role, Text: m.Content.Text()})
	}
	var last []string
	for _, pointer := range g.Sees {
		if s.State == nil {
			break
		}
		if raw, ok := s.State.Raw(pointer); ok {
			last = append(last, fmt.Sprintf("The state at %q is now: %s", pointer, clip.To(string(raw), suggestState)))
		}
	}
	last = append(last, fmt.Sprintf("Suggest at most %d messages.", s.Most))
	out = append(out, model.Message{Role: agui.RoleUser, Text: strings.Join(last, "\n\n")})
	return model.Request{Messages: out, Schema: suggestSchema, SchemaName: "suggestions", Strict: true}
}

// spoken is the end of the conversation, as a model is sent it.
func (s *Situation) spoken() []Message {
	var list []Message
	for i, m := range slices.Backward(s.Messages) {
		text := m.Content.Text()
		if m.Role != agui.RoleUser && m.Role != agui.RoleAssistant || text == "" {
			continue
		}
		content := agui.TextContent(clip.To(text, suggestMessage))
		list = append(list, Message{ID: strconv.Itoa(i), Role: m.Role, Content: content})
		if len(list) == suggestMessages {
			break
		}
	}
	slices.Reverse(list)
	return list
}

var (
	_ Wrapper   = (*suggesting)(nil)
	_ Suggester = (*suggesting)(nil)
)
