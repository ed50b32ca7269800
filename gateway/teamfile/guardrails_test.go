package teamfile

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// desk is the model of the manual's guardrails: it repeats its input, follows commands, and judges texts
// about medicine.
type desk struct{ sent []string }

func (d *desk) Stream(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	text := "You said: " + last.Text
	switch {
	case r.SchemaName == "verdict" && strings.Contains(last.Text, "aspirin"):
		return model.Reply{Text: `{"allow":false,"reason":"medicine"}`}, nil
	case r.SchemaName == "verdict":
		return model.Reply{Text: `{"allow":true,"reason":""}`}, nil
	case last.Role == agui.RoleTool:
		text = "It says: " + last.Text
	case strings.HasPrefix(last.Text, "call "):
		return model.Reply{Calls: []model.Call{{Name: "query", Arguments: `{"query":"` + strings.TrimPrefix(last.Text, "call ") + `"}`}}}, nil
	}
	d.sent = append(d.sent, last.Text)
	for _, piece := range strings.SplitAfter(text, " ") {
		if err := on.Text(piece); err != nil {
			return model.Reply{}, err
		}
	}
	return model.Reply{Text: text}, nil
}

// TestTheManualsGuardrailsWork plays the file of docs/teams/guardrails.md.
func TestTheManualsGuardrailsWork(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/teams/guardrails.md")
	if err != nil {
		t.Fatal(err)
	}
	_, file, found := strings.Cut(string(manual), "# tested: guardrails\n")
	file, _, _ = strings.Cut(file, "```")
	if !found {
		t.Fatal("docs/teams/guardrails.md has no such file")
	}
	d := &desk{}
	file = strings.Replace(file, `{ api_key: "${OPENAI_API_KEY}", model: gpt-4.1-mini }`, "{ type: desk }", 1)
	file += "    tools: [ { agent: query, approve: never } ]\n  query: { type: script, description: Answers " +
		"queries., steps: [ { say: " +
		"\"password: hunter22\" } ] }\n"
	team := loadWith(t, file, Options{Providers: map[string]model.Provider{"desk": func(model.Config) (model.Model, error) { return d, nil }}})
	for _, test := range []struct {
		says, want string
		code       errcode.Code
	}{
		{"hello", "You said: hello", ""},
		{"MY PASSWORD is x", "Please do not send passwords.", errcode.GuardrailRefused},
		{"I am ann@example.org", "You said: I am [email]", ""},
		{"the lottery", "I only know about bread.", ""},
		{"what is Project Zeus?", "You said: what is [internal]?", ""},
		{"take aspirin. Then rest.", "Please ask a doctor. Then rest.", ""},
		{"call DROP TABLE x", "It says: That is not allowed. Ask for something else.", ""},
		{"call something", "The answer of a tool had a key in it.", errcode.GuardrailRefused},
	} {
		result, err := thread.Run(t.Context(), team.Agents["desk"], test.says)
		got := ""
		if refused, ok := errors.AsType[*errcode.Error](err); ok {
			got = refused.Public()
		} else if err == nil {
			got = result.Text
		}
		if errcode.Of(err) != test.code || got != test.want {
			t.Errorf("%q: %q, %v; want %q", test.says, got, err, test.want)
		}
	}
	for _, sent := range d.sent {
		if strings.Contains(sent, "ann@") {
			t.Errorf("the model was sent %q", sent)
		}
	}
}

func loadWith(t *testing.T, file string, o Options) *Team {
	t.Helper()
	o.Env = func(string) (string, bool) { return "", false }
	team, err := parse("team.yaml", []byte(file), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := team.Close(); err != nil {
			t.Error(err)
		}
	})
	return team
}

// TestHooksOfTheProgramAreNamed, for one agent and for all that are served.
func TestHooksOfTheProgramAreNamed(t *testing.T) {
	t.Parallel()
	var seen []string
	note := func(name string) groupchat.Hooks {
		return groupchat.Hooks{Name: name, Turn: func(ctx context.Context, t *groupchat.Turn, next func(context.Context) error) error {
			seen = append(seen, name+" "+t.Path())
			return next(ctx)
		}}
	}
	team := loadWith(t, `version: 1
hooks: [ all ]
agents:
  a:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: p, type: script, hooks: [ one ], steps: [ { say: x } ] }, { name: q, type: script, steps: [ { say: y } ] } ]
`, Options{Hooks: map[string]groupchat.Hooks{"all": note("all"), "one": note("one")}})
	if _, err := thread.Run(t.Context(), team.Agents["a"], "go"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(seen, ", "); got != "all , all p, one p, all q" {
		t.Errorf("called %s", got)
	}
	_, err := parse("team.yaml", []byte("version: 1\nagents: { a: { type: script, hooks: [ two ], steps: [ { say: x "+
		"} ] } }"),
		Options{Hooks: map[string]groupchat.Hooks{"one": note("one")}})
	if err == nil || !strings.Contains(err.Error(), `2:39: "two" is no hook`) {
		t.Errorf("got %v", err)
	}
}
