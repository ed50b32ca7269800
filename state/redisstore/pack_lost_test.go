package redisstore

import (
	"fmt"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestAPackRestoresNothing has a Redis lose the newest writes of a run before its log is packed, with and without a
// continuation of the run: packing does not change the log then. A run that is complete is packed.
func TestAPackRestoresNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	b, err := openBackend(t.Context(), server.URL(), Patient(Options{Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{ThreadTTL: time.Hour})
	t.Cleanup(func() { _ = s.Close() })
	client := server.Client()
	for lost := range 4 {
		for _, taken := range []bool{false, true} {
			if lost == 0 && taken {
				continue // there is nothing to take
			}
			key := state.Key{Principal: "ada", Agent: "a", ID: fmt.Sprint(lost, taken)}
			run := state.Request{Key: key, RunID: "r", Hash: "h", Era: agui.Era1, Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("x")}}}
			begun, err := s.Begin(t.Context(), &run, state.LeaseOptions{Attempt: key.ID, TTL: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			dumps := []map[string]string{dumpOf(t, b, key)}
			for seq := uint64(1); seq <= 3; seq++ {
				f := state.Frame{ID: state.FrameID{Fence: begun.Lease.Fence, Seq: seq}, Type: agui.TypeCustom, Data: fmt.Appendf(nil, `{"type":"CUSTOM","name":"n","value":%d}`, seq)}
				c := state.Commit{Number: int(seq), Frames: []state.Frame{f}}
				if seq == 3 {
					c.End = &state.End{Status: state.RunSuccess}
				}
				if _, err := s.Commit(t.Context(), begun.Lease, c); err != nil {
					t.Fatal(err)
				}
				dumps = append(dumps, dumpOf(t, b, key))
			}
			for part, is := range dumps[len(dumps)-1-lost] {
				if err := client.RestoreReplace(t.Context(), part, 0, is).Err(); err != nil {
					t.Fatal(err)
				}
			}
			if taken {
				redistest.Until(t, "a take", func() bool {
					_, err := s.Take(t.Context(), key, state.LeaseOptions{Attempt: "other " + key.ID, TTL: time.Hour})
					return err == nil
				})
			}
			before := newestOf(t, b, key)
			b.packer.mu.Lock()
			over := b.packer.over[len(b.packer.over)-1]
			b.packer.mu.Unlock()
			b.packRun(over)
			if after := newestOf(t, b, key); !reflect.DeepEqual(after, before) {
				t.Errorf("%d steps lost, taken %v: the log has %v, and before it was packed %v", lost, taken, after, before)
			}
			if n := client.Exists(t.Context(), b.key(hashTagOf(key), partPacks)).Val(); n == 1 != (lost == 0) {
				t.Errorf("%d steps lost: there are %d packs", lost, n)
			}
		}
	}
}

// dumpOf is what all keys of a thread hold.
func dumpOf(t *testing.T, b *backend, key state.Key) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, part := range b.keys(hashTagOf(key), append(threadParts, logParts...)) {
		if raw, err := b.main.Dump(t.Context(), part).Result(); err == nil {
			all[part] = raw
		}
	}
	return all
}

// newestOf are the frames of a log, and the newest one by the thread.
func newestOf(t *testing.T, b *backend, key state.Key) []state.FrameID {
	t.Helper()
	page, err := b.ReadLog(t.Context(), key, state.FrameID{})
	if err != nil {
		t.Fatal(err)
	}
	ids := []state.FrameID{page.Last}
	for _, f := range page.Frames {
		ids = append(ids, f.ID)
	}
	return ids
}
