package chat

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

type asker struct {
	screen *screen
	// read reads a line that begins with text, for editing. Its errors are ErrLeft, and those of the terminal.
	read func(prompt, text string) (string, error)
	// reads reports whether the agent reads messages as answers; nil means no.
	reads func() bool
	// call returns a call of the conversation, for servers that leave it out of questions.
	call func(id string) (tool, arguments string)
}

// ask asks one question. The error is ErrLeft if the person leaves it open.
func (a *asker) ask(q question, place string) (answer, error) {
	c := q.card()
	head := "? " + Clean(c.Message)
	if place != "" {
		head = "? (" + place + ") " + Clean(c.Message)
	}
	a.screen.line(head, asking)
	var about []string
	if c.Agent != "" {
		about = append(about, "asked by "+line(c.Agent, 60))
	}
	if until := q.until(); until != "" {
		about = append(about, until)
	}
	if len(about) > 0 {
		a.screen.line("  "+strings.Join(about, ", "), dim)
	}
	payload, err := a.payload(q)
	if errors.Is(err, errCancelled) {
		return answer{question: q}, nil
	}
	return answer{question: q, payload: payload}, err
}

var errCancelled = errors.New("chat: the question is cancelled")

func (a *asker) payload(q question) (json.RawMessage, error) {
	s := parseSchema(q.ResponseSchema)
	choices := q.choices()
	switch {
	case q.approval():
		return a.approve(q)
	case len(choices) > 0:
		a.list(choices)
	case s.kind() == "object" && len(members(s.Properties)) > 0 && !s.bare():
		return a.form(q)
	}
	a.screen.line("  "+hintOf(s, choices)+"; /cancel gives no answer, Ctrl-C leaves it open", dim)
	for {
		text, err := a.line("answer> ", "")
		if err != nil {
			return nil, err
		}
		if a.reads != nil && text != "" && q.isFreeText(text) && a.reads() {
			return nil, freeText(text)
		}
		payload, err := q.parseTyped(text)
		if err == nil {
			return payload, nil
		}
		a.misfit(err)
	}
}

// freeText is a text that only the agent can interpret as an answer. It is an error, because there is no answer yet.
type freeText string

func (s freeText) Error() string { return "chat: an answer in words" }

func hintOf(s schema, choices []choice) string {
	switch {
	case len(choices) > 0:
		return "write a number"
	case s.kind() == "boolean":
		return "write y or n"
	case s.kind() == "string", s.kind() == "" && len(s.raw) == 0, s.bare():
		return "write the answer"
	default:
		return "write the answer, or JSON"
	}
}

func (a *asker) list(choices []choice) {
	for i, c := range choices {
		text := "  " + strconv.Itoa(i+1) + "  " + c.label
		if c.recommended {
			text += " (recommended)"
		}
		a.screen.line(text, plain)
	}
}

// line reads a line, without blanks around it. The command /cancel is errCancelled.
func (a *asker) line(prompt, text string) (string, error) {
	text, err := a.read(prompt, text)
	if err != nil {
		return "", err
	}
	text = strings.TrimSpace(text)
	if text == "/cancel" {
		return "", errCancelled
	}
	return text, nil
}

func (a *asker) misfit(err error) { a.screen.line("  "+Clean(err.Error()), wrong) }

// sure asks for yes or no. Confirming the unchanged text means that text.
func (a *asker) sure(prompt, text string) (bool, error) {
	for {
		input, err := a.line(prompt, text)
		if err != nil {
			return false, err
		}
		if yes, ok := decision(input); ok {
			return yes, nil
		}
		a.misfit(misfit("write y or n"))
	}
}

func decision(text string) (yes, ok bool) {
	switch strings.ToLower(text) {
	case "y", "yes", "true", "a", "allow", "approve":
		return true, true
	case "n", "no", "false", "d", "deny", "decline":
		return false, true
	}
	return false, false
}

// object writes members as an object, in their order.
func object(list []member) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := agui.Marshal(m.name)
		if err != nil {
			continue // texts always encode
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}
