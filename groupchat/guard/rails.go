package guard

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

type rails struct{ rules []Rule }

// hooks are those that the rules need, and no others.
func (g *rails) hooks() groupchat.Hooks {
	h := groupchat.Hooks{Name: "guardrails"}
	if g.on(Input) != nil || g.on(Output) != nil {
		h.Turn = g.turn
	}
	if g.on(Request) != nil || g.on(Reply) != nil {
		h.Model = g.model
	}
	if g.on(ToolArguments) != nil || g.on(ToolResult) != nil {
		h.Tool = g.tool
	}
	if g.on(Output) != nil {
		h.Stream = func(t *groupchat.Turn) run.Filter { return g.filterShown(t) }
	}
	return h
}

func (g *rails) on(p Place) []*Rule {
	var list []*Rule
	for i := range g.rules {
		if slices.Contains(g.rules[i].On, p) {
			list = append(list, &g.rules[i])
		}
	}
	return list
}

// edit lets rules judge a text that is there as a whole, one after another.
func edit(ctx context.Context, t *groupchat.Turn, rules []*Rule) editorFunc {
	return func(text string) (string, error) {
		for _, r := range rules {
			var err error
			if text, err = r.whole(ctx, t, text); err != nil {
				return "", err
			}
		}
		return text, nil
	}
}

// editorOf lets rules judge a text that comes in pieces.
func editorOf(t *groupchat.Turn, rules []*Rule) editor {
	var c chain
	for _, r := range rules {
		finders := r.finders()
		if finders != nil && r.Hold == "" && r.do() != Replace {
			m := &masking{finders: finders}
			if r.do() != Redact {
				m.refuse = r.refusal
			}
			c = append(c, m)
			continue
		}
		u := &unit{judge: edit(t.Context(), t, []*Rule{r}), sentence: r.Hold == HoldSentence, tooLong: tooMuchHeld}
		if r.Otherwise == OtherwiseAllow {
			u.tooLong = nil
		}
		c = append(c, u)
	}
	return c
}

// A guardedTurn marks the context of the outermost turn in which rails hold: its contents are not judged twice.
type guardedTurn struct{ *rails }

// turn judges what the user said before the agent works, and what questions say that it waits for.
func (g *rails) turn(ctx context.Context, t *groupchat.Turn, next func(context.Context) error) error {
	if ctx.Value(guardedTurn{g}) != nil {
		return next(ctx)
	}
	ctx = context.WithValue(ctx, guardedTurn{g}, true)
	if rules := g.on(Input); rules != nil {
		for _, text := range lastInput(t) {
			for i, r := range rules {
				_, err := r.whole(ctx, t, text)
				if errcode.Of(err) == errcode.GuardrailRefused && r.do() == Answer {
					return groupchat.SayOnce(t, "guard/answer/"+strconv.Itoa(i), r.Say)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	err := next(ctx)
	if pause, ok := errors.AsType[*ask.Pause](err); ok {
		if rules := g.on(Output); rules != nil {
			return g.questions(ctx, t, pause, rules)
		}
	}
	return err
}

// lastInput is what the user said since anybody else did, as t sees it.
func lastInput(t *groupchat.Turn) []string {
	var said []string
	messages := t.Messages()
	for _, m := range slices.Backward(messages) {
		if m.Role == agui.RoleUser {
			said = append(said, m.Content.Text())
		} else if said != nil {
			break
		}
	}
	if last, ok := t.LastUser(); ok && said == nil {
		said = append(said, last.Content.Text())
	}
	slices.Reverse(said)
	return said
}

// questions judges the messages of questions. Their options and schemas stay: an answer has to match them.
func (g *rails) questions(ctx context.Context, t *groupchat.Turn, p *ask.Pause, rules []*Rule) error {
	judge := edit(ctx, t, rules)
	asked := &ask.Pause{Calls: p.Calls}
	for _, i := range p.Interrupts {
		var err error
		if i.Message, err = judge(i.Message); err != nil {
			return err
		}
		var card map[string]json.RawMessage
		if raw := i.Metadata["value"]; exact.Unmarshal(raw, &card) == nil && card["message"] != nil {
			if card["message"], err = editRaw(card["message"], judge); err != nil {
				return err
			}
			metadata := agui.Metadata{}
			for name, value := range i.Metadata {
				metadata[name] = value
			}
			if metadata["value"], err = json.Marshal(card); err != nil {
				return err
			}
			i.Metadata = metadata
		}
		asked.Interrupts = append(asked.Interrupts, i)
	}
	return asked
}

// tool judges what a tool is called with and what it returns.
func (g *rails) tool(ctx context.Context, u groupchat.ToolUse, next groupchat.ToolFunc) (tools.Result, error) {
	if rules := g.on(ToolArguments); rules != nil {
		arguments, err := editJSON(string(u.Call.Arguments), edit(ctx, u.Turn, rules))
		if err != nil {
			return tools.Result{}, err
		}
		u.Call.Arguments = json.RawMessage(arguments)
	}
	result, err := next(ctx, u)
	if rules := g.on(ToolResult); rules != nil && err == nil {
		result.Content, err = editContent(result.Content, edit(ctx, u.Turn, rules))
	}
	if err != nil {
		return tools.Result{}, err
	}
	return result, nil
}

// model judges what a model is sent and what it answers.
func (g *rails) model(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
	if rules := g.on(Request); rules != nil {
		messages, err := editMessages(c.Request.Messages, edit(ctx, c.Turn, rules))
		if err != nil {
			return model.Reply{}, err
		}
		c.Request.Messages = messages
	}
	rules := g.on(Reply)
	if rules == nil || c.Purpose == model.ForGuard || c.Turn == nil {
		return next(ctx, c)
	}
	return judgedReply(ctx, c, next, rules)
}
