package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// Code that decides something in a team knows the caller, with the roles and claims of the run's request.
func TestEverybodyInATeamIsToldThePrincipal(t *testing.T) {
	t.Parallel()
	ada := Principal{ID: "ada", Roles: []string{"editor"}, Claims: map[string]any{"tenant": "north"}}
	var told []string
	note := func(who string, p Principal) {
		told = append(told, fmt.Sprint(who, " ", p.ID, " ", p.Has("editor"), p.Has("admin"), " ", p.Claims["tenant"]))
	}
	tool := Tool{Name: "f", Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
		note("tool", c.Principal)
		return tools.Text("done"), nil
	}}
	inTurn := Tool{Name: "g", Turn: func(_ context.Context, turn *Turn, c ToolCall) (tools.Result, error) {
		note("tool in the turn", c.Principal)
		note("turn of the tool", turn.Principal())
		return tools.Text("done"), nil
	}}
	clerk := &LLM{Model: newMind(t, calls("f", `{}`), calls("g", `{}`), says("Done.")).model(), Tools: []Tool{tool, inTurn}}
	asks := Sub(team(Sequential(), Participant{Name: "asks", Agent: asker("k")}), SubOptions{
		Inputs: map[string]func(View) (any, error){"n": func(v View) (any, error) { note("inputs", v.Principal); return 1, nil }},
		OnAsk: func(_ context.Context, turn *Turn, _ Asked) (ask.Answer, bool, error) {
			note("answers for people", turn.Principal())
			return ask.Answer{Payload: json.RawMessage(`"1"`)}, true, nil
		},
		State: Scoping{Kind: ScopeIsolated},
	})
	manager := managerFunc(func(_ context.Context, v View) (Decision, error) {
		note("manager", v.Principal)
		switch v.Round {
		case 0:
			return Decision{Speaker: "clerk", Act: func(_ context.Context, turn *Turn) error { note("supervisor", turn.Principal()); return nil }}, nil
		case 1:
			return Decision{Speaker: "inner"}, nil
		default:
			return Decision{Done: true}, nil
		}
	})
	chat := team(func() Manager { return manager }, Participant{Name: "clerk", Agent: clerk}, Participant{Name: "inner", Agent: asks})
	r := newRig(t, chat)
	r.input = Input{Principal: ada}
	must(t, r.say("go").err)
	for _, who := range []string{"manager", "supervisor", "tool", "tool in the turn", "turn of the tool", "inputs", "answers for people"} {
		if !strings.Contains("\n"+strings.Join(told, "\n")+"\n", "\n"+who+" ada true false north\n") {
			t.Errorf("the %s was not told: %q", who, told)
		}
	}
}

// A principal that is formatted, or given to a logger, shows its id and nothing that is known of it.
func TestAPrincipalIsWrittenAsItsID(t *testing.T) {
	t.Parallel()
	p := Principal{ID: "ada", Roles: []string{"editor"}, Claims: map[string]any{"email": "ada@example.com"}}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == "principal" {
			return a
		}
		return slog.Attr{}
	}})).Info("hello", "principal", p)
	equal(t, "log", log.String(), "principal=ada\n")
	for _, form := range []string{"%s", "%v", "%+v", "%#v"} {
		equal(t, form, fmt.Sprintf(form, p), "ada")
	}
}
