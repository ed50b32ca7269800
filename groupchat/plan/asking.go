package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A reply is the text of a model's answer, and what it says if it refuses.
type reply struct{ text, words string }

// An asking is a question to the manager's model with a schema for the answer.
type asking struct {
	m        *manager
	name     string
	schema   json.RawMessage // nil: any text
	question string
}

// until asks until read has no objection to the answer, which it returns in words for the model, or the retries are
// used up.
func (a *asking) until(task string, v groupchat.View, ask func(key string, c groupchat.ModelCall) (reply, error),
	read func(json.RawMessage) string) error {
	request := model.Request{Messages: a.m.buildMessages(task, v, a.question), Schema: a.schema}
	if a.schema != nil {
		request.SchemaName, request.Strict = a.name, true
	}
	for try := 1; ; try++ {
		got, err := ask(strconv.Itoa(try),
			groupchat.ModelCall{Purpose: model.ForPlan, Model: a.m.o.Model, Request: request})
		if err != nil {
			return err
		}
		problem := "it is not a JSON object"
		if a.schema == nil {
			problem = read(nil)
		} else if raw := model.Object(got.text); raw != nil {
			problem = read(raw)
		}
		if problem == "" {
			return nil
		}
		if try > max(0, cmp.Or(a.m.o.Retries, retries)) {
			return &errcode.Error{Code: errcode.ModelResponse,
				Err: fmt.Errorf("plan: the model's %s: %s", a.name, problem)}
		}
		request.Messages = slices.Clone(request.Messages)
		if got.words != "" {
			request.Messages = append(request.Messages, model.Message{Role: agui.RoleAssistant, Text: got.words})
		}
		request.Messages = append(request.Messages,
			model.Message{Role: agui.RoleUser, Text: "That will not do: " + problem + ". Answer again."})
	}
}

// buildMessages returns the model's messages: the instructions and the task, the newest of the conversation, and the
// question.
func (m *manager) buildMessages(task string, v groupchat.View, question string) []model.Message {
	var b strings.Builder
	if m.o.Instructions != "" {
		b.WriteString(m.o.Instructions + "\n\n")
	}
	b.WriteString("You lead a team that works on a task for a user.\n\n" + task)
	for _, pointer := range m.o.Sees {
		if v.State == nil {
			break
		}
		if raw, ok := v.State.Raw(pointer); ok {
			fmt.Fprintf(&b, "\nThe state at %q is now: %s", pointer, raw)
		}
	}
	all := append([]model.Message{{Role: agui.RoleSystem, Text: b.String()}}, v.Transcript(transcript)...)
	return append(all, model.Message{Role: agui.RoleUser, Text: question})
}

func roll(v groupchat.View) string {
	var b strings.Builder
	for _, p := range v.Participants {
		fmt.Fprintf(&b, "- %s: %s\n", p.Name, p.Description)
	}
	return b.String()
}

// ofModel reports whether an error is the model's, and neither a decision of a hook nor the end of the run.
func ofModel(err error) bool {
	switch errcode.Of(err) {
	case errcode.ModelAuth, errcode.ModelRequest, errcode.ModelUnavailable, errcode.ModelContentFilter,
		errcode.ModelResponse, errcode.ModelContextLength:
		return true
	default:
		return false
	}
}
