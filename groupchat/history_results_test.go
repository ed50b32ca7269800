package groupchat

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/model"
)

// bulky is a tool with results of so many bytes, in numbered lines.
func bulky(size, kept int) Tool {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "line %d of many\n", i)
	}
	t := NewTool("bulk", "Has much to say.", func(context.Context, ToolCall, struct{}) (string, error) { return b.String()[:size], nil })
	t.MaxResult = kept
	return t
}

// resultTold is the last result in a request.
func resultTold(r model.Request) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == agui.RoleTool {
			return r.Messages[i].Text
		}
	}
	return ""
}

// callOf is the call that a cut result names, and the offset to read on from.
func callOf(t *testing.T, text string) (call string, offset int) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "read_result with call ")
	if _, err := fmt.Sscanf(rest, "%q and offset %d", &call, &offset); !ok || err != nil {
		t.Fatalf("the result does not say how to read on: %.80s … %s", text, text[max(0, len(text)-120):])
	}
	return call, offset
}

// TestResultsAreReadOn cuts a large result for the model, which reads all of it in pieces and finds a place in it, in
// the same turn and in a later one, when the request omits the exchange.
func TestResultsAreReadOn(t *testing.T) {
	t.Parallel()
	const size = 20_000
	m := &narrow{t: t, window: 4000}
	call, offset, pieces := "", 0, ""
	m.replies = func(q model.Request) model.Reply {
		text := resultTold(q)
		last := q.Messages[len(q.Messages)-1]
		switch {
		case lastUserText(q) == "Search" && last.Role != agui.RoleTool:
			return model.Reply{Calls: []model.Call{{Name: readResult, Arguments: fmt.Sprintf(`{"call":%q,"search":"LINE 700 "}`, call)}}}
		case lastUserText(q) != "Go":
			return model.Reply{Text: strings.Repeat("words ", 100)}
		case last.Role != agui.RoleTool:
			return model.Reply{Calls: []model.Call{{Name: "bulk", Arguments: `{}`}}}
		case call == "":
			if len(text) > 2200 {
				t.Errorf("the model is told %d bytes", len(text))
			}
			call, offset = callOf(t, text)
			pieces, _, _ = strings.Cut(text, "\n[These are")
		default:
			piece, _, more := strings.Cut(text, "\n[Bytes")
			pieces += piece
			offset += len(piece)
			if !more {
				return model.Reply{Text: "All read."}
			}
		}
		return model.Reply{Calls: []model.Call{{Name: readResult, Arguments: fmt.Sprintf(`{"call":%q,"offset":%d}`, call, offset)}}}
	}
	r := newRig(t, &LLM{Model: m, Tools: []Tool{bulky(size, 0)}, MaxResult: 2000, History: &history.Policy{Turns: 3}})
	must(t, r.say("Go").err)
	if len(pieces) != size || !strings.HasPrefix(pieces, "line 0 of many\n") || strings.Count(pieces, "\n") < 1000 {
		t.Errorf("%d bytes were read: %.40s", len(pieces), pieces)
	}
	for i := range 5 {
		must(t, r.say(fmt.Sprint("Then ", i)).err)
	}
	must(t, r.say("Search").err)
	if got := resultTold(m.last()); !strings.Contains(got, ": ") || !strings.Contains(got, "line 700 of many") || len(got) > 300 {
		t.Errorf("found %q", got)
	}
	if strings.Contains(requestLines(m.last()), "u:Go ") {
		t.Errorf("the exchange is told still: %s", requestLines(m.last()))
	}
}

// TestResultsOfOthersAreNotRead keeps the results of one agent from another.
func TestResultsOfOthersAreNotRead(t *testing.T) {
	t.Parallel()
	first, second := &narrow{t: t, window: 1 << 20}, &narrow{t: t, window: 1 << 20}
	call := ""
	first.replies = func(q model.Request) model.Reply {
		if text := resultTold(q); text != "" {
			call, _ = callOf(t, text)
			return model.Reply{Text: "Done."}
		}
		return model.Reply{Calls: []model.Call{{Name: "bulk", Arguments: `{}`}}}
	}
	second.replies = func(q model.Request) model.Reply {
		if resultTold(q) != "" {
			return model.Reply{Text: "Nothing."}
		}
		return model.Reply{Calls: []model.Call{{Name: readResult, Arguments: fmt.Sprintf(`{"call":%q}`, call)}}}
	}
	r := newRig(t, &Chat{Manager: Sequential(), Participants: []Participant{
		{Name: "ann", Agent: &LLM{Model: first, Tools: []Tool{bulky(5000, 0)}, MaxResult: 1000}},
		{Name: "bob", Agent: &LLM{Model: second, MaxResult: 1000}},
	}})
	must(t, r.say("Go").err)
	equal(t, "told", resultTold(second.last()), "There is no result of such a call.")
}

// TestAResultThatIsTooLong is in the request in part, even without a setting: the turn continues, and so does the
// thread.
func TestAResultThatIsTooLong(t *testing.T) {
	t.Parallel()
	m := &narrow{t: t, window: 4000}
	m.replies = func(q model.Request) model.Reply {
		if lastUserText(q) != "Go" || q.Messages[len(q.Messages)-1].Role == agui.RoleTool {
			return model.Reply{Text: "Read."}
		}
		return model.Reply{Calls: []model.Call{{Name: "bulk", Arguments: `{}`}}}
	}
	r := newRig(t, &LLM{Model: m, Tools: []Tool{bulky(60_000, 0)}})
	must(t, r.say("Go").err)
	refused := m.refused
	if refused == 0 || refused > 3 || len(resultTold(m.last())) < 1000 {
		t.Errorf("%d requests were refused, then %d bytes were told", refused, len(resultTold(m.last())))
	}
	must(t, r.say("And now?").err)
	equal(t, "refused", m.refused, refused)
}

// TestATurnWithoutEnd calls a tool fifty times in one turn, with a model that takes the results of a few.
func TestATurnWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, history := range map[string]*history.Policy{"on demand": nil, "tokens": {Tokens: 3000}, "summaries": {Tokens: 3000, Strategy: history.Summarise}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &narrow{t: t, window: 4000}
			m.replies = func(q model.Request) model.Reply {
				if lastUserText(q) != "Go" {
					t.Errorf("the words of the user are gone: %s", requestLines(q))
				}
				if len(m.asked) > 50 {
					return model.Reply{Text: "Done."}
				}
				return model.Reply{Calls: []model.Call{{Name: "bulk", Arguments: `{}`}}}
			}
			r := newRig(t, &LLM{Model: m, Tools: []Tool{bulky(2000, 0)}, MaxSteps: 100, History: history})
			must(t, r.say("Go").err)
			if m.refused > 3 || history != nil && m.refused > 0 {
				t.Errorf("%d requests were refused", m.refused)
			}
			must(t, r.say("Go").err)
		})
	}
}
