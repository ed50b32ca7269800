package copilotkit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state/document"
)

// suggestTool is the tool of the page that takes suggestions as arguments.
const suggestTool = "copilotkitSuggest"

// suggest streams suggestions for the next message in the form of a run, without storing anything.
func (h *Handler) suggest(w http.ResponseWriter, r *http.Request) error {
	agent, in, _, err := h.input(r)
	if err != nil {
		return err
	}
	return h.suggestFor(w, r, agent, in)
}

// asksToSuggest reports whether a run request asks for suggestions. Pages without the route send these.
func asksToSuggest(in *agui.RunAgentInput) bool {
	var props struct {
		ToolChoice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"toolChoice"`
	}
	// Properties of another form are the application's own.
	_ = exact.Unmarshal(in.ForwardedProps, &props)
	return props.ToolChoice.Function.Name == suggestTool
}

func (h *Handler) suggestFor(w http.ResponseWriter, r *http.Request, agent Agent, in *agui.RunAgentInput) error {
	offered := slices.ContainsFunc(in.Tools, func(t agui.Tool) bool { return t.Name == suggestTool })
	if agent.Suggester == nil || !offered {
		return h.o.Service.Show(w, r, agent.Name, in, nil)
	}
	return h.o.Service.Show(w, r, agent.Name, in, func(ctx context.Context) ([]agui.Event, error) {
		suggestions := h.suggestions(ctx, r, agent, in)
		if len(suggestions) == 0 {
			return nil, nil
		}
		return suggesting("call_"+h.o.NewID(), suggestions)
	})
}

// suggesting returns the events of a call with suggestions, one suggestion in each delta.
func suggesting(call string, suggestions []groupchat.Suggestion) ([]agui.Event, error) {
	events := []agui.Event{&agui.ToolCallStart{ToolCallID: call, ToolCallName: suggestTool}}
	before := `{"suggestions":[`
	for _, s := range suggestions {
		item, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		events = append(events, &agui.ToolCallArgs{ToolCallID: call, Delta: before + string(item)})
		before = ","
	}
	return append(events, &agui.ToolCallArgs{ToolCallID: call, Delta: "]}"}, &agui.ToolCallEnd{ToolCallID: call}), nil
}

// suggestions calls the agent's suggester. If that fails, the list is empty, because no work depends on suggestions.
func (h *Handler) suggestions(ctx context.Context, r *http.Request, agent Agent,
	in *agui.RunAgentInput) (list []groupchat.Suggestion) {
	defer func() {
		if p := recover(); p != nil {
			h.o.Service.Log(r).Error("suggest: panic", "error", fmt.Errorf("panic: %v", p), "stack",
				string(debug.Stack()))
			list = nil
		}
	}()
	doc, err := document.New(in.State, document.Options{})
	if err != nil {
		return nil // the state is no object
	}
	ctx, cancel := context.WithTimeout(ctx, agent.RunTimeout)
	defer cancel()
	messages, most := withoutRequest(in.Messages)
	list, err = agent.Suggester.Suggest(ctx, groupchat.Situation{
		Messages: messages, State: doc, Context: in.Context, Principal: route.Caller(r), Most: most,
	})
	if err != nil {
		h.o.Service.Log(r).Warn("suggest: failed", "agent", agent.Name, "error", err)
		return nil
	}
	return list[:min(len(list), most)]
}

const mostSuggestions = 3

var atMost = regexp.MustCompile(`at most (\d{1,3}) suggestion`)

// withoutRequest returns the conversation without the final request for suggestions, and the number that it asks for.
func withoutRequest(messages []agui.Message) ([]agui.Message, int) {
	if len(messages) == 0 || messages[len(messages)-1].Role != agui.RoleUser {
		return messages, mostSuggestions
	}
	last := len(messages) - 1
	most := mostSuggestions
	if found := atMost.FindStringSubmatch(messages[last].Content.Text()); found != nil {
		if n, err := strconv.Atoi(found[1]); err == nil {
			most = min(most, n)
		}
	}
	return messages[:last], most
}
