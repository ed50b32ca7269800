package jsonpatch

import (
	"slices"
	"testing"
)

func TestPointer(t *testing.T) {
	t.Parallel()
	for pointer, tokens := range map[string][]string{
		"": nil, "/": {""}, "//": {"", ""}, "/a/b": {"a", "b"}, "/a~1b/m~0n/~01": {"a/b", "m~n", "~1"}, "/ /é": {" ", "é"},
	} {
		got, err := ParsePointer(pointer)
		if err != nil || !slices.Equal(got, tokens) || Pointer(tokens...) != pointer {
			t.Errorf("ParsePointer(%q) = %q, %v, Pointer(%q) = %q", pointer, got, err, tokens, Pointer(tokens...))
		}
	}
}

func TestSafe(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]int{
		"": 0, "/a/b": 2, "/a//b": 1, "/": 0, "/a/__proto__/b": 1, "/prototype": 1, "/constructor": 1, "/a/constructor/prototype/b": 2,
	} {
		path, err := ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got := safe(path); got != want {
			t.Errorf("safe(%q) = %d, want %d", pointer, got, want)
		}
	}
}
