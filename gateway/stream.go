package gateway

import (
	"fmt"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A stream is one response, shared by what is sent and by the heartbeats between.
type stream struct {
	every time.Duration

	mu  sync.Mutex // guards what follows
	out *agui.Stream
	// sent says that something went out since the last heartbeat was due.
	sent bool
}

func (s *stream) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return gone(s.out.Open())
}

func (s *stream) send(frames ...agui.Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = true
	return gone(s.out.Send(frames...))
}

// gone marks the errors of a connection: they are nobody's fault and nobody's to be told.
func gone(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errReaderGone, err)
}

// beat sends a comment whenever nothing else was sent for a heartbeat, so that proxies keep the connection.
// It ends when stop is called, and has ended when stop returns.
func (s *stream) beat() (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(s.every)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				if s.tick() != nil {
					return // the reader is gone; the next send says so
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(quit)
		<-ended
	})
}

func (s *stream) tick() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	quiet := !s.sent
	s.sent = false
	if !quiet {
		return nil
	}
	return gone(s.out.Comment("keep-alive"))
}

func (s *stream) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return gone(s.out.Close())
}
