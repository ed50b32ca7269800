// Package suggest makes suggestions of what a person could say next, from a list or by a model.
package suggest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
)

// Options are the options of [New].
type Options struct {
	// List is the suggestions without a Model, and after a failure of the model.
	List []groupchat.Suggestion
	// Model, if set, makes suggestions. Its request has Instructions, the parts of the state at Sees, and the end of
	// the conversation. The hooks and budgets of the agent apply to the request. It is not stored.
	Model        model.Model
	Instructions string
	Sees         []string // JSON Pointers
	// Timeout is how long the model may take; 0 means 10 seconds.
	Timeout time.Duration
	// Log receives failures of the model; nil disables logging.
	Log *slog.Logger
}

// The limits of requests and suggestions.
const (
	timeout     = 10 * time.Second
	messages    = 12
	messageSize = 2 << 10 // bytes of each message in the request
	stateSize   = 8 << 10 // bytes of each part of the state
	maxTitle    = 80      // bytes
	maxMessage  = 500     // bytes
)

// New returns a suggester with a list, or with a model. After a model that fails, is too slow or answers nonsense it
// uses the list.
func New(o Options) groupchat.Suggester { return &suggester{o} }

type suggester struct{ Options }

// Suggest returns at most s.Most suggestions.
func (g *suggester) Suggest(ctx context.Context, s groupchat.Situation) ([]groupchat.Suggestion, error) {
	list := g.List
	if g.Model != nil {
		made, err := g.ask(ctx, s)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && g.Log != nil:
			g.Log.WarnContext(ctx, "suggest: the model failed, using the list", "error", err)
		case err == nil:
			list = made
		}
	}
	return slices.Clone(list[:min(len(list), max(s.Most, 0))]), nil
}

// schema is the schema of a model's answer.
var schema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["suggestions"],` +
	`"properties":{"suggestions":{"type":"array","items":` +
	`{"type":"object","additionalProperties":false,"required":["title","message"],"properties":{"title":{` +
	`"type":"string"},"message":{"type":"string"}}}}}}`)

// ask calls the model in a turn with the hooks of the agent.
func (g *suggester) ask(ctx context.Context, s groupchat.Situation) ([]groupchat.Suggestion, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(g.Timeout, timeout))
	defer cancel()
	var reply *model.Reply
	agent := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		got, err := t.AskModel("suggestions",
			groupchat.ModelCall{Purpose: model.ForOther, Model: g.Model, Request: g.request(s)})
		reply = &got
		return err
	})
	run := thread.New(groupchat.WithHooksOf(s.Agent, agent), thread.Options{
		Input: groupchat.Input{Principal: s.Principal, Context: s.Context}, Messages: spoken(&s), Hooks: s.Hooks,
		Log: g.Log,
	})
	_, err := run.Send(ctx)
	if s.Used != nil {
		used, _ := run.Usage()
		s.Used(used)
	}
	if err == nil && reply == nil {
		err = &errcode.Error{Code: errcode.AgentFailed, Err: errors.New("suggest: a hook answers instead of the agent")}
	}
	if err != nil {
		return nil, err
	}
	return parse(reply.Text)
}

// parse returns the suggestions of the first value in a reply that matches the schema, without those that are empty or
// too long.
func parse(reply string) ([]groupchat.Suggestion, error) {
	values := model.Values(reply)
	problem := errors.New("there is no JSON")
	for i, raw := range values {
		var answer struct{ Suggestions []groupchat.Suggestion }
		err := state.ValidateAnswer(schema, raw)
		if err == nil {
			err = exact.Unmarshal(raw, &answer)
		}
		if err == nil {
			return slices.DeleteFunc(answer.Suggestions, invalid), nil
		}
		if i == 0 {
			problem = err
		}
	}
	return nil, fmt.Errorf("suggest: %w", problem)
}

// invalid reports whether a suggestion is empty or too long.
func invalid(s groupchat.Suggestion) bool {
	empty := strings.TrimSpace(s.Title) == "" || strings.TrimSpace(s.Message) == ""
	return empty || len(s.Title) > maxTitle || len(s.Message) > maxMessage
}

// request returns the request to the model. Its constant part comes first, for prompt caches.
func (g *suggester) request(s groupchat.Situation) model.Request {
	system := fmt.Sprintf("You suggest what a user of a chat could say next: short messages in the user's own words "+
		"and language, which the assistant can help with. "+
		"Answer with one JSON object: {\"suggestions\": [{\"title\": at most %d bytes for a button, \"message\": "+
		"what is sent when it is pressed}]}.", maxTitle)
	if g.Instructions != "" {
		system += "\n\n" + g.Instructions
	}
	out := []model.Message{{Role: agui.RoleSystem, Text: system}}
	for _, m := range spoken(&s) {
		out = append(out, model.Message{Role: m.Role, Text: m.Content.Text()})
	}
	var last []string
	for _, pointer := range g.Sees {
		if s.State == nil {
			break
		}
		if raw, ok := s.State.Raw(pointer); ok {
			last = append(last, fmt.Sprintf("The state at %q is now: %s", pointer, clip.To(string(raw), stateSize)))
		}
	}
	last = append(last, fmt.Sprintf("Suggest at most %d messages.", s.Most))
	out = append(out, model.Message{Role: agui.RoleUser, Text: strings.Join(last, "\n\n")})
	return model.Request{Messages: out, Schema: schema, SchemaName: "suggestions", Strict: true}
}

// spoken returns the end of the conversation for the request.
func spoken(s *groupchat.Situation) []groupchat.Message {
	var list []groupchat.Message
	for i, m := range slices.Backward(s.Messages) {
		text := m.Content.Text()
		if m.Role != agui.RoleUser && m.Role != agui.RoleAssistant || text == "" {
			continue
		}
		list = append(list,
			groupchat.Message{ID: strconv.Itoa(i), Role: m.Role, Content: agui.TextContent(clip.To(text, messageSize))})
		if len(list) == messages {
			break
		}
	}
	slices.Reverse(list)
	return list
}
