package client

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// paddedReader appends the blank line that some servers omit after the last event.
type paddedReader struct {
	r     io.Reader
	added bool
	tail  []byte // the last bytes, to be held against what ends an event
}

func (s *paddedReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if !errors.Is(err, io.EOF) || s.added {
		s.keep(p[:n])
		return n, err
	}
	s.keep(p[:n])
	const end = "\n\n"
	if n > 0 {
		return n, nil // the end is read once more
	}
	if s.whole() || len(p) < len(end) {
		return 0, err
	}
	s.added = true
	return copy(p, end), nil
}

// whole reports whether the data read is empty or ends with a blank line.
func (s *paddedReader) whole() bool {
	tail := string(s.tail)
	return tail == "" || strings.HasSuffix(tail, "\n\n") || strings.HasSuffix(tail, "\r\n\r\n") ||
		strings.HasSuffix(tail, "\r\r")
}

func (s *paddedReader) keep(read []byte) {
	const longest = len("\r\n\r\n")
	s.tail = append(s.tail, read[max(0, len(read)-longest):]...)
	s.tail = s.tail[max(0, len(s.tail)-longest):]
}

// unlimited returns a limit in bytes, or a practically unlimited number.
func unlimited(limit int) int {
	if limit == 0 {
		return 1 << 30
	}
	return limit
}

// classify maps an error of reading to an *Error.
func (r *response) classify(err error) error {
	switch {
	case r.over:
		return &Error{Fault: FaultTooLarge, Err: errBytes}
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Fault: FaultTooLarge, Err: err}
	default:
		return classify(r.s.ctx, r.ctx, FaultCut, err)
	}
}
