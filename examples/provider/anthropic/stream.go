package anthropic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// Bounds of a reply, in bytes and blocks.
const (
	maxReply  = 64 << 20
	maxLine   = 4 << 20
	maxKept   = 4 << 20
	maxBlocks = 128
)

// An event is one of the stream, with the members of all kinds.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Name      string `json:"name"`
		Text      string `json:"text"`
		Thinking  string `json:"thinking"`
		Signature string `json:"signature"`
		Data      string `json:"data"` // of thoughts that only the server can read
	} `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Input      string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	Error struct {
		Type string `json:"type"`
	} `json:"error"`
}

// A usage is the API's count. Input does not include tokens that were read from a cache or written to one.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

// A draft is an incomplete reply. Additions are passed on at once.
type draft struct {
	on     model.Deltas
	answer string // the tool with the reply's text as input; empty if there is none

	blocks    []*block
	usage     agui.TokenUsage
	told      usage
	stop      string
	ended     bool
	size      int
	delivered bool
	refused   error // by on
}

// A block is one block of a reply's content.
type block struct {
	kind, id, name  string
	words           strings.Builder // of text, thoughts or input
	signature, data string
	call            int // which of the reply's calls it is
}

// read takes the events of a stream until the one that ends it.
func (d *draft) read(body io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(body, maxReply))
	lines.Buffer(nil, maxLine)
	for !d.ended && lines.Scan() {
		raw, isData := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !isData {
			continue // names of events, which the data repeats, comments and empty lines
		}
		var e event
		if json.Unmarshal(raw, &e) != nil {
			return &fault{code: errcode.ModelResponse, err: errNoise}
		}
		if err := d.add(&e); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &fault{code: errcode.ModelResponse, err: errLarge}
	case err != nil:
		return err
	case !d.ended:
		return &fault{code: errcode.ModelResponse, again: true, err: errCut}
	case d.stop == "refusal":
		return &fault{code: errcode.ModelContentFilter, err: errFilter}
	}
	return nil
}

// add takes one event. Kinds that are not known mean nothing here: the API may add some.
func (d *draft) add(e *event) error {
	switch e.Type {
	case "error":
		return typed(e.Error.Type, 0)
	case "message_start":
		d.count(e.Message.Usage)
	case "message_delta":
		d.count(e.Usage)
		if e.Delta.StopReason != "" {
			d.stop = e.Delta.StopReason
		}
	case "message_stop":
		d.ended = true
	case "content_block_start":
		return d.open(e)
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(d.blocks) {
			return &fault{code: errcode.ModelResponse, err: errNoise}
		}
		b := d.blocks[e.Index]
		b.signature += e.Delta.Signature
		return d.grow(b, e.Delta.Text+e.Delta.Thinking+e.Delta.Input)
	}
	return nil
}

// open begins a block. They come in order.
func (d *draft) open(e *event) error {
	if e.Index != len(d.blocks) || e.Index >= maxBlocks {
		return &fault{code: errcode.ModelResponse, err: errNoise}
	}
	b := &block{kind: e.Block.Type, id: e.Block.ID, name: e.Block.Name, signature: e.Block.Signature,
		data: e.Block.Data}
	for _, other := range d.blocks {
		if d.isCall(other) {
			b.call++
		}
	}
	d.blocks = append(d.blocks, b)
	if d.isCall(b) && d.on.Call != nil {
		d.delivered = true
		if d.refused = d.on.Call(b.call, b.name, ""); d.refused != nil {
			return d.refused
		}
	}
	return d.grow(b, e.Block.Text+e.Block.Thinking)
}

// isCall reports whether a block calls a tool, other than the one that gives the answer.
func (d *draft) isCall(b *block) bool { return b.kind == "tool_use" && b.name != d.answer }

// grow adds words to a block.
func (d *draft) grow(b *block, words string) error {
	if d.size += len(words) + len(b.data); d.size > maxKept || len(b.signature) > maxKept {
		return &fault{code: errcode.ModelResponse, err: errLarge}
	}
	if words == "" {
		return nil
	}
	b.words.WriteString(words)
	d.delivered = true
	switch {
	case d.isCall(b) && d.on.Call != nil:
		d.refused = d.on.Call(b.call, b.name, words)
	case b.kind == "thinking" && d.on.Reasoning != nil:
		d.refused = d.on.Reasoning(words)
	case (b.kind == "text" && d.answer == "" || b.kind == "tool_use" && !d.isCall(b)) && d.on.Text != nil:
		d.refused = d.on.Text(words) // beside an answer that is a tool's input, words are a preface
	}
	return d.refused
}

// count takes what the API has counted so far: later numbers stand for the whole.
func (d *draft) count(u usage) {
	for _, f := range []struct{ to, from **int64 }{
		{&d.told.Input, &u.Input}, {&d.told.CacheRead, &u.CacheRead}, {&d.told.CacheWrite, &u.CacheWrite},
		{&d.told.Output, &u.Output},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	if d.told.Input != nil {
		all := *d.told.Input
		for _, part := range []*int64{d.told.CacheRead, d.told.CacheWrite} {
			if part != nil {
				all += *part
			}
		}
		d.usage.InputTokens = &all
	}
	d.usage.OutputTokens, d.usage.CachedInputTokens, d.usage.CacheWriteInputTokens = d.told.Output, d.told.CacheRead,
		d.told.CacheWrite
	if d.usage.InputTokens != nil && d.usage.OutputTokens != nil {
		total := *d.usage.InputTokens + *d.usage.OutputTokens
		d.usage.TotalTokens = &total
	}
}

// finishes are the API's reasons to stop, in the words of [model.Reply].
var finishes = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "max_tokens",
	"model_context_window_exceeded": "length",
}

// reply returns the received reply.
func (d *draft) reply() model.Reply {
	r := model.Reply{Usage: d.usage, Finish: d.stop}
	if known, ok := finishes[d.stop]; ok {
		r.Finish = known
	}
	answered := false
	for _, b := range d.blocks {
		switch {
		case d.isCall(b):
			arguments := b.words.String()
			if arguments == "" {
				arguments = "{}"
			}
			r.Calls = append(r.Calls, model.Call{ID: b.id, Name: b.name, Arguments: arguments})
		case b.kind == "tool_use":
			r.Text, answered = b.words.String(), true
		case b.kind == "thinking":
			r.Reasoning += b.words.String()
		case b.kind == "text" && !answered:
			r.Text += b.words.String()
		}
	}
	if answered && len(r.Calls) == 0 && r.Finish == "tool_calls" {
		r.Finish = "stop"
	}
	r.Opaque = d.thoughts()
	return r
}
