package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/model"
)

// An assembler makes a reply of its chunks. Servers spell them in many ways: everything that might have another type
// somewhere is looked at by hand.
type assembler struct {
	on    model.Deltas
	reply model.Reply

	asked                    string // the URL, as it may be logged
	calls                    []*callDraft
	finish                   string
	size                     int
	delivered                bool  // something was passed on
	refused                  error // by on
	text, reasoning, refusal strings.Builder
}

// A reply is kept, and sent back: it holds at most so many bytes, and calls.
const (
	maxText  = 4 << 20
	maxCalls = 64
)

// A callDraft is a call that is being received.
type callDraft struct {
	index     int // -1: the server gave none
	id, name  string
	arguments strings.Builder
	passed    int // bytes of arguments that were passed on; -1: not even the name
}

type wireChunk struct {
	Choices []struct {
		Index        json.RawMessage `json:"index"`
		Delta        *wireDelta      `json:"delta"`
		Message      *wireDelta      `json:"message"` // of a server that does not stream
		FinishReason json.RawMessage `json:"finish_reason"`
	} `json:"choices"`
	Usage  *wireUsage      `json:"usage"`
	Error  json.RawMessage `json:"error"`
	Object json.RawMessage `json:"object"`
}

type wireDelta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []struct {
		Index    json.RawMessage `json:"index"`
		ID       json.RawMessage `json:"id"`
		Function struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// chunk takes the next chunk.
func (a *assembler) chunk(raw []byte) error {
	var c wireChunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return newFault(faultResponse, errChunk)
	}
	if jsonPresent(c.Error) {
		return errorObject(c.Error)
	}
	if jsonText(c.Object) == "error" {
		return errorObject(raw)
	}
	if c.Usage != nil {
		c.Usage.into(&a.reply.Usage)
	}
	for _, choice := range c.Choices {
		if i, ok := jsonCount(choice.Index); ok && i != 0 {
			continue // only one was asked for
		}
		for _, d := range []*wireDelta{choice.Delta, choice.Message} {
			if d == nil {
				continue
			}
			if err := a.delta(d); err != nil {
				return err
			}
		}
		if finish := jsonText(choice.FinishReason); finish != "" && finish != "null" {
			a.finish = finish
		}
	}
	return nil
}

func (a *assembler) delta(d *wireDelta) error {
	reasoning := jsonText(d.ReasoningContent)
	if reasoning == "" { // some servers send both, and they are the same
		reasoning = jsonText(d.Reasoning)
	}
	if err := a.pass(&a.reasoning, reasoning, a.on.Reasoning); err != nil {
		return err
	}
	if err := a.pass(&a.text, jsonText(d.Content), a.on.Text); err != nil {
		return err
	}
	if err := a.pass(&a.refusal, jsonText(d.Refusal), a.on.Text); err != nil {
		return err
	}
	for _, c := range d.ToolCalls {
		index, ok := jsonCount(c.Index)
		if !ok {
			index = -1
		}
		arguments := jsonText(c.Function.Arguments)
		if arguments == "" && len(c.Function.Arguments) > 0 && c.Function.Arguments[0] == '{' {
			arguments = string(c.Function.Arguments) // an object where the API has its text
		}
		draft := a.draft(index, jsonText(c.ID), jsonText(c.Function.Name), arguments)
		draft.arguments.WriteString(arguments)
		if a.size += len(arguments); a.size > maxText || len(a.calls) > maxCalls {
			return newFault(faultResponse, errLarge)
		}
		if err := a.passCall(draft); err != nil {
			return err
		}
	}
	return nil
}

// pass keeps delta and hands it on.
func (a *assembler) pass(all *strings.Builder, delta string, on func(string) error) error {
	if delta == "" {
		return nil
	}
	if a.size += len(delta); a.size > maxText {
		return newFault(faultResponse, errLarge)
	}
	all.WriteString(delta)
	a.delivered = true
	if on == nil {
		return nil
	}
	a.refused = on(delta)
	return a.refused
}

// draft finds the call that a piece belongs to, or begins one. The index decides; but some servers give none, some give
// the same to all, and ids may be missing or doubled.
func (a *assembler) draft(index int, id, name, arguments string) *callDraft {
	var found *callDraft
	for _, c := range a.calls {
		if index >= 0 && c.index == index || index < 0 && id != "" && c.id == id {
			found = c
		}
	}
	if index < 0 && id == "" && len(a.calls) > 0 {
		found = a.calls[len(a.calls)-1]
	}
	if found != nil && id != "" && found.id != "" && found.id != id {
		found = nil // another call under the same index
	}
	if found != nil && id == "" && name != "" && found.name != "" {
		whole := json.Valid([]byte(found.arguments.String()))
		if found.name != name || whole && arguments != "" {
			found = nil // another call without an id, and not the name said again
		}
	}
	if found == nil {
		found = &callDraft{index: index, passed: -1}
		a.calls = append(a.calls, found)
	}
	if found.id == "" {
		found.id = id
	}
	if found.name == "" {
		found.name = name
	}
	return found
}

// passCall hands on what is new of a call, once its name is known.
func (a *assembler) passCall(c *callDraft) error {
	if c.name == "" {
		return nil
	}
	arguments := c.arguments.String()
	fresh := arguments[max(c.passed, 0):]
	if c.passed >= 0 && fresh == "" {
		return nil
	}
	c.passed = len(arguments)
	a.delivered = true
	if a.on.Call == nil {
		return nil
	}
	for i, other := range a.calls {
		if other == c {
			a.refused = a.on.Call(i, c.name, fresh)
		}
	}
	return a.refused
}

// finished reports whether the model said that it is done. Only what it used may still come.
func (a *assembler) finished() bool { return a.finish != "" }

// end makes the reply of what came, or says why it is none.
func (a *assembler) end() error {
	r := &a.reply
	r.Text, r.Reasoning, r.Refusal, r.Finish = a.text.String(), a.reasoning.String(), a.refusal.String(), a.finish
	if a.finish == "" {
		return newFault(faultBroken, errCut)
	}
	switch a.finish {
	case "content_filter":
		return newFault(faultFilter, errFilter)
	case "error": // a router's word for a server behind it that failed
		return newFault(faultAway, errSays)
	}
	for _, c := range a.calls {
		if c.name == "" {
			return newFault(faultResponse, errNameless)
		}
		r.Calls = append(r.Calls, model.Call{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	return nil
}

// jsonPresent reports whether raw is there and not null.
func jsonPresent(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}

// jsonText is raw if it is text, or the text parts of a list of them, or a number as it is written; else nothing.
func jsonText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	case '[':
		var parts []struct {
			Text json.RawMessage `json:"text"`
		}
		var all strings.Builder
		if json.Unmarshal(raw, &parts) == nil {
			for _, p := range parts {
				if len(p.Text) > 0 && p.Text[0] == '"' {
					all.WriteString(jsonText(p.Text))
				}
			}
		}
		return all.String()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return string(raw)
	}
	return ""
}

// jsonCount is raw if it is a whole number that is not negative, or the text of one.
func jsonCount(raw json.RawMessage) (int, bool) {
	var n json.Number
	if len(raw) == 0 || json.Unmarshal(raw, &n) != nil {
		return 0, false
	}
	i, err := n.Int64()
	if err != nil || i < 0 || i > 1<<30 {
		return 0, false
	}
	return int(i), true
}
