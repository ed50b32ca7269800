package statetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// A sentence is one promise of the contract, with what holds a store to it.
type sentence struct {
	says string
	test func(w *world)
}

// Run tests the contract of stores that open returns. Every test gets a new store, with LogTTL and
// ThreadTTL as above, that reads its time from the clock and is closed by the suite.
func Run(t *testing.T, open func(t *testing.T, clock *Clock) state.Store) {
	t.Helper()
	// What counts allocations comes first: it cannot run beside others.
	t.Run("the cost of a commit does not grow with the thread", func(t *testing.T) { flat(newWorld(t, open)) })
	t.Run("the cost of a run does not grow with the states its thread had",
		func(t *testing.T) { pastOfStates(newWorld(t, open)) })
	t.Run("the cost of a thread does not grow with the messages that left it",
		func(t *testing.T) { regenerations(newWorld(t, open)) })
	for _, s := range slices.Concat(leases, answers, logs, threads, past, deletions, queues, forks, patches, crashes,
		shares, approvals, answered) {
		t.Run(s.says, func(t *testing.T) {
			t.Parallel()
			s.test(newWorld(t, open))
		})
	}
}

func newWorld(t *testing.T, open func(t *testing.T, clock *Clock) state.Store) *world {
	t.Helper()
	clock := NewClock()
	store := open(t, clock)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return &world{T: t, store: &Faulty{Store: store}, clock: clock}
}

// How long the stores under test keep what. The suite moves its clock past them.
const (
	LogTTL    = time.Hour
	ThreadTTL = 30 * 24 * time.Hour
)

// A Clock stands still until it is moved. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that shows a fixed moment.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
}

// Now returns the time it shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Move moves it by d, which may be negative: clocks of machines do that.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
