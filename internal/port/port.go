package port

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
)

// A Reservation is a port of 127.0.0.1 that is reserved until Close.
type Reservation struct {
	port    int
	release func() error
}

// Reserve reserves a port.
func Reserve() (*Reservation, error) {
	socket, port, err := bind()
	if err != nil {
		return nil, fmt.Errorf("cannot reserve a port: %w", err)
	}
	return &Reservation{port: port, release: sync.OnceValue(func() error { return unbind(socket) })}, nil
}

// ForTest reserves a port until the end of a test. Cleanups that the test adds later run before that.
func ForTest(t testing.TB) *Reservation {
	t.Helper()
	r, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Port returns the number of the port.
func (r *Reservation) Port() int { return r.port }

// Addr returns the address, host:port.
func (r *Reservation) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// Close ends the reservation. It is idempotent. It does not affect a server that listens on the port.
func (r *Reservation) Close() error { return r.release() }
