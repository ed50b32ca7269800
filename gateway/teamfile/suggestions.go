package teamfile

import (
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/suggest"
)

// suggestions reads what people could say to an agent: a list, or a model that makes one. It returns nil if there are
// none.
func (b *builder) suggestions(n *Value) groupchat.Suggester {
	if n == nil {
		return nil
	}
	o := suggest.Options{Log: b.o.Log}
	if !n.IsMapping() {
		o.List = suggestionList(n)
		return suggest.New(o)
	}
	f := n.Fields("suggestions", "")
	at := f.Take("model")
	o.Instructions, o.Sees = f.Take("instructions").Text(), f.Take("sees").sees()
	o.List = suggestionList(f.Take("list"))
	if at != nil {
		o.Model = b.model(at, at)
	} else if o.Instructions != "" || o.Sees != nil || o.List == nil {
		n.Bad("name the model that makes suggestions, `model: default`, or write a list of them")
	}
	f.End()
	return suggest.New(o)
}

// suggestionList reads suggestions: texts, or titles with their messages.
func suggestionList(n *Value) []groupchat.Suggestion {
	var list []groupchat.Suggestion
	for _, item := range n.List("suggestions") {
		if item.isScalar() {
			text := item.Text()
			if text == "" {
				item.Bad("an empty text suggests nothing; write one, or remove it")
			}
			list = append(list, groupchat.Suggestion{Title: text, Message: text})
			continue
		}
		f := item.Fields("a suggestion", "")
		title := f.Need("title", "say what stands on the button")
		message := f.Need("message", "say what is sent when the button is pressed")
		f.End()
		list = append(list, groupchat.Suggestion{Title: title.Text(), Message: message.Text()})
	}
	return list
}

// suggesting returns agent with a suggester, if there is one.
func suggesting(agent groupchat.Agent, s groupchat.Suggester) groupchat.Agent {
	if s == nil {
		return agent
	}
	return groupchat.WithSuggestions(agent, s)
}

// typedAnswers reads whether messages are tried as answers, and which model is asked for their meaning.
func (b *builder) typedAnswers(n *Value) *gateway.TypedAnswers {
	f, on := n.switched("typed_answers", "")
	if !on {
		return nil
	}
	defer f.End()
	if !n.IsMapping() {
		return &gateway.TypedAnswers{}
	}
	return &gateway.TypedAnswers{Model: b.model(f.Take("model"), n)}
}
