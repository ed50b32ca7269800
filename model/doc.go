// Package model says what a language model is to this module: a [Model] has one method, which takes a [Request], hands
// on what the model says while it says it, and returns the whole [Reply]. Agents and managers of package groupchat
// speak through any Model; which one is the choice of whoever puts a program together. The package knows nothing of
// agents and turns, and opens no connection.
//
// Package [github.com/agui-gateway/gateway/model/openai] has the models behind OpenAI-compatible APIs:
//
//	m, err := openai.New(openai.Options{BaseURL: "http://127.0.0.1:11434/v1", Name: "llama3.2"})
//	if err != nil {
//		return err
//	}
//	reply, err := m.Stream(ctx, model.Request{
//		Messages: []model.Message{{Role: agui.RoleUser, Text: "What is the capital of Peru?"}},
//	}, model.Deltas{Text: func(delta string) error {
//		_, err := os.Stdout.WriteString(delta)
//		return err
//	}})
//
// # One call
//
// [Model.Stream] makes one call. While the model speaks, [Deltas] get what it says, piece by piece; the [Reply] has all
// of it in the end, with the calls of tools the model makes and the tokens it used. The caller makes those calls of
// tools, appends the reply and the results to the messages, and asks again. A reply that broke off is an error, never
// half a reply.
//
// # A model of one's own
//
// Whatever can answer a request is a model: another provider's library, a program, a table of replies in a test. A
// [Func] is enough:
//
//	parrot := model.Func(func(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
//		return model.Reply{Text: r.Messages[len(r.Messages)-1].Text}, nil
//	})
//	agent := &groupchat.LLM{Model: parrot}
//
// It need not stream: text, reasoning and calls that were not handed on are shown to clients when the reply is
// complete. Calls need no ids, and unknown usage stays nil. A model with a server classifies its errors by codes; the
// comment of [Model.Stream] lists them.
package model
