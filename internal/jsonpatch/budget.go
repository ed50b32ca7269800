package jsonpatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MaxOps is the largest number of operations of one patch.
const MaxOps = 10_000

// ErrSteps is returned for a patch that takes too many steps.
var ErrSteps = errors.New("the patch takes too many steps")

// A Budget is the number of steps that a patch may take. A step is a value, 16 bytes of text, or 16 elements of an
// array that shift. A nil Budget has no limit.
type Budget struct {
	ctx     context.Context
	left    int
	unasked int // steps since the context was checked
}

// NewBudget returns the budget of a patch of ops operations. It is some 100 milliseconds of work, and more for
// large documents: it grows with size, the bytes of document and patch together. The error for more than [MaxOps]
// operations is [ErrTooLarge].
func NewBudget(ctx context.Context, ops, size int) (*Budget, error) {
	if ops > MaxOps {
		return nil, fmt.Errorf("%w: a patch of %d operations, %d are allowed", ErrTooLarge, ops, MaxOps)
	}
	return &Budget{ctx: ctx, left: 1<<21 + size}, nil
}

// Spend takes n steps. It returns [ErrSteps] if too few are left, and the cause of the context once that is done.
func (b *Budget) Spend(n int) error {
	if b == nil {
		return nil
	}
	if b.left -= n; b.left < 0 {
		return ErrSteps
	}
	if b.unasked += n; b.unasked < 1<<12 {
		return nil
	}
	b.unasked = 0
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return nil
}

// Shift takes the steps of an insertion into an array, or a removal from one. Other values cost one step.
func (b *Budget) Shift(holder any) error {
	array, _ := holder.([]any)
	return b.Spend(1 + len(array)/16)
}

// Visit takes a step for each value in v, and more for long text.
func (b *Budget) Visit(v any) error {
	if b == nil {
		return nil
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := b.Visit(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			if err := b.Spend(len(name) / 16); err != nil {
				return err
			}
			if err := b.Visit(item); err != nil {
				return err
			}
		}
	case string:
		return b.Spend(1 + len(v)/16)
	case json.Number:
		return b.Spend(1 + len(v)/16)
	}
	return b.Spend(1)
}

// Equal reports whether a and b, decoded with numbers as [json.Number], are equal by RFC 6902, 4.6: numbers by
// value, whatever their spelling. The work is bounded by the smaller of the two.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || parseDecimal(string(a)) == parseDecimal(string(b)))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !Equal(v, other) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// Depth returns 0 for a scalar, and one more than its deepest item for an object or array.
func Depth(v any) int {
	deepest := -1
	switch v := v.(type) {
	case []any:
		deepest = 0
		for _, item := range v {
			deepest = max(deepest, Depth(item))
		}
	case map[string]any:
		deepest = 0
		for _, item := range v {
			deepest = max(deepest, Depth(item))
		}
	}
	return deepest + 1
}
