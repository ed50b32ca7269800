package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// A caller is one request with the stream that answers it.
type caller struct {
	g      *Gateway
	w      http.ResponseWriter
	r      *http.Request
	agent  *served
	key    state.Key
	req    *state.Request // nil for a reader that attached
	wire   wire.Profile
	stream *stream // nil until open
	// quiet is for a caller whose answer is no stream.
	quiet bool
	// watch is the run id a stream without a request of its own goes by.
	watch string
	// again is what the reader has of a run whose end must not be an error for it; nil if it may be.
	again *again
}

// open sends the headers, at once: a client may wait for them with a deadline of its own.
func (c *caller) open() error {
	if c.stream != nil || c.quiet {
		return nil
	}
	s, err := agui.NewStream(c.w, agui.StreamOptions{}) // the writer has deadlines
	if err != nil {
		return err
	}
	c.stream = &stream{out: s, every: c.g.o.Heartbeat}
	return c.stream.open()
}

// beat keeps the stream alive while nothing else is sent, until the returned function is called.
func (c *caller) beat() (stop func()) {
	if c.stream == nil {
		return func() {}
	}
	return c.stream.beat()
}

// failed answers a request that failed in admission: as an HTTP error, or inside the stream if that is open.
func (c *caller) failed(err error) error {
	code := agui.CodeOf(err)
	if c.r.Context().Err() != nil {
		return err
	}
	if told, ok := c.notTaken(code); ok {
		return told
	}
	if c.stream == nil {
		return err
	}
	return c.busy(code)
}

// told tells a reader whose stream broke off why: the error would be seen in the log alone, and what ends without a
// word would look like a success.
func (c *caller) told(err error) error {
	if err == nil || c.stream == nil || c.r.Context().Err() != nil || errors.Is(err, route.ErrReaderGone) {
		return err
	}
	if errors.Is(err, state.ErrUnknownThread) {
		return c.forgotten()
	}
	code := agui.CodeInternal // what is wrong with a stored frame is not the caller's doing
	if errors.Is(err, state.ErrDamaged) {
		code = agui.CodeThreadDamaged
	} else if coded, ok := errors.AsType[*agui.Error](err); ok {
		code = coded.Code
	}
	c.g.log(c.r).Error("reader: cannot go on", "code", string(code), "error", err)
	return c.lost(code)
}

// panicked tells a reader whose handler panics, and lets it. It is to be deferred.
func (c *caller) panicked() {
	if p := recover(); p != nil {
		_ = c.told(fmt.Errorf("gateway: panic: %v", p)) // the panic is what matters
		panic(p)
	}
}

// lost ends a stream in the middle of a run whose end will not be told: its thread was forgotten, or the store is
// gone.
func (c *caller) lost(code agui.Code) error {
	if c.again != nil {
		return c.askAgain(code)
	}
	events := []agui.Event{&agui.RunError{Message: code.Message(), Code: string(code)}}
	if !c.stream.inRun {
		events = append([]agui.Event{c.opening(c.key)}, events...)
	}
	if err := c.show(c.key, state.FrameID{}, plain(events...)...); err != nil {
		return err
	}
	return c.stream.close()
}

// forgotten ends the stream of a reader whose thread is gone. A deletion ends the log of the live run, so whoever is in
// the middle of it has lost it in another way; to whoever has not begun to read, it was stopped.
func (c *caller) forgotten() error {
	if c.again != nil && c.again.begun || c.stream.inRun {
		return c.lost(agui.CodeRunLost)
	}
	return c.cancelled()
}

// cancelled tells of a run that was stopped before there was anything to read of it.
func (c *caller) cancelled() error {
	end := &agui.RunFinished{ThreadID: c.key.ID, RunID: c.runID(), Outcome: &agui.Outcome{Type: agui.OutcomeCancelled}}
	if err := c.show(c.key, state.FrameID{}, plain(c.opening(c.key), end)...); err != nil {
		return err
	}
	return c.stream.close()
}

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
