package redisstore_test

import (
	"context"
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

// A panic in a call of a reader, of a clock here, ends no process: the reader continues after it.
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
	var read atomic.Uint64 // the newest frame
	var reading sync.WaitGroup
	defer reading.Wait()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	reading.Go(func() {
		for batch, err := range reader.Tail(ctx, begun.Lease.Key, state.FrameID{}) {
			if err != nil {
				if ctx.Err() == nil {
					t.Errorf("Tail() = %v", err)
				}
				return
			}
			read.Store(batch[len(batch)-1].ID.Seq)
		}
	})
	redistest.Until(t, "the reader to begin", func() bool { return read.Load() == 1 })
	broken.Store(true)
	seq := uint64(1)
	redistest.Until(t, "a panic", func() bool { // a scan may have begun before
		seq++
		add(frame(seq))
		return panics.Load() > 0
	})
	broken.Store(false)
	seq++
	add(frame(seq))
	redistest.Until(t, "the frame behind the panic", func() bool { return read.Load() == seq })
}
