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
// Errors come through it as data, for the one who reads the chunks to find.
type eventLines struct {
	src   *bufio.Reader
	begun bool
	data  []byte // of the event that is being read
	lines int
	event string

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

// next takes one line in.
func (l *eventLines) next() error {
	if !l.begun {
		if whole, err := l.begin(); whole || err != nil {
			return err
		}
	}
	line, err := l.line()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	l.take(bytes.TrimRight(line, "\r\n"))
	if err != nil {
		l.dispatch()
	}
	return err
}

// begin looks at what the body is. Some servers answer 200 with an error, or with the whole reply, as one document;
// then that is the only event.
func (l *eventLines) begin() (whole bool, err error) {
	for {
		first, err := l.src.ReadByte()
		if err != nil {
			return false, err
		}
		switch first {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // a byte order mark, too
			continue
		case '<':
			return false, provider.NewFault(provider.Response, errPage)
		}
		l.begun = true
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
		l.emit(document)
		return true, io.EOF
	}
}

// line reads one line with its end.
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

// take adds a line to the event, or ends it.
func (l *eventLines) take(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		if len(line) == 0 {
			l.dispatch()
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
			l.dispatch() // complete: not every server sends an empty line, and the last one may never come
		}
	}
}

// dispatch ends the event.
func (l *eventLines) dispatch() {
	if l.lines > 0 {
		l.emit(l.data)
	}
	l.data, l.lines, l.event = l.data[:0], 0, ""
}

// emit writes an event's data as one line.
func (l *eventLines) emit(data []byte) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return
	}
	if l.event == "error" {
		if !json.Valid(data) {
			data, _ = json.Marshal(string(data)) // text always can be
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
