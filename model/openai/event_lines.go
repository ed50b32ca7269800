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

// An eventLines reads what a model's server sends and gives it on as go-openai's reader can take it: one line per event
// and nothing else. That reader hangs over an error that nothing follows, loses errors after a comment, overlooks those
// that are spelled unusually, loses a last line without an end, and has no limit on a line.
//
// Errors of the server come through it as data, in which [chunkReader] finds them.
type eventLines struct {
	src     *bufio.Reader
	started bool
	data    []byte // of the event that is being read
	lines   int
	event   string
	done    bool // the server has said that nothing follows

	out bytes.Buffer
	err error
}

func newEventLines(body io.Reader) *eventLines { return &eventLines{src: bufio.NewReader(body)} }

// Read gives the next lines.
func (l *eventLines) Read(p []byte) (int, error) {
	for l.out.Len() == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.err = l.next()
	}
	return l.out.Read(p)
}

// next reads one line of the body.
func (l *eventLines) next() error {
	if !l.started {
		if whole, err := l.start(); whole || err != nil {
			return err
		}
	}
	line, err := l.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l.addLine(bytes.TrimRight(line, "\r\n"))
	if err != nil {
		l.endEvent()
	}
	return err
}

// start finds out what the body is. Some servers answer 200 with an error, or with the whole reply, as one document;
// the document is the only event then.
func (l *eventLines) start() (whole bool, err error) {
	for {
		first, err := l.src.ReadByte()
		if err != nil {
			return false, err
		}
		switch first {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // white space, or a byte order mark
			continue
		case '<':
			return false, provider.NewFault(provider.Response, errPage)
		}
		l.started = true
		if err := l.src.UnreadByte(); err != nil || first != '{' && first != '[' {
			return false, err
		}
		document, err := io.ReadAll(io.LimitReader(l.src, maxEvent+1))
		if err != nil {
			return true, err
		}
		if len(document) > maxEvent {
			return true, provider.NewFault(provider.Response, provider.ErrLarge)
		}
		l.writeEvent(document)
		return true, io.EOF
	}
}

// line reads one line, with its line end.
func (l *eventLines) line() ([]byte, error) {
	var long []byte
	for {
		piece, err := l.src.ReadSlice('\n')
		if len(long)+len(piece)+len(l.data) > maxEvent {
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

// addLine adds a line to the event, or ends the event if the line is empty.
func (l *eventLines) addLine(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		if len(line) == 0 {
			l.endEvent()
		}
	case "event":
		l.event = string(value)
	case "data":
		if l.lines > 0 {
			l.data = append(l.data, '\n')
		}
		l.lines++
		l.data = append(l.data, value...)
		if l.lines == 1 && (bytes.Equal(value, []byte("[DONE]")) || json.Valid(value)) {
			l.endEvent() // the event is complete, and the empty line behind it may never come
		}
	}
}

// endEvent gives the event on, if there is one, and starts the next.
func (l *eventLines) endEvent() {
	if l.lines > 0 {
		l.writeEvent(l.data)
	}
	l.data, l.lines, l.event = l.data[:0], 0, ""
}

// writeEvent writes an event's data as one line.
func (l *eventLines) writeEvent(data []byte) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return
	}
	l.done = l.done || string(data) == "[DONE]"
	if l.event == "error" {
		if !json.Valid(data) {
			data, _ = json.Marshal(string(data)) // a string can always be encoded
		}
		data = append(append([]byte(`{ "error":`), data...), '}')
	}
	if bytes.ContainsAny(data, "\r\n") {
		var compact bytes.Buffer
		if json.Compact(&compact, data) == nil {
			data = compact.Bytes()
		} else {
			data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r"), []byte(" ")), []byte("\n"), []byte(" "))
		}
	}
	l.out.WriteString("data: ")
	if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
		l.out.WriteString(`{ "error":`) // the space keeps go-openai from taking it for itself
		data = rest
	}
	l.out.Write(data)
	l.out.WriteByte('\n')
}
