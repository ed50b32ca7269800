package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

type wireChunk struct {
	Choices []struct {
		Index        json.RawMessage `json:"index"`
		Delta        *wireDelta      `json:"delta"`
		Message      *wireDelta      `json:"message"` // of a server that does not stream
		FinishReason json.RawMessage `json:"finish_reason"`
	} `json:"choices"`
	Usage *wireUsage `json:"usage"`
	Groq  *struct {  // where one provider says it too
		Usage *wireUsage `json:"usage"`
	} `json:"x_groq"`
	Error  json.RawMessage `json:"error"`
	Object json.RawMessage `json:"object"`
}

type wireDelta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		Extra    json.RawMessage `json:"extra_content"`
		Index    json.RawMessage `json:"index"`
		ID       json.RawMessage `json:"id"`
		Function struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// A chunkReader adds the chunks of a reply to its draft.
type chunkReader struct {
	*provider.Draft
	echo   Echo
	origin string
	kept   chatOpaque // what goes back with the following calls
	// summed says that the usage of the whole reply has come in a separate chunk, which the API sends last.
	summed bool
	shape  plainShape // of the last plain chunk
}

// add adds the next chunk. Servers spell chunks in many ways: everything that might have another type somewhere is
// looked at by hand.
func (r *chunkReader) add(raw []byte) error {
	plain, ok := r.shape.read(raw)
	if !ok {
		var at int
		if plain, at, ok = readPlain(raw); ok {
			r.shape.keep(raw, plain, at)
		}
	}
	if ok {
		if err := r.Reasoning(surrogate.Text(plain.reasoning)); err != nil {
			return err
		}
		return r.Text(surrogate.Text(plain.text))
	}
	return r.addAny(raw)
}

func (r *chunkReader) addAny(raw []byte) error {
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
		c.Usage.into(r.Usage())
		r.summed = len(c.Choices) == 0
	}
	if c.Groq != nil && c.Groq.Usage != nil {
		c.Groq.Usage.into(r.Usage())
	}
	for _, choice := range c.Choices {
		if i, ok := jsonCount(choice.Index); ok && i != 0 {
			continue // only one was asked for
		}
		for _, delta := range []*wireDelta{choice.Delta, choice.Message} {
			if delta == nil {
				continue
			}
			if err := r.addDelta(delta); err != nil {
				return err
			}
		}
		if finish := jsonText(choice.FinishReason); finish != "" && finish != "null" {
			r.Finish(finish)
		}
	}
	return nil
}

func (r *chunkReader) addDelta(w *wireDelta) error {
	reasoning := deltaText(w.ReasoningContent)
	if reasoning == "" { // some servers send both, and they are the same
		reasoning = deltaText(w.Reasoning)
	}
	if err := r.Reasoning(reasoning + thinkingText(w.Content)); err != nil {
		return err
	}
	if err := r.Text(deltaText(w.Content)); err != nil {
		return err
	}
	if err := r.Refusal(deltaText(w.Refusal)); err != nil {
		return err
	}
	if r.echo != EchoOff {
		if err := r.kept.addDetails(w.ReasoningDetails); err != nil {
			return err
		}
	}
	for _, c := range w.ToolCalls {
		index, ok := jsonCount(c.Index)
		if !ok {
			index = -1
		}
		arguments := deltaText(c.Function.Arguments)
		if arguments == "" && len(c.Function.Arguments) > 0 && c.Function.Arguments[0] == '{' {
			arguments = surrogate.Text(c.Function.Arguments) // an object where the API has its text
		}
		n, err := r.Call(index, jsonText(c.ID), jsonText(c.Function.Name), arguments)
		if err != nil {
			return err
		}
		if jsonPresent(c.Extra) {
			r.kept.sign(n, c.Extra)
		}
	}
	return nil
}

func (r *chunkReader) end(eof, done bool) error {
	if eof && (done || r.summed) {
		r.Complete()
	}
	if err := r.Opaque(r.kept.encode(r.origin)); err != nil {
		return err
	}
	return endReply(r.Draft)
}

// endReply is the end of the draft, with the reasons that mean a fault.
func endReply(d *provider.Draft) error {
	err := d.End()
	switch d.Finished() {
	case "content_filter":
		return provider.NewFault(provider.Filter, errFilter)
	// the words of a router, and of a provider, for servers behind them that failed
	case "error", "insufficient_system_resource":
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
func jsonText(raw json.RawMessage) string { return deltaText(raw).Valid() }

func deltaText(raw json.RawMessage) surrogate.Text {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		var s surrogate.Text
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
					all.WriteString(string(deltaText(p.Text)))
				}
			}
		}
		return surrogate.Text(all.String())
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return surrogate.Text(raw)
	}
	return ""
}

// thinkingText is the reasoning that one provider puts between the parts of a text.
func thinkingText(content json.RawMessage) surrogate.Text {
	if len(content) == 0 || content[0] != '[' {
		return ""
	}
	var parts []struct {
		Thinking json.RawMessage `json:"thinking"`
	}
	var all strings.Builder
	if json.Unmarshal(content, &parts) == nil {
		for _, p := range parts {
			all.WriteString(string(deltaText(p.Thinking)))
		}
	}
	return surrogate.Text(all.String())
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
