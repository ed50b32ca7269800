package teamtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A heard is the result of one request, as a client sees it.
type heard struct {
	agent  string // the speaker of messages without a name
	said   []*utterance
	calls  []*madeCall
	state  json.RawMessage
	before json.RawMessage // the state that the run began with
	asks   []*asked
	code   string // of the error that the run ended with
	// details are the problems of refused answers.
	details []state.Problem
	events  []agui.Event
	byID    map[string]*utterance
}

// An utterance is one message.
type utterance struct{ speaker, text string }

// A madeCall is a call of a tool, of this run or an earlier one that waits for its result.
type madeCall struct {
	id, name, arguments string
	result              *string
}

// An asked is an open question.
type asked struct {
	id, key, message, by, tool string
	options                    json.RawMessage
}

// hear begins the result of a request that follows another one.
func hear(agent string, before *heard) *heard {
	h := &heard{agent: agent, state: json.RawMessage("{}"), byID: map[string]*utterance{}}
	if before != nil {
		h.state = before.state
	}
	h.before = h.state
	return h
}

// take notes an event. Earlier are the calls of earlier runs.
func (h *heard) take(e agui.Event, earlier []*madeCall) error {
	h.events = append(h.events, e)
	var err error
	switch e := e.(type) {
	case *agui.TextMessageStart:
		u := &utterance{speaker: cmp.Or(e.Name, h.agent)}
		h.said, h.byID[e.MessageID] = append(h.said, u), u
	case *agui.TextMessageContent:
		if u := h.byID[e.MessageID]; u != nil {
			u.text += e.Delta
		}
	case *agui.ToolCallStart:
		h.calls = append(h.calls, &madeCall{id: e.ToolCallID, name: e.ToolCallName})
	case *agui.ToolCallArgs:
		if c := callOfID(h.calls, e.ToolCallID); c != nil {
			c.arguments += e.Delta
		}
	case *agui.ToolCallResult:
		c := callOfID(h.calls, e.ToolCallID)
		if c == nil {
			if c = callOfID(earlier, e.ToolCallID); c != nil {
				again := *c
				c = &again
				h.calls = append(h.calls, c)
			}
		}
		if c != nil {
			text := e.Content.Text()
			c.result = &text
		}
	case *agui.StateSnapshot:
		h.state = e.Snapshot
	case *agui.StateDelta:
		h.state, err = e.Delta.Apply(context.Background(), h.state)
	case *agui.RunError:
		h.code = cmp.Or(e.Code, "error")
		_ = json.Unmarshal(e.Metadata["details"], &h.details) // most errors have none
	case *agui.RunFinished:
		h.finish(e.Outcome, slices.Concat(earlier, h.calls))
	}
	return err
}

func (h *heard) finish(o *agui.Outcome, calls []*madeCall) {
	if o == nil {
		return
	}
	if o.Type == agui.OutcomeCancelled {
		h.code = "cancelled"
	}
	for _, i := range o.Interrupts {
		a := &asked{id: i.ID, message: i.Message}
		var where struct{ Key string }
		var card struct {
			Options json.RawMessage
			Agent   string
		}
		_ = json.Unmarshal(i.Metadata["groupchat"], &where) // another server's question may have neither
		_ = json.Unmarshal(i.Metadata["value"], &card)
		a.key, a.options, a.by = where.Key, card.Options, cmp.Or(card.Agent, h.agent)
		if c := callOfID(calls, i.ToolCallID); c != nil {
			a.tool = c.name
		}
		h.asks = append(h.asks, a)
	}
}

func callOfID(calls []*madeCall, id string) *madeCall {
	for _, c := range slices.Backward(calls) {
		if id != "" && c.id == id {
			return c
		}
	}
	return nil
}

// words returns all messages with text.
func (h *heard) words() []*utterance {
	return slices.DeleteFunc(slices.Clone(h.said), func(u *utterance) bool { return u.text == "" })
}

// waits returns the calls that the page has to answer.
func (h *heard) waits() []*madeCall {
	var open []*madeCall
	for _, c := range h.calls {
		asked := slices.ContainsFunc(h.asks, func(a *asked) bool { return a.tool == c.name })
		if c.result == nil && !asked {
			open = append(open, c)
		}
	}
	return open
}

// why returns the problems of refused answers.
func (h *heard) why() string {
	var b strings.Builder
	for _, p := range h.details {
		fmt.Fprintf(&b, "; the answer %s %s", p.Path, p.Problem)
	}
	return strings.ReplaceAll(b.String(), "  ", " ")
}

// ends returns how the run ended, in the words of the format.
func (h *heard) ends() string {
	switch {
	case h.code != "":
		return "error"
	case len(h.asks) > 0:
		return "asks"
	case len(h.waits()) > 0:
		return "calls"
	default:
		return "done"
	}
}

// String returns the result in lines.
func (h *heard) String() string {
	var out string
	for _, u := range h.words() {
		out += fmt.Sprintf("%s: %s\n", u.speaker, u.text)
	}
	for _, c := range h.calls {
		out += fmt.Sprintf("calls %s %s\n", c.name, c.arguments)
	}
	for _, a := range h.asks {
		out += fmt.Sprintf("%s asks %s: %s %s\n", a.by, cmp.Or(a.tool, a.key), a.message, a.options)
	}
	if h.code != "" {
		return out + "ends: error " + h.code + h.why()
	}
	return out + "ends: " + h.ends()
}
