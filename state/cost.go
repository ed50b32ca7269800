package state

import "math"

// AddCost returns the sum of the known ones of two costs, in any currency; nil if neither is known.
func AddCost(total, more *float64) *float64 {
	switch {
	case total == nil:
		return more
	case more == nil:
		return total
	}
	const places = 1e12 // behind which is only what binary fractions add
	sum := math.Round((*total+*more)*places) / places
	return &sum
}
