package teamfile

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model/openai"
)

// TestSuggestionsOfATeamFile are made by a list, or by a model; an agent without the key makes none.
func TestSuggestionsOfATeamFile(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, _ := json.Marshal(`{"suggestions":[{"title":"Sights","message":"What is there to see?"}]}`)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"choices":[{"index":0,"delta":{"content":` + string(text) + `},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(provider.Close)
	team, err := parse("team.yaml", []byte(`version: 1
agents:
  listed: { type: llm, suggestions: [ Hello, { title: Order, message: I order. } ] }
  asked: { type: llm, suggestions: { model: default, list: [ Hello ] } }
  silent: { type: llm }
`), Options{Model: openai.Options{BaseURL: provider.URL, Name: "m", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]groupchat.Suggestion{
		"listed": {{Title: "Hello", Message: "Hello"}, {Title: "Order", Message: "I order."}},
		"asked":  {{Title: "Sights", Message: "What is there to see?"}},
	} {
		s, ok := groupchat.As[groupchat.Suggester](team.Agents[name])
		if !ok {
			t.Fatalf("%s suggests nothing", name)
		}
		got, err := s.Suggest(context.Background(), groupchat.Situation{Most: 3})
		if err != nil || len(got) != len(want) || got[0] != want[0] {
			t.Errorf("%s suggests %v, %v, want %v", name, got, err, want)
		}
	}
	if _, ok := groupchat.As[groupchat.Suggester](team.Agents["silent"]); ok {
		t.Error("an agent without suggestions makes some")
	}
}
