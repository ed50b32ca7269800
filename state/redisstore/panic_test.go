package redisstore_test

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A panic behind a reader, of a clock here, ends no process: the reader goes on when it is over.
func TestAFollowerThatPanics(t *testing.T) {
	t.Parallel()
	url, prefix := redistest.Start(t).URL(), rand.Text()
	var broken atomic.Bool
	var panics atomic.Int64
	writer := open(t, url, redisstore.Options{Prefix: prefix})
	reader := open(t, url, redisstore.Options{Prefix: prefix, Now: func() time.Time {
		if broken.Load() {
			panics.Add(1)
			panic("secret")
		}
		return time.Now()
	}})
	th := newThread(t)
	begun, err := writer.Begin(t.Context(), th.request(), state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	frame := func(seq uint64) state.Frame {
		return state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: seq}, Type: agui.TypeCustom, Data: []byte(`{}`)}
	}
	add := func(f state.Frame) {
		if err := writer.Append(t.Context(), begun.Lease, state.FrameID{}, []state.Frame{f}); err != nil {
			t.Errorf("Append() = %v", err)
		}
	}
	add(frame(1))
	var end atomic.Uint64 // the frame behind the panic
	spoil := sync.OnceFunc(func() {
		broken.Store(true)
		seq := uint64(2)
		for ; panics.Load() == 0; seq++ { // a look may have begun before
			add(frame(seq))
			time.Sleep(time.Millisecond)
		}
		broken.Store(false)
		end.Store(seq)
		add(frame(seq))
	})
	var spoilt sync.WaitGroup
	defer spoilt.Wait()
	for batch, err := range reader.Tail(t.Context(), begun.Lease.Key, state.FrameID{}) {
		if err != nil {
			t.Fatal(err)
		}
		if last := batch[len(batch)-1].ID.Seq; last == end.Load() {
			return
		}
		spoilt.Go(spoil)
	}
}
