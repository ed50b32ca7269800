package mcp

import (
	"strings"
	"testing"
	"time"
)

// TestResourcesAndPrompts are read as texts, also from a program that has died since.
func TestResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		o.MaxResult = 100
		s := start(t, o)
		for uri, want := range map[string]string{
			"test:///handbook": "Be kind.",
			"test:///long":     strings.Repeat("x", 100) + "…",
		} {
			if got, err := s.ReadResource(t.Context(), uri); err != nil || got != want {
				t.Errorf("ReadResource(%s) = %q, %v, want %q", uri, got, err, want)
			}
		}
		got, err := s.Prompt(t.Context(), "greet", map[string]string{"who": "Ann"})
		if want := "Greet Ann.\n\nIn one sentence."; err != nil || got != want {
			t.Errorf("Prompt() = %q, %v, want %q", got, err, want)
		}
		for what, f := range map[string]func() (string, error){
			"an unknown resource":     func() (string, error) { return s.ReadResource(t.Context(), "test:///none") },
			"a resource without text": func() (string, error) { return s.ReadResource(t.Context(), "test:///picture") },
			"an unknown prompt":       func() (string, error) { return s.Prompt(t.Context(), "none", nil) },
		} {
			if got, err := f(); err == nil || got != "" {
				t.Errorf("%s: %q, %v, want an error", what, got, err)
			}
		}
	})
}

// TestAResourceOfAProgramThatDied is read from the one that is started in its place.
func TestAResourceOfAProgramThatDied(t *testing.T) {
	t.Parallel()
	s := start(t, program(t, "serve"))
	if _, err := call(t.Context(), t, s.Source(SourceOptions{}), "die", `{}`); toldText(err) != unknown {
		t.Fatal(err)
	}
	if got, err := s.ReadResource(t.Context(), "test:///handbook"); err != nil || got != "Be kind." {
		t.Errorf("ReadResource() = %q, %v", got, err)
	}
}

// TestAResourceOfAServerThatIsAway is an error after a limited time.
func TestAResourceOfAServerThatIsAway(t *testing.T) {
	t.Parallel()
	o := program(t, "mute")
	o.ConnectTimeout = 20 * time.Millisecond
	if got, err := start(t, o).ReadResource(t.Context(), "test:///handbook"); err == nil {
		t.Errorf("ReadResource() = %q", got)
	}
}

// TestARequiredSource says so, and what it lacks.
func TestARequiredSource(t *testing.T) {
	t.Parallel()
	s := start(t, program(t, "serve"))
	for required, only := range map[bool]string{true: "nothing-of-this-name", false: "args"} {
		source := s.Source(SourceOptions{Only: []string{only}, Required: required})
		if got := source.(interface{ Required() bool }).Required(); got != required {
			t.Errorf("Required() = %t", got)
		}
		if _, err := source.Tools(t.Context()); (err != nil) != required {
			t.Errorf("Tools() with only %s: %v", only, err)
		}
	}
}
