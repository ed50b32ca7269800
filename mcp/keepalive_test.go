package mcp

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
)

// TestAnIdleProgramThatHangs is found without a call, and started again by the next who needs it.
func TestAnIdleProgramThatHangs(t *testing.T) {
	t.Parallel()
	o := program(t, "serve")
	var log logged
	o.Log, o.KeepAlive, o.probeTimeout = log.logger(), 5*time.Millisecond, 200*time.Millisecond
	s := start(t, o)
	source := s.Source(SourceOptions{})
	got, err := call(t.Context(), t, source, "pid", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pidOf(t, got), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.conn == nil
	})
	again, err := call(t.Context(), t, source, "pid", `{}`)
	if err != nil || pidOf(t, again) == pidOf(t, got) {
		t.Errorf("after that: %s, %v, want another program than %s", again.Content.Text(), err, got.Content.Text())
	}
}

// TestKeepAliveLeavesABusyServerAlone: one that handles one request after the other does not answer while it works.
func TestKeepAliveLeavesABusyServerAlone(t *testing.T) {
	t.Parallel()
	o := program(t, "serve")
	o.KeepAlive, o.probeTimeout = time.Millisecond, time.Nanosecond // every probe would fail
	s := start(t, o)
	got, err := call(t.Context(), t, s.Source(SourceOptions{}), "slow", `{}`)
	if err != nil || got.Content.Text() != "done" {
		t.Errorf("Call() = %q, %v", got.Content.Text(), err)
	}
}

// pidOf is the process id that the tool pid told.
func pidOf(t *testing.T, r groupchat.ToolResult) int {
	t.Helper()
	pid, err := strconv.Atoi(r.Content.Text())
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
