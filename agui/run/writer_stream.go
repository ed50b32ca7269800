package run

import (
	"errors"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
)

// ErrWriterClosed is returned for a write to a message or call that was closed.
var ErrWriterClosed = errors.New("run: the message is closed")

// A streamWriter writes a message or call: the first write opens it, deltas follow, and Close closes it.
type streamWriter struct {
	w       Writer
	id      string
	open    func() []agui.Event
	content func(delta string) agui.Event
	end     func() []agui.Event

	held           string // the first bytes of an incomplete character
	opened, closed bool
	err            error // of an opening or closing, which cannot be made good
}

// ID returns the id of the message or call. It is valid before the first write.
func (s *streamWriter) ID() string { return s.id }

// Write is WriteString.
func (s *streamWriter) Write(p []byte) (int, error) { return s.WriteString(string(p)) }

// WriteString sends one piece of text. A split character is sent when complete; other invalid UTF-8 is replaced.
func (s *streamWriter) WriteString(text string) (int, error) {
	if err := s.start(); err != nil {
		return 0, err
	}
	delta := s.held + text
	whole := wholeRunes(delta)
	if whole > 0 {
		if err := s.w.Emit(s.content(delta[:whole])); err != nil {
			return 0, err
		}
	}
	s.held = delta[whole:]
	return len(text), nil
}

// start opens the message or call unless it is open.
func (s *streamWriter) start() error {
	if s.err == nil && s.closed {
		return ErrWriterClosed
	}
	if s.err != nil || s.opened {
		return s.err
	}
	s.opened = true
	s.err = s.emit(s.open())
	return s.err
}

// Close ends the item, if anything was written. A second call does nothing and returns the error of the first.
func (s *streamWriter) Close() error {
	if s.err != nil || s.closed || !s.opened {
		s.closed = true
		return s.err
	}
	s.closed = true
	if s.held != "" {
		s.err = s.w.Emit(s.content(s.held))
		s.held = ""
	}
	s.err = errors.Join(s.err, s.emit(s.end()))
	return s.err
}

func (s *streamWriter) emit(events []agui.Event) error {
	for _, e := range events {
		if err := s.w.Emit(e); err != nil {
			return err
		}
	}
	return nil
}

// wholeRunes returns how much of s is left without the beginning of a character at its end.
func wholeRunes(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if utf8.FullRuneInString(s[i:]) {
			return len(s)
		}
		return i
	}
	return len(s)
}

// TextOptions describe a text message. The zero value is a new message of the assistant.
type TextOptions struct {
	ID       string // new if empty
	Name     string
	Role     agui.Role // empty is the assistant
	Metadata agui.Metadata
}

// A Text writes one text message: TEXT_MESSAGE_START with the first write, a TEXT_MESSAGE_CONTENT per write,
// TEXT_MESSAGE_END when it is closed. It is an io.WriteCloser and an io.StringWriter.
type Text struct{ streamWriter }

// Text returns the writer of a message. It sends nothing before the first write. The role is always sent.
func (w Writer) Text(o TextOptions) *Text {
	if o.Role == "" {
		o.Role = agui.RoleAssistant
	}
	t := &Text{streamWriter{w: w, id: w.idOr(o.ID)}}
	t.open = func() []agui.Event {
		return []agui.Event{&agui.TextMessageStart{
			Tagged: agui.Tagged{Base: agui.Base{Metadata: o.Metadata}}, MessageID: t.id, Role: o.Role, Name: o.Name,
		}}
	}
	t.content = func(delta string) agui.Event { return &agui.TextMessageContent{MessageID: t.id, Delta: delta} }
	t.end = func() []agui.Event { return []agui.Event{&agui.TextMessageEnd{MessageID: t.id}} }
	return t
}

// ReasoningOptions describe a reasoning message.
type ReasoningOptions struct {
	ID       string // new if empty
	Metadata agui.Metadata
}

// A Reasoning writes one reasoning message in a separate span, like [Text] for text messages.
type Reasoning struct{ streamWriter }

// Reasoning returns the writer of a reasoning message. It sends nothing before the first write.
func (w Writer) Reasoning(o ReasoningOptions) *Reasoning {
	t := &Reasoning{streamWriter{w: w, id: w.idOr(o.ID)}}
	t.open = func() []agui.Event {
		return []agui.Event{&agui.ReasoningStart{MessageID: t.id}, &agui.ReasoningMessageStart{
			Tagged: agui.Tagged{Base: agui.Base{Metadata: o.Metadata}}, MessageID: t.id, Role: agui.RoleReasoning,
		}}
	}
	t.content = func(delta string) agui.Event { return &agui.ReasoningMessageContent{MessageID: t.id, Delta: delta} }
	t.end = func() []agui.Event {
		return []agui.Event{&agui.ReasoningMessageEnd{MessageID: t.id}, &agui.ReasoningEnd{MessageID: t.id}}
	}
	return t
}

// ToolCallOptions describe a tool call. Only Name is required.
type ToolCallOptions struct {
	ID   string // new if empty
	Name string
	// ParentMessageID is the assistant message that makes the call; without it the call makes its own.
	ParentMessageID string
	Metadata        agui.Metadata
}

// A Call writes one tool call: its start, a TOOL_CALL_ARGS per write, TOOL_CALL_END on Close, and the result.
type Call struct{ streamWriter }

// ToolCall sends TOOL_CALL_START. If the event was refused, every later method returns that error.
func (w Writer) ToolCall(o ToolCallOptions) *Call {
	c := &Call{streamWriter{w: w, id: w.idOr(o.ID)}}
	c.open = func() []agui.Event {
		return []agui.Event{&agui.ToolCallStart{
			Tagged: agui.Tagged{Base: agui.Base{Metadata: o.Metadata}}, ToolCallID: c.id, ToolCallName: o.Name,
			ParentMessageID: o.ParentMessageID,
		}}
	}
	c.content = func(delta string) agui.Event { return &agui.ToolCallArgs{ToolCallID: c.id, Delta: delta} }
	c.end = func() []agui.Event { return []agui.Event{&agui.ToolCallEnd{ToolCallID: c.id}} }
	c.err = c.start()
	return c
}

// Result closes an open call and sends its result as a message. A call that cannot be closed gets none.
func (c *Call) Result(content agui.Content) error {
	if err := c.Close(); err != nil {
		return err
	}
	return c.w.Emit(&agui.ToolCallResult{MessageID: c.w.NewID(), ToolCallID: c.id, Content: content,
		Role: agui.RoleTool})
}

func (w Writer) idOr(id string) string {
	if id == "" {
		return w.NewID()
	}
	return id
}
