package jsonpatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func decode(t *testing.T, raw string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1`, `1.00e0`, true}, {`100`, `1e2`, true}, {`1e2`, `1E+02`, true}, {`0.001`, `1e-3`, true},
		{`0`, `-0`, true}, {`0`, `0e99999999999999999999`, true}, {`-1.50`, `-15e-1`, true},
		{`1`, `-1`, false}, {`1`, `1.0000000000000000000001`, false}, {`10`, `1`, false}, {`0.1`, `0.01`, false},
		{`12345678901234567890`, `12345678901234567891`, false}, {`12345678901234567890`, `1.2345678901234567890e19`, true},
		{`1e99999999999999999999`, `1e99999999999999999999`, true}, {`1e99999999999999999999`, `1e99999999999999999998`, false},
		{`1`, `"1"`, false}, {`"a"`, `"a"`, true}, {`null`, `null`, true}, {`null`, `[]`, false}, {`true`, `false`, false},
		{`{"a":[1,{"b":2}]}`, `{"a":[1.0,{"b":2e0}]}`, true}, {`{"a":1}`, `{"b":1}`, false}, {`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[1]`, false}, {`{}`, `[]`, false}, {`[]`, `1`, false},
	} {
		a, b := decode(t, tt.a), decode(t, tt.b)
		if Equal(a, b) != tt.want || Equal(b, a) != tt.want {
			t.Errorf("Equal(%s, %s) = %v, want %v", tt.a, tt.b, !tt.want, tt.want)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	b := &Budget{ctx: t.Context(), left: 1 << 21}
	v := decode(t, `{"a":[1,"`+strings.Repeat("x", 160)+`",null],"`+strings.Repeat("y", 32)+`":true}`)
	before := b.left
	if err := b.Visit(v); err != nil || before-b.left != 6+10+2 {
		t.Errorf("Visit() = %v in %d steps, want 18", err, before-b.left)
	}
	before = b.left
	if err := b.Shift(make([]any, 160)); err != nil || before-b.left != 11 {
		t.Errorf("Shift() = %v in %d steps, want 11", err, before-b.left)
	}
	if err := b.Spend(b.left); err != nil {
		t.Errorf("the last step: %v", err)
	}
	for _, v := range []any{1, "s", json.Number("1"), []any{nil}, map[string]any{"a": nil}, map[string]any{strings.Repeat("y", 32): nil}} {
		if err := b.Visit(v); !errors.Is(err, ErrSteps) {
			t.Errorf("beyond the last step: %v, want %v", err, ErrSteps)
		}
	}
	if err := (*Budget)(nil).Visit(v); err != nil || (*Budget)(nil).Spend(1<<40) != nil {
		t.Errorf("without a limit: %v", err)
	}
}

func TestBudgetEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &Budget{ctx: ctx, left: 1 << 21}
	if err := b.Spend(1 << 13); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("stopped")
	cancel(cause)
	if err := b.Spend(1 << 13); !errors.Is(err, cause) {
		t.Errorf("Spend() = %v, want %v", err, cause)
	}
}
