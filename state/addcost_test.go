package state

import "testing"

func TestCostsThatAreKnownAreSummed(t *testing.T) {
	t.Parallel()
	a, b := 0.1, 0.2
	if sum := AddCost(&a, &b); *sum != 0.3 {
		t.Errorf("sum = %v", *sum)
	}
	if AddCost(nil, &b) != &b || AddCost(&a, nil) != &a || AddCost(nil, nil) != nil {
		t.Error("what is not known adds something")
	}
}
