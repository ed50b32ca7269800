package chat

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// approval reports whether the question asks a person to decide on a call.
func (q question) approval() bool {
	return q.Reason == "tool_call" &&
		(len(q.ResponseSchema) == 0 || string(q.ResponseSchema) == "{}" || q.hasMember("approved"))
}

func (q question) hasMember(name string) bool {
	return valueOf(parseSchema(q.ResponseSchema).Properties, name) != nil
}

type verdict struct {
	approved bool
	edited   json.RawMessage // nil: as it was proposed
	reason   string
	remember string
}

// payload is the verdict as docs/approvals.md has it.
func (v verdict) payload() (json.RawMessage, error) {
	return agui.Marshal(struct {
		Approved bool            `json:"approved"`
		Edited   json.RawMessage `json:"editedArgs,omitempty"`
		Reason   string          `json:"reason,omitempty"`
		Remember string          `json:"remember,omitempty"`
	}{v.approved, v.edited, v.reason, v.remember})
}

func (a *asker) approve(q question) (json.RawMessage, error) {
	c := q.card()
	if c.Tool == "" && a.call != nil {
		tool, arguments := a.call(q.ToolCallID)
		c.Tool = tool
		if json.Valid([]byte(arguments)) {
			c.Arguments = json.RawMessage(arguments)
		}
	}
	a.showCall(c)
	var edited json.RawMessage
	for {
		ways := waysOf(q, c, edited != nil)
		a.screen.line("  "+strings.Join(ways.words(), ", ")+"; a reason may follow a colon", dim)
		text, err := a.line("decision> ", "")
		if err != nil {
			return nil, err
		}
		word, reason, _ := strings.Cut(text, ":") // a letter alone is no decision: "a" also begins a sentence
		way := ways.find(strings.TrimSpace(word))
		if way == nil {
			a.misfit(misfit("this is none of the decisions"))
			continue
		}
		if way.edit {
			if edited, err = a.edit(c, edited); err != nil {
				return nil, err
			}
			continue
		}
		v := verdict{approved: way.approved, reason: strings.TrimSpace(reason), remember: way.remember}
		if v.approved {
			v.edited = edited
		} else if v.reason == "" {
			if v.reason, err = a.line("why not> ", ""); err != nil {
				return nil, err
			}
		}
		payload, err := v.payload()
		if err == nil && checkable(q.ResponseSchema) {
			err = state.ValidateAnswer(q.ResponseSchema, payload)
		}
		if err == nil {
			return payload, nil
		}
		a.misfit(misfit("this is refused: " + mismatch(err)))
	}
}

// showCall shows what would be called with what, and why.
func (a *asker) showCall(c card) {
	if c.Why != "" {
		a.screen.line("  why: "+line(c.Why, 600), dim)
	}
	a.screen.line("  "+line(cmp.Or(c.Tool, "a tool"), 80)+describe(c.Description), bold)
	a.showArguments(c.Arguments, nil)
	switch {
	case c.Truncated:
		a.screen.line("  These are not all of the arguments.", wrong)
	case c.Masked:
		a.screen.line("  Something in the arguments is not shown; the tool is called with something else.", wrong)
	}
}

func describe(description string) string {
	if description == "" {
		return ""
	}
	return ": " + line(description, 300)
}

// showArguments lists arguments, and marks those that differ from what they were.
func (a *asker) showArguments(arguments, before json.RawMessage) {
	list := members(arguments)
	if list == nil && len(arguments) > 0 {
		a.screen.line("    "+line(label(arguments), 2000), plain)
	}
	for _, m := range list {
		text := "    " + line(m.name, 80) + " = " + line(compact(m.value), 2000)
		if before != nil && compact(m.value) != compact(valueOf(before, m.name)) {
			a.screen.line(text+"   (changed)", bold)
			continue
		}
		a.screen.line(text, plain)
	}
}

// edit asks for edited arguments: with a form of the tool's schema, else as JSON.
func (a *asker) edit(c card, edited json.RawMessage) (json.RawMessage, error) {
	now := edited
	if now == nil {
		now = c.Arguments
	}
	s := parseSchema(c.Schema)
	var err error
	if len(members(s.Properties)) > 0 {
		now, err = a.fill(s, now)
	} else {
		now, err = a.json("arguments> ", schema{raw: c.Schema}, now)
	}
	if err != nil {
		return nil, err
	}
	a.showArguments(now, c.Arguments)
	if compact(now) == compact(c.Arguments) {
		return nil, nil
	}
	return now, nil
}

type way struct {
	key, word, text string
	approved, edit  bool
	remember        string
}

type ways []way

// waysOf returns the possible decisions of a question. Edited arguments cannot be remembered.
func waysOf(q question, c card, edited bool) ways {
	list := ways{{key: "a", word: "allow", text: "a allow", approved: true}, {key: "d", word: "deny", text: "d deny"}}
	if edited {
		list[0].text = "a allow the edited call"
	}
	if !c.Truncated && !c.Masked && members(c.Arguments) != nil &&
		(len(q.ResponseSchema) == 0 || q.hasMember("editedArgs")) {
		list = append(list, way{key: "e", word: "edit", text: "e edit", edit: true})
	}
	if edited {
		return list
	}
	if slices.Contains(c.Remember, "thread") {
		list = append(list, way{key: "c", word: "conversation", text: "c allow for this conversation", approved: true,
			remember: "thread"})
	}
	if slices.Contains(c.Remember, "principal") {
		list = append(list, way{key: "w", word: "always", text: "w always allow", approved: true,
			remember: "principal"})
	}
	return list
}

func (w ways) words() (words []string) {
	for _, one := range w {
		words = append(words, one.text)
	}
	return words
}

func (w ways) find(word string) *way {
	word = strings.ToLower(word)
	for i := range w {
		if word == w[i].key || word == w[i].word {
			return &w[i]
		}
	}
	return nil
}
