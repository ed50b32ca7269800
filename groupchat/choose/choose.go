// Package choose selects the participants of a [groupchat.Concurrent] that work in a turn: by conditions, or by a
// model.
package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/internal/choice"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/model"
)

// When returns a selector of those participants with a condition that holds, and of those without one.
func When(when map[string]groupchat.Condition) groupchat.Selector {
	return func(_ context.Context, v groupchat.View) ([]string, error) {
		var names []string
		for _, p := range v.Participants {
			if c, ok := when[p.Name]; !ok || c != nil && c(v) {
				names = append(names, p.Name)
			}
		}
		return names, nil
	}
}

// Options are the options of [ByModel]. Only Model is required.
type Options struct {
	Model model.Model
	// Instructions say how to choose; the participants with their descriptions and the form of the answer are added.
	Instructions string
	// Sees are JSON Pointers to the parts of the state in the request.
	Sees []string
	// Most is how many are chosen at most; 0 means all.
	Most int
	// Retries is how often the model is asked again after an invalid choice; 0 means 2, -1 never.
	Retries int
	// Among selects the participants that the model may choose; nil offers all. If it leaves no more than one, no model
	// is asked.
	Among groupchat.Selector
}

// selectionTranscript is the size of the conversation in the request of a choosing model, in bytes.
const selectionTranscript = 32 << 10

// ByModel returns a selector that lets a model choose at least one participant. Its replies are recorded, see
// [groupchat.View.AskModel]. If
// the model fails, or none of its choices is valid, all candidates work, or the first Most of them: a turn is not lost
// because no participant could tell whom it is for. A hook that refuses the call fails the turn.
func ByModel(o Options) groupchat.Selector {
	return func(ctx context.Context, v groupchat.View) ([]string, error) {
		if o.Among != nil {
			names, err := o.Among(ctx, v)
			if err != nil {
				return nil, err
			}
			v.Participants = slices.DeleteFunc(slices.Clone(v.Participants),
				func(p profile.Info) bool { return !slices.Contains(names, p.Name) })
		}
		if len(v.Participants) < 2 {
			return choice.Names(v.Participants), nil
		}
		if o.Model == nil {
			return nil, &errcode.Error{Code: errcode.Internal, Err: errors.New("a selection without a model")}
		}
		chosen, err := o.ask(ctx, v)
		switch {
		case err == nil:
			return chosen, nil
		case ctx.Err() != nil || errcode.EndsTurn(err):
			return nil, err
		}
		v.Warn(ctx, "groupchat: the model does not choose who works, so all do", err)
		return o.first(choice.Names(v.Participants)), nil
	}
}

func (o *Options) first(names []string) []string {
	if o.Most > 0 && o.Most < len(names) {
		return names[:o.Most]
	}
	return names
}

// ask asks the model until its choice can be used.
func (o *Options) ask(ctx context.Context, v groupchat.View) ([]string, error) {
	names := choice.Names(v.Participants)
	request := model.Request{Messages: o.messages(v), Schema: choice.SeveralSchema(names), SchemaName: "selection",
		Strict: true}
	for try := 1; ; try++ {
		reply, err := v.AskModel(ctx, strconv.Itoa(try),
			groupchat.ModelCall{Purpose: model.ForChoice, Model: o.Model, Request: request})
		if err != nil {
			return nil, err
		}
		chosen, problem := choice.ReadSeveral(reply.Text, names, o.Most)
		if problem == "" {
			return chosen, nil
		}
		if try > cmp.Or(o.Retries, 2) {
			return nil, &errcode.Error{Code: errcode.ModelResponse, Err: fmt.Errorf("the selection: %s", problem)}
		}
		if words := reply.Words(); words != "" {
			request.Messages = append(request.Messages, model.Message{Role: agui.RoleAssistant, Text: words})
		}
		request.Messages = append(request.Messages,
			model.Message{Role: agui.RoleUser, Text: "That will not do: " + problem + ". Choose again."})
	}
}

func (o *Options) messages(v groupchat.View) []model.Message {
	var b strings.Builder
	b.WriteString("These participants can work at once on what the user wants:\n")
	for _, p := range v.Participants {
		fmt.Fprintf(&b, "- %s: %s\n", p.Name, p.Description)
	}
	for _, pointer := range o.Sees {
		if v.State == nil {
			break
		}
		if raw, ok := v.State.Raw(pointer); ok {
			fmt.Fprintf(&b, "The state at %q is now: %s\n", pointer, raw)
		}
	}
	b.WriteString("Choose those who are needed for it, and nobody else.")
	if o.Most > 0 {
		fmt.Fprintf(&b, " Choose at most %d.", o.Most)
	}
	b.WriteString(` Answer with one JSON object: {"reason": why, "participants": [names]}.`)
	system := b.String()
	if o.Instructions != "" {
		system = o.Instructions + "\n\n" + system
	}
	all := append([]model.Message{{Role: agui.RoleSystem, Text: system}}, v.Transcript(selectionTranscript)...)
	return append(all, model.Message{Role: agui.RoleUser, Text: "Who works on this? Answer with the JSON object."})
}
