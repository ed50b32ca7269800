package redisstore_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestReadersBesideAStaleAttempt reads in a store that keeps the attempt of an earlier run. The store writes one frame
// of a run that another store owns. A reader that joins after this frame must follow the log, because the other store
// writes the next frame.
func TestReadersBesideAStaleAttempt(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	o := redisstore.Options{Prefix: rand.Text()}
	a, b := open(t, server.URL(), o), open(t, server.URL(), o)
	for range 20 { // a late signal of the earlier run makes the reader look at the log
		th := newThread(t)
		th.succeed(b, th.begin(a, time.Hour), 1)
		l := th.begin(b, time.Hour)
		th.append(a, l, 1, 1)
		ids := make(chan state.FrameID, 10)
		go func() {
			defer close(ids)
			for batch, err := range a.Tail(t.Context(), th.key, state.FrameID{}) {
				if err != nil {
					return
				}
				for _, f := range batch {
					ids <- f.ID
				}
			}
		}()
		for seq := 1; seq <= 2; seq++ {
			for id := (state.FrameID{}); id != behind(l, seq); {
				select {
				case id = <-ids:
				case <-time.After(time.Minute):
					t.Fatalf("the reader did not get frame %d", seq)
				}
			}
			if seq == 1 {
				th.append(b, l, 2, 1)
			}
		}
	}
}
