package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/agui-gateway/gateway/model/internal/provider"
)

// maxEvent is the most bytes of one event of a model's stream.
const maxEvent = 4 << 20

// An eventReader reads the events of a model's stream as servers write them. It accepts errors without a line behind
// them, events in an unusual spelling, and a last line without an end. docs/adr/0016-readers-of-model-streams.md says
// why it is neither go-sse's nor go-openai's reader.
type eventReader struct {
	body    io.Reader
	src     *bufio.Reader // of the body, from its first byte on: many wait for that, and wait long
	started bool
	data    []byte // of the event that is being read
	lines   int
	event   string
	done    bool // the server has said that nothing follows

	whole []byte // an event that has been read
	err   error
}

func newEventReader(body io.Reader) *eventReader { return &eventReader{body: body} }

// next returns the data of the next event, which is valid until the next call, and [io.EOF] when nothing follows. Of an
// event that the server calls an error the data is an object with that member.
func (r *eventReader) next() ([]byte, error) {
	for r.err == nil {
		r.err = r.read()
		if data := r.whole; data != nil {
			r.whole = nil
			return data, nil
		}
	}
	return nil, r.err
}

func (r *eventReader) read() error {
	if r.src == nil {
		if err := r.wait(); err != nil {
			return err
		}
	}
	if !r.started {
		if whole, err := r.start(); whole || err != nil {
			return err
		}
	}
	line, err := r.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r.addLine(withoutEnd(line))
	if err != nil {
		r.endEvent()
	}
	if r.done {
		return io.EOF
	}
	return err
}

func (r *eventReader) wait() error {
	first := make([]byte, 1)
	_, err := io.ReadFull(r.body, first)
	if err == nil {
		r.begin(first)
	}
	return err
}

// begin makes the buffer for a body that has begun with first.
func (r *eventReader) begin(first []byte) {
	r.src = bufio.NewReader(io.MultiReader(bytes.NewReader(first), r.body))
}

// start finds out what the body is. Some servers answer 200 with an error, or with the whole reply, as one document;
// the document is the only event then.
func (r *eventReader) start() (whole bool, err error) {
	for {
		first, err := r.src.ReadByte()
		if err != nil {
			return false, err
		}
		switch first {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // white space, or a byte order mark
			continue
		case '<':
			return false, provider.NewFault(provider.Response, errPage)
		}
		r.started = true
		if err := r.src.UnreadByte(); err != nil || first != '{' && first != '[' {
			return false, err
		}
		document, err := io.ReadAll(io.LimitReader(r.src, maxEvent+1))
		if err != nil {
			return true, err
		}
		if len(document) > maxEvent {
			return true, provider.NewFault(provider.Response, provider.ErrLarge)
		}
		r.hold(document)
		return true, io.EOF
	}
}

func (r *eventReader) line() ([]byte, error) {
	var long []byte
	for {
		piece, err := r.src.ReadSlice('\n')
		if len(long)+len(piece)+len(r.data) > maxEvent {
			return nil, provider.NewFault(provider.Response, provider.ErrLarge)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if long == nil {
				return piece, err
			}
			return append(long, piece...), err
		}
		long = append(long, piece...)
	}
}

func withoutEnd(line []byte) []byte {
	for n := len(line) - 1; n >= 0 && (line[n] == '\n' || line[n] == '\r'); n-- {
		line = line[:n]
	}
	return line
}

// addLine adds a line to the event, or ends the event if the line is empty.
func (r *eventReader) addLine(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		if len(line) == 0 {
			r.endEvent()
		}
	case "event":
		r.event = string(value)
	case "data":
		// the event is one line, as it nearly always is: it stays where it is until the next is read
		if r.lines == 0 && r.ends() {
			r.hold(value)
			r.event = ""
			return
		}
		if r.lines > 0 {
			r.data = append(r.data, '\n')
		}
		r.lines++
		r.data = append(r.data, value...)
		if r.lines == 1 && (bytes.Equal(value, []byte("[DONE]")) || json.Valid(value)) {
			r.endEvent() // the event is complete, and the empty line behind it may never come
		}
	}
}

// ends skips the empty line at the end of the event if it is buffered, as it mostly is: the event then needs no further
// check.
func (r *eventReader) ends() bool {
	if r.src.Buffered() == 0 {
		return false
	}
	next, err := r.src.Peek(1)
	if err != nil || next[0] != '\n' {
		return false
	}
	_, err = r.src.Discard(1)
	return err == nil
}

// endEvent gives the event on, if there is one, and starts the next.
func (r *eventReader) endEvent() {
	if r.lines > 0 {
		r.hold(r.data)
	}
	r.data, r.lines, r.event = r.data[:0], 0, ""
}

// hold keeps an event's data for [eventReader.next].
func (r *eventReader) hold(data []byte) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		r.done = true
	case r.event == "error":
		if !json.Valid(data) {
			data, _ = json.Marshal(string(data)) // a string can always be encoded
		}
		r.whole = append(append([]byte(`{"error":`), data...), '}')
	default:
		r.whole = data
	}
}
