package gateway

import (
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// A stream is one response, shared by what is sent and by the heartbeats between.
type stream struct {
	every time.Duration

	mu   sync.Mutex // guards what follows
	out  *agui.Stream
	last time.Time // when something went out
	// inRun says that the reader is in the middle of a run, whose end it must be told.
	inRun bool
}

func (s *stream) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return route.ReaderGone(s.out.Open())
}

func (s *stream) send(frames ...state.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	records := make([]agui.Record, len(frames))
	for i, f := range frames {
		s.inRun = (s.inRun || f.Type == agui.TypeRunStarted) && !terminal(f)
		records[i].Data = f.Data
		if !f.ID.IsZero() {
			records[i].ID = f.ID.String()
		}
	}
	return route.ReaderGone(s.out.Send(records...))
}

// beat sends a comment whenever nothing else was sent for a heartbeat, so that proxies keep the connection.
// It ends when stop is called, and has ended when stop returns.
func (s *stream) beat() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		timer := time.NewTimer(s.every)
		defer timer.Stop()
		for {
			select {
			case <-quit:
				return
			case <-timer.C:
				var next time.Duration
				err := protect(func() (err error) { next, err = s.tick(); return err })
				if err != nil {
					return // the reader is gone; the next send says so
				}
				timer.Reset(next)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

// tick sends the comment if it is due, and returns how long it is to the next one.
func (s *stream) tick() (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if quiet := time.Since(s.last); quiet < s.every {
		return s.every - quiet, nil
	}
	s.last = time.Now()
	return s.every, route.ReaderGone(s.out.Comment("keep-alive"))
}

func (s *stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return route.ReaderGone(s.out.Close())
}
