package redisstore

import (
	"log/slog"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// FuzzMoment holds moments to the order of the times that they are of.
func FuzzMoment(f *testing.F) {
	for _, s := range []int64{0, -1, 1 << 41, 1<<41 + 1<<8, math.MinInt64, math.MaxInt64, -62135596800 << 8, 253402300800 << 8} {
		f.Add(s, int64(0), int64(1_800_000_000<<8), int64(999_999_999))
	}
	f.Fuzz(func(t *testing.T, s, ns, s2, ns2 int64) {
		a, b := time.Unix(s>>8, ns), time.Unix(s2>>8, ns2) // years that package time can tell
		if b.Before(a) {
			a, b = b, a
		}
		if x, y := moment(a), moment(b); len(x) != 20 || len(y) != 20 || x > y {
			t.Errorf("moments of %v and %v are %s and %s", a, b, x, y)
		}
		if a.Unix() >= 0 && !a.After(state.Forever) && !parseMoment(moment(a)).Equal(a) {
			t.Errorf("parseMoment(moment(%v)) = %v", a, parseMoment(moment(a)))
		}
	})
}

// TestScriptsCountTime compares what scripts make of a moment and a duration with what Go does.
func TestScriptsCountTime(t *testing.T) {
	t.Parallel()
	b, err := openBackend(t.Context(), redistest.Start(t).URL(), Patient(Options{Logger: slog.New(slog.DiscardHandler)}))
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{})
	t.Cleanup(func() { _ = s.Close() })
	shift := newScript("return { shift(arg(), count()) }", partThread)
	ctx := t.Context()
	check := func(t rapid.TB, at time.Time, by time.Duration) {
		t.Helper()
		r, err := b.run(ctx, shift, "x", args{moment(at), by.Microseconds()})
		if err != nil {
			t.Fatal(err)
		}
		want := at.Add(by)
		if want.After(state.Forever) {
			want = state.Forever
		}
		if want.Unix() < 0 { // it is before the first moment
			if r.text(0) >= moment(time.Unix(1, 0)) {
				t.Fatalf("shift(%v, %v) = %s", at, by, r.text(0))
			}
			return
		}
		if got := parseMoment(r.text(0)); !got.Equal(want) {
			t.Fatalf("shift(%v, %v) = %v, want %v", at, by, got, want)
		}
	}
	for _, at := range []time.Time{time.Unix(0, 0), time.Unix(6069772037, 0), state.Forever.Add(-1), state.Forever} { // the second one and a hundred years end in the year 2262
		for _, by := range []time.Duration{-state.MaxTTL, 0, time.Microsecond, state.MaxTTL} {
			check(t, at, by)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, state.Forever.Unix()-1).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond"))
		by := time.Duration(rapid.Int64Range(-int64(state.MaxTTL/time.Microsecond), int64(state.MaxTTL/time.Microsecond)).Draw(t, "microseconds")) * time.Microsecond
		check(t, at, by)
	})
}

// TestThreadsThatAreKeptForEver opens stores that keep threads longer than a number of nanoseconds tells.
func TestThreadsThatAreKeptForEver(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t).URL()
	for prefix, ttl := range map[string]time.Duration{"years": 240 * 365 * 24 * time.Hour, "most": math.MaxInt64} {
		s, err := Open(t.Context(), url, Patient(Options{Prefix: prefix, ThreadTTL: ttl, LogTTL: ttl, Logger: slog.New(slog.DiscardHandler)}))
		if err != nil {
			t.Fatal(err)
		}
		key := state.Key{Principal: "p", Agent: "a", ID: "t"}
		turn(t, s, key, 1, true)
		if _, _, err := s.Load(t.Context(), key); err != nil {
			t.Errorf("%v: Load() = %v", ttl, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
