package main

import (
	"testing"
	"time"
)

// patience is how long a test waits for what has to happen. It is far more than a loaded machine needs, and ends the test of a program that hangs.
const patience = 2 * time.Minute

// receive returns what comes through a channel, or the zero value if it is closed.
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
