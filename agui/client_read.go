package agui

import (
	"context"
	"errors"
	"io"
	"time"
)

// A patient one measures the silence of a stream.
type patient struct {
	idle   time.Duration
	cancel context.CancelCauseFunc
	over   bool // the run has ended
	timer  *time.Timer
}

// wait begins a silence. Time that whoever reads takes for itself is none.
func (p *patient) wait() {
	d, cause := p.idle, errSilent
	if p.over {
		d, cause = linger, errLingered
	}
	if d > 0 {
		p.timer = time.AfterFunc(d, func() { p.cancel(cause) })
	}
}

func (p *patient) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *patient) lingering(over bool) { p.over = over }

// bounded counts what is read, and times it.
type bounded struct {
	r       io.Reader
	left    int64
	limited bool
	over    bool // there was more
	clock   *patient
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
	if whole := (&wholeEvents{tail: string(s.tail)}).whole(); whole || len(p) < len(end) {
		return 0, err
	}
	s.added = true
	return copy(p, end), nil
}

// keep remembers the last bytes read.
func (s *padded) keep(read []byte) {
	const longest = len("\r\n\r\n")
	s.tail = append(s.tail, read[max(0, len(read)-longest):]...)
	s.tail = s.tail[max(0, len(s.tail)-longest):]
}
