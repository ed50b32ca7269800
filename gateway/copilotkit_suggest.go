package gateway

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
	"github.com/agui-gateway/gateway/state"
)

// suggestTool is the tool by which a page is told what its reader could say next.
const suggestTool = "copilotkitSuggest"

// suggest asks the agent what could be said next. The stream looks like a run's, but nothing ran: there is no thread,
// and so nothing that a page which asks after every run could flood.
func (k *copilotkit) suggest(w http.ResponseWriter, r *http.Request) error {
	agent, in, _, err := k.input(r)
	if err != nil {
		return err
	}
	return k.suggestFor(w, r, agent, in)
}

// asksToSuggest reports whether a run is meant as suggest: that is what a page without that route sends, on a thread it
// throws away.
func asksToSuggest(in *agui.RunAgentInput) bool {
	var props struct {
		ToolChoice struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"toolChoice"`
	}
	// Properties of another shape are the application's own.
	_ = json.Unmarshal(in.ForwardedProps, &props)
	return props.ToolChoice.Function.Name == suggestTool
}

func (k *copilotkit) suggestFor(w http.ResponseWriter, r *http.Request, agent *served, in *agui.RunAgentInput) error {
	wire, err := k.wire(r, agent, in)
	if err != nil {
		return err
	}
	c := &caller{g: k.g, w: w, r: r, agent: agent, wire: wire, watch: in.RunID}
	defer c.panicked()
	return c.told(k.suggestTo(c, in))
}

func (k *copilotkit) suggestTo(c *caller, in *agui.RunAgentInput) error {
	if err := c.open(); err != nil {
		return err
	}
	stop := c.beat()
	suggestions := k.suggestions(c.r, c.agent, in)
	stop()
	key := state.Key{Principal: route.Principal(c.r), Agent: c.agent.name, ID: in.ThreadID}
	events := []agui.Event{c.opening(key)}
	if len(suggestions) > 0 {
		called, err := suggesting("call_"+k.g.o.NewID(), suggestions)
		if err != nil {
			return err
		}
		events = append(events, called...)
	}
	events = append(events, c.closing(key, &agui.Outcome{Type: agui.OutcomeSuccess}))
	if err := c.show(key, state.FrameID{}, plain(events...)...); err != nil {
		return err
	}
	return c.stream.close()
}

// suggesting is the call that tells of suggestions, one at a time.
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

// suggestions asks the agent. One that cannot say, or fails, has none: nobody's work depends on them.
func (k *copilotkit) suggestions(r *http.Request, agent *served, in *agui.RunAgentInput) (list []groupchat.Suggestion) {
	suggester, ok := agent.agent.(groupchat.Suggester)
	offered := slices.ContainsFunc(in.Tools, func(t agui.Tool) bool { return t.Name == suggestTool })
	if !ok || !offered {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			k.g.log(r).Error("suggest: panic", "error", fmt.Errorf("panic: %v", p), "stack", string(debug.Stack()))
			list = nil
		}
	}()
	doc, err := state.NewDocument(in.State, state.DocumentOptions{})
	if err != nil {
		return nil // a state of another shape says nothing
	}
	ctx, cancel := context.WithTimeout(r.Context(), agent.RunTimeout)
	defer cancel()
	messages, most := wish(in.Messages)
	list, err = suggester.Suggest(ctx, groupchat.Situation{
		Messages: messages, State: doc, Context: in.Context, Most: most,
	})
	if err != nil {
		k.g.log(r).Warn("suggest: failed", "agent", agent.name, "error", err)
		return nil
	}
	return list[:min(len(list), most)]
}

// mostSuggestions is how many a page has room for unless it says otherwise, and the most it gets.
const mostSuggestions = 3

// atMost is how the page says how many suggestions it has room for, in the message that asks for them.
var atMost = regexp.MustCompile(`at most (\d{1,3}) suggestion`)

// wish takes the message that asks for suggestions from the end of the conversation, and reads how many it wants.
func wish(messages []agui.Message) ([]agui.Message, int) {
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
