package redisstore

import (
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// TestCompareLogs finds the threads that do not agree with their logs, and no others, in a Redis and in a Cluster.
func TestCompareLogs(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"one": redistest.Start(t).URL(), "cluster": redistest.StartCluster(t).URL()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Patient(Options{Prefix: "a*[gui]", Logger: slog.New(slog.DiscardHandler)})
			b, err := openBackend(t.Context(), url, o)
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
			if n, wrong, err := CompareLogs(t.Context(), url, o, 100); n != 7 || wrong != nil || err != nil {
				t.Fatalf("CompareLogs() = %d, %v, %v", n, wrong, err)
			}
			do("HSET", hash("behind", partThread), "last", "7-1")
			do("HSET", hash("ahead", partThread), "last", "9999999999999-1")
			do("XADD", hash("ended", partLog), "9999999999999-1", "t", "RUN_FINISHED", "d", "{}")
			do("HSET", hash("ended", partThread), "last", "9999999999999-1")
			_, wrong, err := CompareLogs(t.Context(), url, o, 100)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, d := range wrong {
				got[d.Tag] = d.Live
			}
			want := map[string]bool{string(hashTagOf(key("behind"))): false, string(hashTagOf(key("ahead"))): false, string(hashTagOf(key("ended"))): true}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("CompareLogs() = %v, want %v", got, want)
			}
		})
	}
}
