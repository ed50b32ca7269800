package limit

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	var c Counts
	for i, step := range []struct {
		owner string
		n     int64
		most  int64
		want  bool
	}{
		{"ada", 1, 2, true}, {"ada", 1, 2, true}, {"ada", 1, 2, false}, {"bob", 2, 2, true}, {"ada", 5, 0, true}, {"eve", 3, 2, false},
	} {
		if got := c.Add(step.owner, step.n, step.most); got != step.want {
			t.Errorf("Add() %d = %v, want %v", i, got, step.want)
		}
	}
	c.Done("ada", 7)
	c.Done("bob", 2)
	if len(c.n) != 0 {
		t.Errorf("%d owners have nothing and are remembered", len(c.n))
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Lines
		for second := range 3 {
			skipped, write := l.Next(time.Now())
			if want := min(second, 1) * 9; !write || skipped != want {
				t.Errorf("Next() = %d, %v in second %d, want %d, true", skipped, write, second, want)
			}
			for range 9 {
				time.Sleep(time.Millisecond)
				if _, write := l.Next(time.Now()); write {
					t.Error("a second line in a second")
				}
			}
			time.Sleep(time.Second)
		}
	})
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "::1": "::/64",
	} {
		if got := Network(netip.MustParseAddr(address)); got != want {
			t.Errorf("Network(%s) = %s, want %s", address, got, want)
		}
	}
	if a, b := Network(netip.Addr{}), Network(netip.Addr{}); a != b || a == "" {
		t.Errorf("Network() of no address = %q and %q", a, b)
	}
}
