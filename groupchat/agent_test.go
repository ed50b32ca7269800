package groupchat

import (
	"context"
	"testing"

	"github.com/agui-gateway/gateway/agui"
)

func TestAChatSuggestsWhatItsSuggesterDoes(t *testing.T) {
	t.Parallel()
	none, err := (&Chat{}).Suggest(t.Context(), Situation{Most: 3})
	if err != nil || len(none) != 0 {
		t.Errorf("a chat without one suggests %v, %v", none, err)
	}
	chat := &Chat{Suggester: SuggesterFunc(func(_ context.Context, s Situation) ([]Suggestion, error) {
		return []Suggestion{{Title: "Go on", Message: s.Messages[0].Content.Text()}}, nil
	})}
	some, err := chat.Suggest(t.Context(), Situation{Messages: []agui.Message{{Content: agui.TextContent("Hi")}}, Most: 3})
	if err != nil || len(some) != 1 || some[0].Message != "Hi" {
		t.Errorf("= %v, %v", some, err)
	}
}
