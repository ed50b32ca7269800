package teamfile

import "github.com/agui-gateway/gateway/groupchat"

// suggestions reads what people could say to an agent: a list, or a model that is asked for it. Nil means that there are none.
func (b *builder) suggestions(n *node) groupchat.Suggester {
	if n == nil {
		return nil
	}
	o := groupchat.SuggestOptions{Log: b.log}
	if n.kind == mappingNode {
		f := b.fields(n, "suggestions")
		at := f.take("model")
		o.Instructions, o.Sees = b.text(f.take("instructions")), b.sees(f.take("sees"))
		o.List = b.suggestionList(f.take("list"))
		if at != nil {
			o.Model = b.model(at, at)
		} else if o.Instructions != "" || o.Sees != nil || o.List == nil {
			b.bad(n, "name the model that makes suggestions, `model: default`, or write a list of them")
		}
		f.end()
		return groupchat.Suggest(o)
	}
	o.List = b.suggestionList(n)
	return groupchat.Suggest(o)
}

// suggestionList reads suggestions: texts, or titles with the messages they stand for.
func (b *builder) suggestionList(n *node) []groupchat.Suggestion {
	var list []groupchat.Suggestion
	for _, item := range b.list(n, "suggestions") {
		if item.kind == scalarNode {
			text := b.text(item)
			if text == "" {
				b.bad(item, "an empty text suggests nothing; write one, or remove it")
			}
			list = append(list, groupchat.Suggestion{Title: text, Message: text})
			continue
		}
		f := b.fields(item, "a suggestion")
		title, message := f.need("title", "say what stands on the button"), f.need("message", "say what is sent when the button is pressed")
		f.end()
		list = append(list, groupchat.Suggestion{Title: b.text(title), Message: b.text(message)})
	}
	return list
}

// suggesting is agent with a suggester, if there is one.
func suggesting(agent groupchat.Agent, s groupchat.Suggester) groupchat.Agent {
	if s == nil {
		return agent
	}
	return groupchat.WithSuggestions(agent, s)
}
