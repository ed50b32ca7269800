package client

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
)

// An idleTimer cancels the reading of a stream that has been silent for too long, or that is kept open for too long after
// its run has ended.
type idleTimer struct {
	idle   time.Duration
	cancel context.CancelCauseFunc
	until  time.Time // when a stream whose run has ended is to be closed; zero while it runs
	timer  *time.Timer
}

// wait begins a silence. Time that whoever reads takes for itself is none.
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

// ended tells whether the last event was the end of a run.
func (t *idleTimer) ended(over bool) {
	switch {
	case !over:
		t.until = time.Time{}
	case t.until.IsZero():
		t.until = time.Now().Add(linger)
	}
}

// bounded counts what is read, and times it.
type bounded struct {
	r       io.Reader
	left    int64
	limited bool
	over    bool // there was more
	clock   *idleTimer
}

func (b *bounded) Read(p []byte) (int, error) {
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

// padded ends a stream with the blank line that some servers leave out behind the last event.
type padded struct {
	r     io.Reader
	added bool
	tail  []byte // the last bytes, to be held against what ends an event
}

func (s *padded) Read(p []byte) (int, error) {
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

// whole reports whether nothing was read, or a blank line at the end.
func (s *padded) whole() bool {
	tail := string(s.tail)
	return tail == "" || strings.HasSuffix(tail, "\n\n") || strings.HasSuffix(tail, "\r\n\r\n") || strings.HasSuffix(tail, "\r\r")
}

// keep remembers the last bytes read.
func (s *padded) keep(read []byte) {
	const longest = len("\r\n\r\n")
	s.tail = append(s.tail, read[max(0, len(read)-longest):]...)
	s.tail = s.tail[max(0, len(s.tail)-longest):]
}

// unlimited is a limit in bytes, or far more than anybody sends.
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
