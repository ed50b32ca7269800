package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A wireChunk is one event of a reply.
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

// addChunk adds the next chunk to a reply. Servers spell chunks in many ways: everything that might have another type somewhere is
// looked at by hand.
func addChunk(d *provider.Draft, raw []byte) error {
	var c wireChunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return provider.NewFault(provider.Response, errChunk)
	}
	if jsonPresent(c.Error) {
		return errorObject(c.Error)
	}
	if jsonText(c.Object) == "error" {
		return errorObject(raw)
	}
	if c.Usage != nil {
		c.Usage.into(d.Usage())
	}
	for _, choice := range c.Choices {
		if i, ok := jsonCount(choice.Index); ok && i != 0 {
			continue // only one was asked for
		}
		for _, delta := range []*wireDelta{choice.Delta, choice.Message} {
			if delta == nil {
				continue
			}
			if err := delta.addTo(d); err != nil {
				return err
			}
		}
		if finish := jsonText(choice.FinishReason); finish != "" && finish != "null" {
			d.Finish(finish)
		}
	}
	return nil
}

// addTo adds a delta to a reply.
func (w *wireDelta) addTo(d *provider.Draft) error {
	reasoning := jsonText(w.ReasoningContent)
	if reasoning == "" { // some servers send both, and they are the same
		reasoning = jsonText(w.Reasoning)
	}
	if err := d.Reasoning(reasoning); err != nil {
		return err
	}
	if err := d.Text(jsonText(w.Content)); err != nil {
		return err
	}
	if err := d.Refusal(jsonText(w.Refusal)); err != nil {
		return err
	}
	for _, c := range w.ToolCalls {
		index, ok := jsonCount(c.Index)
		if !ok {
			index = -1
		}
		arguments := jsonText(c.Function.Arguments)
		if arguments == "" && len(c.Function.Arguments) > 0 && c.Function.Arguments[0] == '{' {
			arguments = string(c.Function.Arguments) // an object where the API has its text
		}
		if err := d.Call(index, jsonText(c.ID), jsonText(c.Function.Name), arguments); err != nil {
			return err
		}
	}
	return nil
}

// endReply makes the reply of what came, or says why it is none.
func endReply(d *provider.Draft) error {
	err := d.End()
	switch d.Finished() {
	case "content_filter":
		return provider.NewFault(provider.Filter, errFilter)
	case "error": // a router's word for a server behind it that failed
		return provider.NewFault(provider.Away, provider.ErrSays)
	default:
		return err
	}
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
