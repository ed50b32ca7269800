package gateway

import "testing"

// A run that did not start is no run of its chain, however often that happens.
func TestUndoneRunsOfAChain(t *testing.T) {
	t.Parallel()
	var c chains
	if !c.enter("chain", 0) {
		t.Fatal("the first run is refused")
	}
	for i := range 2 * maxChainRuns {
		if !c.enter("chain", 1) {
			t.Fatalf("run %d is refused, though none before it started", i)
		}
		c.undo("chain", 1)
	}
	for range maxChainRuns {
		c.enter("chain", 1)
	}
	if c.enter("chain", 1) {
		t.Errorf("a chain has more than %d runs", maxChainRuns)
	}
}
