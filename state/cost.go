package state

import "math"

// AddCost sums what is known of two costs, in whatever currency they are; nil if neither is known.
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
