package suggest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/suggest"
	"github.com/agui-gateway/gateway/model"
)

// suggests is what an agent with these options suggests after a message.
func suggests(t *testing.T, o suggest.Options, most int) string {
	t.Helper()
	agent := groupchat.WithSuggestions(groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil }), suggest.New(o))
	s, ok := groupchat.As[groupchat.Suggester](agent)
	if !ok {
		t.Fatal("the agent suggests nothing")
	}
	list, err := s.Suggest(t.Context(), groupchat.Situation{Most: most, Messages: []agui.Message{
		{Role: agui.RoleUser, Content: agui.TextContent("I want to go to Paris")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, one := range list {
		titles = append(titles, one.Title)
	}
	return strings.Join(titles, ", ")
}

// TestSuggestions are a list's or a model's; a model that does not do what it should leaves it to the list.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	list := []groupchat.Suggestion{{Title: "A", Message: "a"}, {Title: "B", Message: "b"}}
	says := func(text string) model.Model {
		return model.Func(func(_ context.Context, r model.Request, _ model.Deltas) (model.Reply, error) {
			if len(r.Messages) != 3 || r.Messages[1].Text != "I want to go to Paris" {
				return model.Reply{}, fmt.Errorf("asked %+v", r.Messages)
			}
			return model.Reply{Text: text}, nil
		})
	}
	for name, tt := range map[string]struct {
		model model.Model
		most  int
		want  string
	}{
		"a list":                  {nil, 3, "A, B"},
		"a list that is too long": {nil, 1, "A"},
		"none are wanted":         {nil, 0, ""},
		"a model's":               {says(`{"suggestions":[{"title":"Hotels","message":"Which hotels are there?"}]}`), 3, "Hotels"},
		"a model's, in a fence":   {says("```json\n" + `{"suggestions":[{"title":"Hotels","message":"x"},{"title":"Y","message":"y"}]}` + "\n```"), 1, "Hotels"},
		"none of a model's":       {says(`{"suggestions":[]}`), 3, ""},
		"some that are too long":  {says(`{"suggestions":[{"title":"X","message":"` + strings.Repeat("x", 501) + `"},{"title":"Y","message":"y"}]}`), 3, "Y"},
		"nonsense":                {says("Try Rome!"), 3, "A, B"},
		"another shape":           {says(`{"suggestions":["Rome"]}`), 3, "A, B"},
		"a model that is away": {model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
			return model.Reply{}, errors.New("away")
		}), 3, "A, B"},
		"a model that panics": {model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
			panic("broken")
		}), 3, "A, B"},
		"a model that is slow": {model.Func(func(ctx context.Context, _ model.Request, _ model.Deltas) (model.Reply, error) {
			<-ctx.Done()
			return model.Reply{}, ctx.Err()
		}), 3, "A, B"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if name == "a model that is slow" {
				patience = 20 * time.Millisecond
			}
			if got := suggests(t, suggest.Options{List: list, Model: tt.model, Timeout: patience}, tt.most); got != tt.want {
				t.Errorf("suggested is %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSuggestionsAreCounted takes the hooks of the agent and of the service around the model, and what it uses, to the caller.
func TestSuggestionsAreCounted(t *testing.T) {
	t.Parallel()
	n := int64(7)
	asked := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{Text: `{"suggestions":[]}`, Usage: agui.TokenUsage{Provider: "p", Model: "m", TotalTokens: &n}}, nil
	})
	var order []string
	hook := func(name string) groupchat.Hooks {
		return groupchat.Hooks{Name: name, Model: func(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
			order = append(order, name+" "+c.Turn.Principal().ID)
			return next(ctx, c)
		}}
	}
	agent := groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })
	suggesting := groupchat.WithSuggestions(groupchat.WithHooks(agent, hook("agent")), suggest.New(suggest.Options{Model: asked}))
	used := int64(0)
	about := groupchat.Situation{Principal: groupchat.Principal{ID: "ada"}, Most: 3, Hooks: []groupchat.Hooks{hook("service")}, Used: func(list []agui.TokenUsage) {
		for _, u := range list {
			used += *u.TotalTokens
		}
	}}
	s, _ := groupchat.As[groupchat.Suggester](suggesting)
	if _, err := s.Suggest(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, ", "); got != "service ada, agent ada" || used != n {
		t.Errorf("hooks: %s; %d tokens are counted", got, used)
	}

	refused := errors.New("used up")
	about.Hooks = []groupchat.Hooks{{Name: "budget", Model: func(context.Context, groupchat.ModelCall, groupchat.ModelFunc) (model.Reply, error) {
		return model.Reply{}, refused
	}}}
	order = nil
	if list, err := s.Suggest(t.Context(), about); err != nil || len(list)+len(order) > 0 {
		t.Errorf("a hook that refuses: %v, %v, %v", list, err, order)
	}
}

func ExampleNew() {
	clerk := groupchat.WithSuggestions(
		groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			return groupchat.SayOnce(t, "hello", "What may it be?")
		}),
		suggest.New(suggest.Options{List: []groupchat.Suggestion{{Title: "The menu", Message: "What is on the menu?"}}}),
	)
	s, _ := groupchat.As[groupchat.Suggester](clerk)
	list, err := s.Suggest(context.Background(), groupchat.Situation{Most: 3})
	fmt.Println(list[0].Message, err)
	// Output: What is on the menu? <nil>
}
