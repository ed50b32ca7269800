package anthropic

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// maxEvent is the most bytes of one event of a stream.
const maxEvent = 4 << 20

// What can be wrong with a reply, for the log.
var (
	errEvent  = errors.New("model: an event of the reply is not one")
	errFilter = errors.New("model: the reply was withheld")
)

// An event is one of the stream, with the members of all types.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"message"`
	Block piece           `json:"content_block"`
	Delta piece           `json:"delta"`
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// A piece is the begin of a block, or an addition to it.
type piece struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Text      surrogate.Text `json:"text"`
	Thinking  surrogate.Text `json:"thinking"`
	Signature string         `json:"signature"`
	Data      string         `json:"data"`
	Input     surrogate.Text `json:"partial_json"`
	Reason    string         `json:"stop_reason"` // of a whole reply
}

// A usage is the API's count. Input does not include tokens that were read from a cache or written to one.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

// A stream reads the events of a reply. Its blocks come one after the other.
type stream struct {
	*provider.Try
	kind          string // of the last block
	blocks, calls int
	arguments     bool   // the last call has some
	input         *int64 // tokens, without those of a cache
	kept          kept
	thoughtAt     int             // where the last thought begins in the reasoning
	signature     strings.Builder // of the last thought
}

// read takes the events until the one that ends the reply.
func (s *stream) read(body io.Reader) error {
	for record, err := range agui.ReadStream(body, maxEvent) {
		switch {
		case err != nil && s.Finished() != "", errors.Is(err, io.ErrUnexpectedEOF):
			return nil // end decides whether the reply is complete
		case errors.Is(err, bufio.ErrTooLong):
			return provider.NewFault(provider.Response, provider.ErrLarge)
		case err != nil:
			return err
		}
		var e event
		if json.Unmarshal(record.Data, &e) != nil {
			return provider.NewFault(provider.Response, errEvent)
		}
		if e.Type == "message_stop" {
			return nil
		}
		if err := s.add(&e); err != nil {
			return err
		}
	}
	return nil
}

// add takes one event. Types that are not known mean nothing: the API may add some.
func (s *stream) add(e *event) error {
	switch e.Type {
	case "error":
		f := &provider.Fault{Err: provider.ErrSays}
		readError(f, e.Error)
		return f
	case "message_start":
		s.count(e.Message.Usage)
	case "message_delta":
		s.count(e.Usage)
		if reason := e.Delta.Reason; reason != "" {
			s.Finish(cmp.Or(finishes[reason], reason))
			s.WaitForUsage()
		}
	case "content_block_start":
		if e.Index == s.blocks {
			return s.open(&e.Block)
		}
		return provider.NewFault(provider.Response, errEvent)
	case "content_block_delta":
		if e.Index == s.blocks-1 {
			return s.grow(&e.Delta)
		}
		return provider.NewFault(provider.Response, errEvent)
	case "content_block_stop":
		if s.kind == "tool_use" && !s.arguments {
			return s.grow(&piece{Input: "{}"})
		}
	}
	return nil
}

// open begins a block.
func (s *stream) open(b *piece) error {
	s.endThought()
	s.blocks, s.kind, s.arguments = s.blocks+1, b.Type, false
	switch b.Type {
	case "tool_use":
		s.calls++
	case "thinking", "redacted_thinking":
		if len(s.kept.Thoughts) == maxThoughts {
			return provider.NewFault(provider.Response, provider.ErrLarge)
		}
		text, reasoning := s.Said()
		s.kept.Thoughts = append(s.kept.Thoughts, thought{Text: len(text), Calls: s.calls, Data: b.Data})
		s.kept.size += len(b.Data)
		s.thoughtAt = len(reasoning)
	}
	return s.grow(b)
}

// grow adds to the last block.
func (s *stream) grow(p *piece) error {
	switch s.kind {
	case "text":
		return s.Text(p.Text)
	case "thinking":
		if s.kept.size += len(p.Signature); s.kept.size <= maxKept {
			s.signature.WriteString(p.Signature)
		}
		return s.Reasoning(p.Thinking)
	case "tool_use":
		s.arguments = s.arguments || p.Input != ""
		_, err := s.Call(s.blocks, p.ID, p.Name, p.Input)
		return err
	}
	return nil // a block of another type
}

// endThought completes the last block if it is a thought.
func (s *stream) endThought() {
	if s.kind == "thinking" {
		t := &s.kept.Thoughts[len(s.kept.Thoughts)-1]
		_, reasoning := s.Said()
		t.Thinking, t.Signature = reasoning[s.thoughtAt:], s.signature.String()
		s.signature.Reset()
	}
}

// finishes are reasons to stop in the words of [model.Reply].
var finishes = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "model_context_window_exceeded": "length",
}

// end completes the reply, or returns the error of an incomplete one.
func (s *stream) end() error {
	if s.Finished() == "refusal" {
		return provider.NewFault(provider.Filter, errFilter)
	}
	s.endThought()
	if err := s.Opaque(s.kept.encode()); err != nil {
		return err
	}
	return s.End()
}

// count takes the counts of an event, of which later ones are of the whole reply.
func (s *stream) count(raw json.RawMessage) {
	var u usage
	if json.Unmarshal(raw, &u) != nil {
		return
	}
	out, all := s.Usage(), int64(0)
	for _, f := range []struct{ to, from **int64 }{
		{&s.input, &u.Input}, {&out.CachedInputTokens, &u.CacheRead}, {&out.CacheWriteInputTokens, &u.CacheWrite},
		{&out.OutputTokens, &u.Output},
	} {
		if n := *f.from; n != nil && *n >= 0 && *n <= 1<<30 {
			*f.to = n
		}
		if *f.to != nil {
			all += **f.to
		}
	}
	if s.input != nil && out.OutputTokens != nil {
		out.InputTokens, out.TotalTokens = new(all-*out.OutputTokens), new(all)
	}
}
