package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// largeFrames are n frames of a lease of a megabyte each, from number seq.
func largeFrames(l *state.Lease, seq, n int) []agui.Frame {
	list := frames(l, seq, n)
	for i := range list {
		list[i].Data = json.RawMessage(`{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("x", 1<<20) + `"}`)
	}
	return list
}

// TestLargeFrames holds a store to moving a log of large frames in pieces that a connection manages in time, however many
// there are: those who write it, who read it from the start, who follow it, and who ask for a frame.
func TestLargeFrames(t *testing.T) {
	t.Parallel()
	const n, piece = 12, 6 << 20 // four megabytes, one more frame, and what is around them
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server)
	prefix := rand.Text()
	measured := open(t, proxy.URL(), redisstore.Options{Prefix: prefix})
	direct := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	bounded := func(what string) {
		t.Helper()
		if most := proxy.Most(); most.Request > piece || most.Reply > piece {
			t.Errorf("%s takes %d bytes at once, and gets %d", what, most.Request, most.Reply)
		}
	}
	written, read := newThread(t), newThread(t)

	l := written.begin(measured, time.Hour)
	if err := measured.Append(t.Context(), l, behind(l, 0), largeFrames(l, 1, n)); err != nil {
		t.Errorf("Append() = %v", err)
	}
	bounded("Append()")
	ids, _ := written.tail(direct, agui.FrameID{}, n)
	written.ordered(ids(), n)

	l = read.begin(direct, time.Hour)
	for seq := 1; seq <= n; seq++ {
		if err := direct.Append(t.Context(), l, behind(l, seq-1), largeFrames(l, seq, 1)); err != nil {
			t.Fatalf("Append() = %v", err)
		}
	}
	proxy.Most()
	if holds, err := measured.Holds(t.Context(), read.key, behind(l, 2)); !holds || err != nil {
		t.Errorf("Holds() = %v, %v", holds, err)
	}
	if most := proxy.Most(); most.Reply > 1<<10 {
		t.Errorf("Holds() gets %d bytes", most.Reply)
	}
	ids, _ = read.tail(measured, agui.FrameID{}, 2*n)
	redistest.Until(t, "the reader", func() bool { return blocked(t, server.Client()) == 1 })
	bounded("Tail() from the start")
	if err := direct.Append(t.Context(), l, behind(l, n), largeFrames(l, n+1, n)); err != nil {
		t.Fatalf("Append() = %v", err)
	}
	read.ordered(ids(), 2*n)
	bounded("Tail() of what is new")
}
