package redisstore_test

import (
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// largeFrames are n frames of a lease of a megabyte each, from number seq.
func largeFrames(l *state.Lease, seq, n int) []state.Frame {
	list := frames(l, seq, n)
	for i := range list {
		list[i].Data = json.RawMessage(`{"type":"CUSTOM","name":"n","value":"` + strings.Repeat("x", 1<<20) + `"}`)
	}
	return list
}

// TestLargeConversation holds a store to reading a conversation in pieces, and to keeping no more of what left it than
// the log may show.
func TestLargeConversation(t *testing.T) {
	t.Parallel()
	const n, piece = 12, 6 << 20
	server := redistest.Start(t)
	proxy := redistest.StartProxy(t, server)
	prefix := rand.Text()
	measured := open(t, proxy.URL(), redisstore.Options{Prefix: prefix})
	direct := open(t, server.URL(), redisstore.Options{Prefix: prefix})
	th := newThread(t)
	said := func(id string, size int) state.Commit {
		return state.Commit{Messages: []agui.Message{{ID: id, Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("x", size))}}}
	}
	l := th.begin(direct, time.Hour)
	for i := range n {
		if _, err := direct.Commit(t.Context(), l, said("large"+strconv.Itoa(i), 1<<20)); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
	}
	proxy.Most()
	if got := len(th.messages(measured)); got != n+1 {
		t.Errorf("Messages() has %d, want %d", got, n+1)
	}
	if s, err := measured.Snapshot(t.Context(), th.key); err != nil || len(s.Messages) != n+1 {
		t.Errorf("Snapshot() = %v", err)
	}
	if most := proxy.Most(); most.Reply > piece {
		t.Errorf("%d bytes of a conversation are read at once", most.Reply)
	}
}

// TestRegenerations makes a long answer of a thread anew many times: no more is kept of those that left than the log
// may show, and nothing once the log has expired.
func TestRegenerations(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	clock := statetest.NewClock()
	store := open(t, server.URL(), redisstore.Options{Now: clock.Now, LogTTL: time.Hour})
	client := server.Client()
	used := func(part string) (bytes int64) {
		t.Helper()
		keys, err := client.Keys(t.Context(), "*}:"+part).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			n, err := client.MemoryUsage(t.Context(), key, 0).Result()
			if err != nil {
				t.Fatal(err)
			}
			bytes += n
		}
		return bytes
	}
	th := newThread(t)
	r := th.request()
	question := r.Messages
	for i := range 24 {
		b, err := store.Begin(t.Context(), r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
		if err != nil || b.Lease == nil {
			t.Fatalf("Begin() = %+v, %v", b, err)
		}
		c := end(b.Lease, 1)
		c.Messages = []agui.Message{{ID: "answer" + strconv.Itoa(i), Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("x", 600<<10))}}
		if _, err := store.Commit(t.Context(), b.Lease, c); err != nil {
			t.Fatalf("Commit() = %v", err)
		}
		r = th.request()
		r.Messages, r.Regenerate = question, true
	}
	if got := used("*"); got > 12<<20 {
		t.Errorf("a conversation of 600 KB takes %d bytes", got)
	}
	clock.Move(time.Hour)
	if holds, err := store.Holds(t.Context(), th.key, state.FrameID{Fence: 1, Seq: 1}); holds || err != nil {
		t.Errorf("Holds() = %v, %v", holds, err)
	}
	if got := used("*"); got > 1<<20 {
		t.Errorf("a conversation of 600 KB takes %d bytes when its log has expired", got)
	}
}

// TestLargeFrames holds a store to moving a log of large frames in pieces that a connection manages in time,
// however many there are: those who write it, who read it from the start, who follow it, and who ask for a frame.
func TestLargeFrames(t *testing.T) {
	t.Parallel()
	const n, piece = 12, 6 << 20 // four megabytes, one more frame, and the overhead
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
	ids, _ := written.tail(direct, state.FrameID{}, n)
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
	ids, _ = read.tail(measured, state.FrameID{}, 2*n)
	redistest.Until(t, "the reader", func() bool { return followers(t, server.Client()) == 1 })
	bounded("Tail() from the start")
	if err := direct.Append(t.Context(), l, behind(l, n), largeFrames(l, n+1, n)); err != nil {
		t.Fatalf("Append() = %v", err)
	}
	read.ordered(ids(), 2*n)
	bounded("Tail() of what is new")
}
