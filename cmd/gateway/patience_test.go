package main

import (
	"testing"
	"time"
)

// patience limits each wait of a test. It is far more than a loaded machine needs, and ends the test of a program that
// hangs.
const patience = 2 * time.Minute

// receive returns the next value of a channel, or the zero value if the channel is closed.
func receive[T any](t *testing.T, what string, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("never: %s", what)
	}
	return v
}

// eventually waits for something that happens by itself.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; !done(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(pause)
	}
}
