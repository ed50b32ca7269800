package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	const unit = 4 * small // so that the small part has room for one holder's first bytes
	for name, test := range map[string]struct {
		most   int64
		shared bool
		held   []int64 // by bob
		of     string
		asks   int64
		want   error
	}{
		"all that there is":            {most: unit, asks: unit, of: "ada"},
		"more than there is":           {most: unit, asks: unit + 1, of: "ada", want: ErrNoRoom},
		"the rest of what is large":    {most: 4 * unit, held: []int64{12*small + small - 1}, asks: small + 1, of: "ada"},
		"more than what is large":      {most: 4 * unit, held: []int64{12*small + small - 1}, asks: small + 2, of: "ada", want: ErrNoRoom},
		"small, where large ones hold": {most: 4 * unit, held: []int64{13 * small}, asks: small, of: "ada"},
		"the last of what is small":    {most: 4 * unit, held: []int64{small, small, small}, asks: small, of: "ada"},
		"more than what is small":      {most: 4 * unit, held: []int64{small, small, small, 1}, asks: small, of: "ada", want: ErrNoRoom},
		"a share":                      {most: unit, shared: true, asks: small, of: "ada"},
		"more than a share":            {most: unit, shared: true, asks: small + 1, of: "ada", want: ErrShare},
		"a share of what is large":     {most: 4 * unit, shared: true, asks: 4 * small, of: "ada"},
		"more of what is large":        {most: 4 * unit, shared: true, asks: 4*small + 1, of: "ada", want: ErrShare},
		"another's share is another":   {most: unit, shared: true, held: []int64{small}, asks: small, of: "ada"},
		"a share of several":           {most: unit, shared: true, held: []int64{small - 5}, asks: 6, of: "bob", want: ErrShare},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := NewBytes(test.most, test.shared)
				for _, n := range test.held {
					h := b.Hold("bob")
					if err := h.Grow(t.Context(), n); err != nil {
						t.Fatalf("Grow(%d) = %v", n, err)
					}
					defer h.Release()
				}
				h := b.Hold(test.of)
				before := time.Now()
				err := h.Grow(t.Context(), test.asks)
				if !errors.Is(err, test.want) {
					t.Errorf("Grow(%d) = %v, want %v", test.asks, err, test.want)
				}
				if took := time.Since(before); test.want == ErrNoRoom && took != patience || test.want != ErrNoRoom && took != 0 { //nolint:errorlint // of the table
					t.Errorf("Grow(%d) took %v", test.asks, took)
				}
				h.Release()
				if again := b.Hold(test.of); test.want == nil && again.Grow(t.Context(), test.asks) != nil {
					t.Error("what was released is not there again")
				}
			})
		})
	}
}

// Who waits for room gets what others give back, and takes nothing if it gives up.
func TestBytesAreWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBytes(4*small, false)
		first := b.Hold("ada")
		for n := int64(1); n <= 4*small; n *= 2 { // bytes already held are not taken again
			if err := first.Grow(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := b.Hold("bob").Grow(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Grow() of who is gone = %v", err)
		}
		second := b.Hold("bob")
		grown := make(chan error, 1)
		go func() { grown <- second.Grow(t.Context(), 4*small) }()
		time.Sleep(patience - 1)
		first.Release()
		if err := <-grown; err != nil {
			t.Errorf("Grow() when there is room = %v", err)
		}
		second.Release()
		second.Release()
		if err := b.Hold("ada").Grow(t.Context(), 4*small); err != nil {
			t.Errorf("Grow() after both = %v", err)
		}
		if err := first.Grow(t.Context(), 1<<40); err != nil {
			t.Errorf("Grow() after Release() = %v, want nothing to happen", err)
		}
	})
}

// Time that passes without a waiting caller does not use up the limit.
func TestWhoNeedNotWaitHasRoom(t *testing.T) {
	t.Parallel()
	b := NewBytes(4*small, false)
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), ErrNoRoom)
	defer cancel()
	if err := b.Hold("ada").Grow(ctx, 4*small); err != nil {
		t.Errorf("Grow() when its time is over and there is room = %v", err)
	}
	if err := b.Hold("bob").Grow(ctx, 1); !errors.Is(err, ErrNoRoom) {
		t.Errorf("Grow() when its time is over and there is none = %v", err)
	}
}

func TestWithoutALimitBytesAreFree(t *testing.T) {
	t.Parallel()
	for _, h := range []*Held{nil, NewBytes(0, true).Hold("ada"), NewBytes(-1, true).Hold("ada")} {
		if err := h.Grow(t.Context(), 1<<50); err != nil {
			t.Errorf("Grow() = %v", err)
		}
		h.Release()
	}
}
