package limit

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tokens := NewTokens(10, time.Hour, time.Now)
		for i, step := range []struct {
			pause time.Duration
			spent int64
			want  time.Duration
		}{
			{0, 0, 0},
			{0, 10, 0}, // exactly
			{time.Minute, 0, 0},
			{0, 1, 59 * time.Minute}, // beyond, and known afterwards
			{59*time.Minute - 1, 0, 1},
			{1, 0, 0}, // a new window
			{0, 10, 0},
			{30 * time.Minute, 100, 30 * time.Minute}, // it began with its first tokens
		} {
			time.Sleep(step.pause)
			tokens.Spend("ada", step.spent)
			if got := tokens.Wait("ada"); got != step.want {
				t.Errorf("Wait() %d = %v, want %v", i, got, step.want)
			}
		}
		if got := tokens.Wait("bob"); got != 0 {
			t.Errorf("Wait() of another = %v, want 0", got)
		}
	})
}

// TestSpentTokensAreNotForgotten whatever others use.
func TestSpentTokensAreNotForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tokens := NewTokens(100, 24*time.Hour, time.Now)
		tokens.Spend("ada", 1_000_000)
		for i := range 2 * maxOwners {
			tokens.Spend(strconv.Itoa(i), 1)
		}
		if got := tokens.Wait("ada"); got != 24*time.Hour {
			t.Errorf("Wait() = %v, want 24h", got)
		}
	})
}

func TestWithoutALimitTokensAreNotCounted(t *testing.T) {
	t.Parallel()
	for _, tokens := range []*Tokens{nil, NewTokens(0, time.Hour, time.Now), NewTokens(1, 0, time.Now)} {
		tokens.Spend("ada", 1<<40)
		if got := tokens.Wait("ada"); got != 0 {
			t.Errorf("Wait() = %v, want 0", got)
		}
	}
}
