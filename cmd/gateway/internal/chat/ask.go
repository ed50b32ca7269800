package chat

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// An asker asks a person at a terminal.
type asker struct {
	screen *screen
	// read reads a line that begins with text, which the person may change. Its errors are ErrLeft, and those of the terminal.
	read func(prompt, text string) (string, error)
	// reads says that the agent reads messages as answers; nil: it does not.
	reads func() bool
	// call tells of a call of the conversation, for servers that do not tell of it in their questions.
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

// errCancelled is what a person answers who does not want to answer.
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
		if a.reads != nil && text != "" && q.loosely(text) && a.reads() {
			return nil, spoken(text)
		}
		payload, err := q.typed(text)
		if err == nil {
			return payload, nil
		}
		a.misfit(err)
	}
}

// spoken is the text of a person who answers in words of which the agent has to know what they mean. It is an error, because there is no
// answer yet.
type spoken string

func (s spoken) Error() string { return "chat: an answer in words" }

// hintOf says what to write.
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

// misfit says why an answer is none.
func (a *asker) misfit(err error) { a.screen.line("  "+Clean(err.Error()), wrong) }

// sure asks for a yes or a no. The text that is there is meant if a person only confirms it.
func (a *asker) sure(prompt, text string) (bool, error) {
	for {
		said, err := a.line(prompt, text)
		if err != nil {
			return false, err
		}
		if yes, ok := decision(said); ok {
			return yes, nil
		}
		a.misfit(misfit("write y or n"))
	}
}

// decision reads a yes or a no.
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
