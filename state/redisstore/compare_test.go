package redisstore

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestCompareLogs finds the threads that disagree with their logs, and no others.
func TestCompareLogs(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	b, err := openBackend(t.Context(), server.URL(), Patient(Options{Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{ThreadTTL: time.Hour})
	t.Cleanup(func() { _ = s.Close() })
	key := func(id string) state.Key { return state.Key{Principal: "p", Agent: "a", ID: id} }
	for _, id := range []string{"idle", "live", "packed", "evicted", "behind", "ahead", "ended"} {
		turn(t, s, key(id), 1, id != "live" && id != "ended")
	}
	for i := range b.packer.over {
		if b.packer.over[i].key == key("packed") {
			b.packRun(b.packer.over[i])
		}
	}
	hash := func(id string, p part) string { return b.key(hashTagOf(key(id)), p) }
	do := func(args ...any) {
		t.Helper()
		if err := b.main.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	do("DEL", hash("evicted", partLog))
	if n, wrong, err := redistest.CompareLogs(t.Context(), server.Addr, "agui"); n != 7 || wrong != nil || err != nil {
		t.Fatalf("CompareLogs() = %d, %v, %v", n, wrong, err)
	}
	do("HSET", hash("behind", partThread), "last", "7-1")
	do("HSET", hash("ahead", partThread), "last", "9999999999999-1")
	do("XADD", hash("ended", partLog), "9999999999999-1", "t", "RUN_FINISHED", "d", "{}")
	do("HSET", hash("ended", partThread), "last", "9999999999999-1")
	_, wrong, err := redistest.CompareLogs(t.Context(), server.Addr, "agui")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, sentence := range wrong {
		name, _, _ := strings.Cut(sentence, ": the log")
		got = append(got, name)
	}
	want := []string{hash("behind", partThread), hash("ahead", partThread), hash("ended", partThread)}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("CompareLogs() = %v, want %v", got, want)
	}
}
