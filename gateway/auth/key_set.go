package auth

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
)

// The times of reading keys from the provider.
const (
	// refreshAge is the age at which a request refreshes the keys in the background, so that revoked keys stop working.
	refreshAge = 5 * time.Minute
	// maxAge bounds the use of keys that cannot be refreshed.
	maxAge = 24 * time.Hour
	// readPause is the least time between two reads, for any tokens.
	readPause = 10 * time.Second
)

var (
	errNoKeys    = errors.New("the provider's keys cannot be read")
	errUnknownID = errors.New("the token is signed with a key that the provider does not have, or not for this " +
		"algorithm")
	errWhichKey   = errors.New("the token does not name its key, and the provider has several")
	errAskerGone  = errors.New("the request ended before the provider's keys were read")
	errSetClosed  = errors.New("the gateway is shutting down")
	errReadPanics = errors.New("reading the provider's keys panics")
)

// A keySet has the keys of a provider as they were when they were last read.
type keySet struct {
	read func(context.Context) ([]publicKey, error)
	now  func() time.Time
	log  *slog.Logger

	ctx     context.Context // of reads, which serve many requests and so must outlive each
	cancel  context.CancelFunc
	reading sync.WaitGroup

	mu      sync.Mutex
	keys    []publicKey   // replaced as a whole
	at      time.Time     // when the provider last confirmed them; zero if never
	begun   time.Time     // when the last reading began
	ready   chan struct{} // closed at the end of the current read; nil if there is none
	problem string        // of the last reading, as it was logged
}

func newKeySet(read func(context.Context) ([]publicKey, error), now func() time.Time, log *slog.Logger) *keySet {
	ctx, cancel := context.WithCancel(context.Background())
	return &keySet{read: read, now: now, log: log, ctx: ctx, cancel: cancel}
}

func (s *keySet) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
}

// close cancels the current read and waits for its end.
func (s *keySet) close() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.reading.Wait()
}

// find returns the keys that may have signed a token with this algorithm: those with the id, or, if id is empty, the
// only key. If there is none, there may be new keys: find waits for a read, unless one was very recent.
func (s *keySet) find(ctx context.Context, id string, a jwa.SignatureAlgorithm) ([]publicKey, error) {
	s.mu.Lock()
	keys, err := s.match(id, a)
	age := s.now().Sub(s.at)
	var ready chan struct{}
	if err != nil || age >= refreshAge {
		ready = s.refresh()
	}
	s.mu.Unlock()
	if err == nil || ready == nil {
		return keys, err
	}
	select {
	case <-ready:
	case <-ctx.Done():
		return nil, errAskerGone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.match(id, a)
}

// match searches the current keys. The caller holds the lock.
func (s *keySet) match(id string, a jwa.SignatureAlgorithm) ([]publicKey, error) {
	if s.ctx.Err() != nil {
		return nil, errSetClosed
	}
	if s.at.IsZero() || s.now().Sub(s.at) >= maxAge {
		return nil, errNoKeys
	}
	var keys []publicKey
	for _, k := range s.keys {
		if (id == "" || k.id == id) && slices.Contains(k.algs, a) {
			keys = append(keys, k)
		}
	}
	switch {
	case len(keys) == 0:
		return nil, errUnknownID
	case id == "" && len(keys) > 1: // to try them all would let a stranger choose what a request costs
		return nil, errWhichKey
	}
	return keys, nil
}

// refresh begins a read, unless one is in progress or began less than readPause ago. It returns a channel that is
// closed at the end of the read, or nil without one. The caller holds the lock.
func (s *keySet) refresh() chan struct{} {
	if s.ready != nil || s.ctx.Err() != nil || !s.begun.IsZero() && s.now().Sub(s.begun) < readPause {
		return s.ready
	}
	ready := make(chan struct{})
	s.ready, s.begun = ready, s.now()
	s.reading.Go(func() {
		keys, err := s.readSafely()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.take(keys, err)
		s.ready = nil
		close(ready)
	})
	return ready
}

// readSafely reads the keys and recovers from panics of the library that parses them.
func (s *keySet) readSafely() (keys []publicKey, err error) {
	defer func() {
		if recover() != nil {
			err = errReadPanics
		}
	}()
	return s.read(s.ctx)
}

// take replaces the keys with those that were read. After an error the old keys stay. The caller holds the lock.
func (s *keySet) take(keys []publicKey, err error) {
	switch {
	case s.ctx.Err() != nil: // the reading was cut short
	case err != nil:
		if s.problem != err.Error() {
			s.problem = err.Error()
			s.log.Error("the keys for tokens cannot be read", "error", err, "keys", len(s.keys))
		}
	default:
		if s.problem != "" || s.at.IsZero() {
			s.log.Info("the keys for tokens have been read", "keys", len(keys))
		}
		s.keys, s.at, s.problem = keys, s.now(), ""
	}
}
