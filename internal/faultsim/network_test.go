package faultsim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

var errNetwork = errors.New("faultsim: the connection is gone")

// A network carries the requests of one actor to the replicas, by the host of the URL.
type network struct {
	w     *world
	actor string
}

// RoundTrip sends a request. It may fail before or after the request is made, take time, or cut the answer.
func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	dice := n.w.dice.next("net " + n.actor)
	r := n.w.replica(request.URL.Host)
	if r == nil {
		return nil, errNetwork
	}
	met, wait, life := none, between(dice, 0, 5*time.Millisecond), time.Duration(0)
	switch {
	case n.w.healed():
	case chance(dice, n.w.rates.network):
		met = anyFault(dice)
	case chance(dice, n.w.rates.slow):
		wait = between(dice, 0, 3*time.Second)
	case chance(dice, n.w.rates.cut):
		life = between(dice, time.Millisecond, 3*time.Second)
	}
	if err := sleep(request.Context(), wait); err != nil {
		return nil, err
	}
	if met == before || !r.alive() {
		return nil, errNetwork
	}
	ctx, cancel := context.WithCancel(request.Context())
	b := &body{r: r, cancel: cancel}
	r.mu.Lock()
	r.open[b] = struct{}{}
	r.mu.Unlock()
	response, err := r.handler.RoundTrip(request.WithContext(ctx))
	if err != nil {
		b.cut()
		return nil, err
	}
	b.set(response.Body)
	if met == after || !r.alive() {
		b.cut()
		return nil, errNetwork
	}
	if life > 0 {
		b.timer = time.AfterFunc(life, b.cut)
	}
	response.Body = b
	return response, nil
}

// A body is the answer of a connection that can be cut.
type body struct {
	r      *replica
	cancel context.CancelFunc
	timer  *time.Timer

	mu   sync.Mutex
	from io.ReadCloser
	gone bool
}

func (b *body) set(from io.ReadCloser) {
	b.mu.Lock()
	b.from = from
	gone := b.gone
	b.mu.Unlock()
	if gone {
		_ = from.Close() // it was cut before
	}
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close ends the connection.
func (b *body) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.r.mu.Lock()
	delete(b.r.open, b)
	b.r.mu.Unlock()
	b.cut()
	return nil
}

// cut breaks the connection.
func (b *body) cut() {
	b.mu.Lock()
	from := b.from
	b.gone = true
	b.mu.Unlock()
	b.cancel()
	if from != nil {
		_ = from.Close() // a pipe
	}
}
