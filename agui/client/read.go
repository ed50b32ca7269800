package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// An idleTimer cancels reading a stream that has been silent for too long, or stays open for too long after its run.
type idleTimer struct {
	idle   time.Duration
	cancel context.CancelCauseFunc
	until  time.Time // deadline for closing a stream with an ended run; zero while it runs
	timer  *time.Timer
}

// wait starts the idle time. Time spent by the consumer does not count.
func (t *idleTimer) wait() {
	switch {
	case !t.until.IsZero():
		t.timer = time.AfterFunc(time.Until(t.until), func() { t.cancel(errLingered) })
	case t.idle > 0:
		t.timer = time.AfterFunc(t.idle, func() { t.cancel(errSilent) })
	}
}

func (t *idleTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// ended records whether the last event was the end of a run.
func (t *idleTimer) ended(over bool) {
	switch {
	case !over:
		t.until = time.Time{}
	case t.until.IsZero():
		t.until = time.Now().Add(linger)
	}
}

// A boundedReader reader counts bytes and limits idle time.
type boundedReader struct {
	r       io.Reader
	left    int64
	limited bool
	over    bool // there was more
	clock   *idleTimer
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.limited {
		if b.left <= 0 {
			b.over = true
			return 0, errBytes
		}
		p = p[:min(int64(len(p)), b.left)]
	}
	b.clock.wait()
	n, err := b.r.Read(p)
	b.clock.stop()
	b.left -= int64(n)
	return n, err
}

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

// readAll reads at most limit bytes, and reports whether there were more.
func readAll(r io.Reader, limit int) (data []byte, over bool, err error) {
	data, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return data[:min(len(data), limit)], len(data) > limit, err
}
