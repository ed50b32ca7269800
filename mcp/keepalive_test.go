package mcp

import (
	"testing"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
)

// TestAnIdleProgramThatHangs is found without a call, and started again by the next who needs it. A program that is
// only slow may be taken for one that hangs, and is started again too: then that one is stopped.
func TestAnIdleProgramThatHangs(t *testing.T) {
	t.Parallel()
	o := program(t, "serve")
	o.KeepAlive, o.probeTimeout = 5*time.Millisecond, 200*time.Millisecond
	s := start(t, o)
	tool := toolsOf(t, s.Source(SourceOptions{}))["pid"]
	pid := func() (int, bool) {
		got, err := tool.Call(t.Context(), groupchat.ToolCall{})
		if err != nil {
			return 0, false
		}
		return pidOf(t, got), true
	}
	var hung int
	var conn *connection
	eventually(t, func() (ok bool) {
		if hung, ok = pid(); ok {
			conn = connectionOf(s)
		}
		return ok && conn != nil && stopProgram(t, hung)
	})
	eventually(t, func() bool { return connectionOf(s) != conn })
	eventually(t, func() bool {
		again, ok := pid()
		if again == hung {
			t.Fatalf("the program %d goes on", again)
		}
		return ok
	})
}

// TestKeepAliveLeavesABusyServerAlone: one that handles one request after the other does not answer while it works. The
// probe of an idle server may come before the call does: then another call is made.
func TestKeepAliveLeavesABusyServerAlone(t *testing.T) {
	t.Parallel()
	o := program(t, "serve")
	o.KeepAlive, o.probeTimeout = 5*time.Millisecond, time.Nanosecond // every probe fails
	wait := toolsOf(t, start(t, o).Source(SourceOptions{}))["wait"]
	eventually(t, func() bool {
		g := newGate(t)
		ended := g.call(t.Context(), wait)
		select {
		case <-g.arrived:
		case err := <-ended:
			t.Logf("the call has ended before it arrived: %v", err)
			return false
		}
		ticker := time.NewTicker(o.KeepAlive)
		defer ticker.Stop()
		for range 20 { // as often as the server would be asked
			<-ticker.C
		}
		close(g.open)
		return <-ended == nil
	})
}
