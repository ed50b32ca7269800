package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// suggestFor is what a page sends for suggestions: its history, and the message that asks, last.
func suggestFor(thread, most string, extra ...string) string {
	extra = append([]string{
		`"tools":[{"name":"copilotkitSuggest","description":"Suggest"}]`,
		`"forwardedProps":{"toolChoice":{"type":"function","function":{"name":"copilotkitSuggest"}}}`,
	}, extra...)
	return pageInput(thread, "s1", []string{"u1:Hi", thread + ":Suggest.\nProvide at least 1 and at most " + most + " suggestions."}, extra...)
}

// advised gives an agent something to suggest.
func advised(o *gateway.Options) {
	o.Agents["advised"] = &groupchat.Chat{
		Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "a", Agent: groupchat.AgentFunc(echoes)}},
		Suggester: groupchat.SuggesterFunc(func(_ context.Context, s groupchat.Situation) ([]groupchat.Suggestion, error) {
			var mood string
			if _, err := s.State.Get("/mood", &mood); err != nil {
				return nil, err
			}
			switch mood {
			case "sour":
				return nil, errors.New("secret")
			case "wild":
				panic("secret")
			}
			last := s.Messages[len(s.Messages)-1].Content.Text()
			return []groupchat.Suggestion{{Title: "A", Message: last}, {Title: "B", Message: mood}, {Title: "C", Message: "c"}, {Title: "D", Message: "d"}}, nil
		}),
	}
}

func TestPageIsSuggested(t *testing.T) {
	onBoth(t, func(t *testing.T, p tab) {
		suggested := func(verb, agent, body string) string {
			t.Helper()
			r := p.whole(verb, agent, body)
			if f := r.finished(); f.ThreadID != "s" || f.RunID != "s1" {
				t.Errorf("the stream ends as %+v", f)
			}
			text, calls := "", 0
			for _, e := range r.events {
				switch e := e.(type) {
				case *agui.ToolCallStart:
					calls++
					if e.ToolCallName != "copilotkitSuggest" {
						t.Errorf("calls %s", e.ToolCallName)
					}
				case *agui.ToolCallArgs:
					text += e.Delta
				}
			}
			if calls > 1 || text == "" && len(r.events) != 2 {
				t.Errorf("%v", types(r.events))
			}
			return text
		}
		const all = `{"suggestions":[{"title":"A","message":"Hi"},{"title":"B","message":"sunny"},{"title":"C","message":"c"}]}`
		sunny := `"state":{"mood":"sunny"}`
		for _, test := range []struct{ verb, agent, body, want string }{
			{"suggest", "advised", suggestFor("s", "3", sunny), all},
			{"suggest", "advised", suggestFor("s", "8", sunny), all},
			{"suggest", "advised", suggestFor("s", "1", sunny), `{"suggestions":[{"title":"A","message":"Hi"}]}`},
			{"run", "advised", suggestFor("s", "3", sunny), all}, // as a page without that route does
			{"suggest", "echo", suggestFor("s", "3"), ""},
			{"suggest", "desk", suggestFor("s", "3"), ""},
			{"suggest", "advised", suggestFor("s", "3", `"state":{"mood":"sour"}`), ""},
			{"suggest", "advised", suggestFor("s", "3", `"state":{"mood":"wild"}`), ""},
			{"suggest", "advised", suggestFor("s", "3", `"state":[]`), ""},
			{"suggest", "advised", strings.Replace(suggestFor("s", "3"), `"name":"copilotkitSuggest","d`, `"name":"other","d`, 1), ""},
		} {
			if diff := cmp.Diff(test.want, suggested(test.verb, test.agent, test.body)); diff != "" {
				t.Errorf("%s of %s: %s", test.verb, test.agent, diff)
			}
		}
		var list struct{ Threads []any }
		if p.get("/threads", &list); len(list.Threads) != 0 {
			t.Errorf("suggestions left %v behind", list.Threads)
		}
	}, advised)
}
