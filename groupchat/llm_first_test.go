package groupchat

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// using is a model that has used tokens of a name, and fails with code if there is one.
func using(name string, tokens int64, code errcode.Code) model.Model {
	return model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		reply := model.Reply{Usage: agui.TokenUsage{Provider: "test", Model: name, TotalTokens: &tokens}}
		if code != "" {
			return reply, &errcode.Error{Code: code, Err: errors.New(name)}
		}
		reply.Text = "Hello from " + name + "."
		return reply, nil
	})
}

// tokensByModel is a usage as a map.
func tokensByModel(usage []agui.TokenUsage) map[string]int64 {
	by := map[string]int64{}
	for _, u := range usage {
		by[u.Model] = *u.TotalTokens
	}
	return by
}

// TestWhatFailedModelsUsedCounts for the run, and for the one that takes it over after its reply was recorded.
func TestWhatFailedModelsUsedCounts(t *testing.T) {
	first := &model.FirstOf{Models: []model.Model{using("a", 3, errcode.ModelUnavailable), using("b", 4, "")}}
	r := newRig(t, &LLM{Model: first})
	usage := &Usage{}
	r.messages = append(r.messages, Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hi")})
	must(t, r.run(Session{Usage: usage}).err)
	want := map[string]int64{"a": 3, "b": 4}
	equal(t, "used", tokensByModel(usage.Total()), want)
	earlier, _ := EarlierUsage(nil, r.onces, "1")
	equal(t, "used by the attempt before", tokensByModel(earlier), want)
	equal(t, "says", slices.Contains(texts(r.messages), "Hello from b."), true)
}

// TestWhatAManagersModelsUsedCounts in its decision, too.
func TestWhatAManagersModelsUsedCounts(t *testing.T) {
	chooses := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		n := int64(4)
		return model.Reply{Text: `{"next_speaker":"x","terminate":true,"reason":"","message":"","instruction":""}`, Usage: agui.TokenUsage{Provider: "test", Model: "b", TotalTokens: &n}}, nil
	})
	first := &model.FirstOf{Models: []model.Model{using("a", 3, errcode.ModelAuth), chooses}}
	r := newRig(t, &Chat{Manager: LLMManager(LLMManagerOptions{Model: first}), Participants: []Participant{{Name: "x", Agent: sayer("Hi.")}}})
	usage := &Usage{}
	r.messages = append(r.messages, Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hi")})
	must(t, r.run(Session{Usage: usage}).err)
	want := map[string]int64{"a": 3, "b": 4}
	equal(t, "used", tokensByModel(usage.Total()), want)
	earlier, _ := EarlierUsage(nil, r.onces, "1")
	equal(t, "used by the attempt before", tokensByModel(earlier), want)
}

func TestAListWithoutModelsIsRefused(t *testing.T) {
	if err := (&LLM{Model: &model.FirstOf{}}).Validate(); err == nil {
		t.Error("Validate() = nil of an agent whose list of models is empty")
	}
}
