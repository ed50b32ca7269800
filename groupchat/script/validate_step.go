package script

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

func (c *validation) asks(action string, asks []Ask) {
	if len(asks) == 0 {
		c.bad("%s: has no questions", action)
	}
	for i := range asks {
		c.ask(action, &asks[i])
	}
	for i := range asks {
		c.learn(asks[i].Key, "question")
	}
}

func (c *validation) ask(action string, a *Ask) {
	if a.Key == "" {
		c.bad("%s: a question has no key", action)
	}
	if strings.ContainsAny(a.Key, "#{}") {
		c.bad("%s: the key %q contains one of # { }", action, a.Key)
	}
	if a.Message == "" {
		c.bad("%s: question %q has no message", action, a.Key)
	}
	if a.Options != nil && len(a.Options) == 0 {
		c.bad("%s: question %q has no options to choose from; leave them out for free input", action, a.Key)
	}
	if a.TTL < 0 {
		c.bad("%s: question %q: ttl %s is less than nothing", action, a.Key, a.TTL)
	}
	if _, err := json.Marshal(a.Options); err != nil {
		c.bad("%s: question %q: the options are not JSON", action, a.Key)
	}
	c.card(action, a)
	c.uses(a.Message)
	c.uses(a.Options)
	c.uses(a.Value)
}

// card looks at what a question has beside its options.
func (c *validation) card(action string, a *Ask) {
	if _, err := ask.CardMembers(a.Value); err != nil {
		c.bad("%s: question %q: %w", action, a.Key, err)
	}
	if a.Schema == nil {
		return
	}
	if a.Options != nil {
		c.bad("%s: question %q has both options and a schema", action, a.Key)
	}
	if schema, err := json.Marshal(a.Schema); err != nil || state.CheckSchema(schema) != nil {
		c.bad("%s: question %q: the schema is not a JSON Schema that answers can be held against", action, a.Key)
	}
}

func (c *validation) set(s *Set) {
	literal := reference.ReplaceAllString(s.Path, "0")
	empty, err := document.New(nil, document.Options{})
	if err == nil {
		_, err = empty.Get(literal, new(any))
	}
	if err != nil {
		c.bad("set: path: %w", err)
	}
	if _, err := json.Marshal(s.Value); err != nil {
		c.bad("set: the value is not JSON")
	}
	c.uses(s.Path)
	c.uses(s.Value)
	if text, isText := s.Value.(string); s.Merge {
		_, isObject := s.Value.(map[string]any)
		isReference := isText && slices.Equal(reference.FindAllString(text, -1), []string{text})
		if !isObject && !isReference {
			c.bad("set: what is merged is an object, or a reference to one")
		}
	}
}

func (c *validation) tool(t *Tool) {
	if t.Name == "" {
		c.bad("tool: has no name")
	}
	switch t.Arguments.(type) {
	case nil, map[string]any:
	default:
		c.bad("tool: the arguments are not an object")
	}
	if _, err := json.Marshal(t.Arguments); err != nil {
		c.bad("tool: the arguments are not JSON")
	}
	c.uses(t.Arguments)
	c.learn(t.Name, "tool")
}

func (c *validation) call(call *Call) {
	if call.Name == "" || call.Agent == nil {
		c.bad("call: names no agent")
	}
	c.uses(call.Query)
	c.learn(call.Name, "agent")
}
