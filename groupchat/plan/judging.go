package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/model"
)

// draftTask is the instruction for the facts and the plan.
const draftTask = `
Write down what is known about the task, in four lists: given, what the user has said or the work has shown;
to_look_up, what somebody has to find out, and where; to_derive, what follows by thinking or computing; guesses, what
is likely and not certain. Then write a short plan: the steps in order, each with the participant who does it, and no
more participants than are needed. Do none of the work yourself.
Answer with one JSON object: {"facts": {"given": […], "to_look_up": […], "to_derive": […], "guesses": […]}, "plan":
[steps]}.`

// judgeTask is the instruction for a judgement.
const judgeTask = `
Look at the conversation since the plan was made, and judge. Answer with one JSON object: {"satisfied": whether the
task is done in full, "looping": whether the same is said or done again and again, "advancing": whether the newest
turns have brought the task on, "next_speaker": the participant who works next, "instruction": what that participant
is to do now, in full sentences, "reason": why}.`

// answerTask is the instruction for the final answer.
const answerTask = `
The work is done. Answer the user's task, by what the conversation has shown, as one who speaks to the user. Do not
tell how the team worked unless that was asked for.`

// givenUpTask replaces it if the work has stalled too often.
const givenUpTask = `
The work has come to a standstill. Tell the user, as one who speaks to the user, what was found out, what is missing
and why.`

var draftSchema = schemaOf(map[string]any{
	"facts": object(map[string]any{"given": texts, "to_look_up": texts, "to_derive": texts, "guesses": texts}),
	"plan":  texts,
})

var texts = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}

// object returns the schema of an object with required members only, for servers that enforce it.
func object(properties map[string]any) map[string]any {
	names := []string{}
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return map[string]any{"type": "object", "additionalProperties": false, "required": names, "properties": properties}
}

func schemaOf(properties map[string]any) json.RawMessage {
	raw, err := json.Marshal(object(properties))
	if err != nil {
		panic(err) // of texts
	}
	return raw
}

// judge asks the model how far the work has come.
func (m *manager) judge(ctx context.Context, v groupchat.View) (p Progress, err error) {
	l := m.Ledger
	names := []string{}
	for _, one := range v.Participants {
		if one.Name != v.Idle {
			names = append(names, one.Name)
		}
	}
	yes := map[string]any{"type": "boolean"}
	text := map[string]any{"type": "string"}
	var b strings.Builder
	fmt.Fprintf(&b, "The task:\n%s\n\nThe team:\n%s", l.Task, roll(v))
	for _, name := range names {
		if n := v.Failed[name]; n > 0 {
			fmt.Fprintf(&b, "%s failed %d times.\n", name, n)
		}
	}
	if v.Idle != "" && v.Idle != v.Supervisor {
		fmt.Fprintf(&b, "%s did nothing in its last turn and cannot work next.\n", v.Idle)
	}
	fmt.Fprintf(&b, "\nThe facts:\n%s\nThe plan:\n%s\n%s", l.Facts.text(), numbered(l.Plan), judgeTask)
	ask := asking{m: m, name: "progress",
		question: "How far has it come, and who works next? Answer with the JSON object.",
		schema: schemaOf(map[string]any{
			"satisfied": yes, "looping": yes, "advancing": yes, "instruction": text, "reason": text,
			"next_speaker": map[string]any{"type": "string", "enum": names},
		})}
	err = ask.until(b.String(), v, func(key string, c groupchat.ModelCall) (reply, error) {
		got, err := v.AskModel(ctx, "progress/"+key, c)
		return reply{got.Text, got.Words()}, err
	}, func(raw json.RawMessage) string {
		p = Progress{}
		if exact.Unmarshal(raw, &p) != nil {
			return "a member has the wrong type"
		}
		p.Instruction, p.Reason = clip.Bytes(p.Instruction, 2*MaxEntryBytes), clip.Bytes(p.Reason, MaxEntryBytes)
		i := slices.IndexFunc(names,
			func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(p.NextSpeaker)) })
		switch {
		case i >= 0:
			p.NextSpeaker = names[i]
		case !p.Satisfied:
			return fmt.Sprintf("there is no %q who could work next; next_speaker is one of %s",
				clip.Bytes(p.NextSpeaker, 100), strings.Join(names, ", "))
		default:
			p.NextSpeaker = ""
		}
		return ""
	})
	return p, err
}

func (m *manager) answer(ctx context.Context, t *groupchat.Turn) error {
	l := &m.Ledger
	task := answerTask
	if l.Status == GivenUp {
		task = givenUpTask
	}
	if m.o.Final != "" {
		task += "\n" + m.o.Final
	}
	v := t.View()
	var words string
	ask := asking{m: m, name: "answer", question: "Answer the user now."}
	prompt := fmt.Sprintf("The task:\n%s\n\nThe team:\n%s\nThe facts:\n%s\nThe plan:\n%s\n%s", l.Task, roll(v),
		l.Facts.text(), numbered(l.Plan), task)
	err := ask.until(prompt, v, func(key string, c groupchat.ModelCall) (reply, error) {
		got, err := t.AskModel("answer/"+key, c)
		words = strings.TrimSpace(got.Words())
		return reply{got.Text, got.Words()}, err
	}, func(json.RawMessage) string {
		if words == "" {
			return "it is empty"
		}
		return ""
	})
	if err != nil {
		return err
	}
	if err := groupchat.SayOnce(t, "answer", words); err != nil {
		return err
	}
	if l.Status == Answering {
		l.Status = Done
	}
	m.Answered = true
	return m.show(ctx, t)
}

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
