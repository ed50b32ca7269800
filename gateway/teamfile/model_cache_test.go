package teamfile

import (
	"context"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// TestRepliesOfAFileAreKept for the principal who asked, unless the file says otherwise, by a model, a list and a
// provider's model.
func TestRepliesOfAFileAreKept(t *testing.T) {
	t.Parallel()
	for cache, asked := range map[string]int{"": 3, ", cache: {}": 2, ", cache: { shared: on }": 1, ", cache: { " +
		"entries: 1 }": 3} {
		for _, agent := range []string{"direct", "listed"} {
			calls := 0
			o := testOptions(nil)
			o.Providers = map[string]model.Provider{"counts": func(model.Config) (model.Model, error) {
				return model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
					calls++
					return model.Reply{Text: fmt.Sprint("Reply ", calls)}, nil
				}), nil
			}}
			team, err := parse("team.yaml", []byte("version: 1\nmodels:\n  plain: { type: counts }\n  direct: { "+
				"type: counts"+cache+" }\n  listed: { first_of: [ plain ]"+cache+" }\n"+
				"agents:\n  direct: { type: llm, model: direct }\n  listed: { type: llm, model: listed }\n"), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, who := range []string{"ada", "bob", "ada"} {
				o := thread.Options{}
				o.Input.Principal.ID = who
				if _, err := thread.New(team.Agents[agent], o).Say(t.Context(), "Hi"); err != nil {
					t.Fatal(err)
				}
			}
			if calls != asked {
				t.Errorf("%s%s: asked %d times, want %d", agent, cache, calls, asked)
			}
		}
	}
}
