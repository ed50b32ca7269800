package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/model"
)

// panics reports whether f does.
func panics(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestRegister(t *testing.T) {
	t.Parallel()
	open := func(model.Config) (model.Model, error) { return failing{name: "opened"}, nil }
	model.Register("test-register", open)
	for name, f := range map[string]func(){
		"a name that is taken":    func() { model.Register("test-register", open) },
		"a name that is built in": func() { model.Register("openai", open) },
		"no name":                 func() { model.Register("", open) },
		"a name with a space":     func() { model.Register("a b", open) },
		"no function":             func() { model.Register("test-nothing", nil) },
	} {
		if panics(f) == nil {
			t.Errorf("%s does not panic", name)
		}
	}
	all := model.Providers()
	m, err := all["test-register"](model.Config{})
	if _, name := model.Identify(m); err != nil || name != "opened" {
		t.Errorf("the provider opens %v, %v", m, err)
	}
	delete(all, "test-register")
	if model.Providers()["test-register"] == nil {
		t.Error("a caller has changed what is registered")
	}
}

// TestRegisterAtOnce lets many packages register and many read; one of those with the same name wins.
func TestRegisterAtOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for i := range 32 {
		wg.Go(func() {
			open := func(model.Config) (model.Model, error) { return nil, nil }
			model.Register(fmt.Sprint("test-many-", i), open)
			if panics(func() { model.Register("test-one", open) }) != nil {
				mu.Lock()
				refused++
				mu.Unlock()
			}
			model.Providers()
		})
	}
	wg.Wait()
	if refused != 31 {
		t.Errorf("%d of 32 were refused the same name, want all but one", refused)
	}
}

func TestSettingsAreDecoded(t *testing.T) {
	t.Parallel()
	var o struct {
		Key     string            `json:"api_key"`
		Most    int               `json:"max_tokens"`
		Heat    *float64          `json:"temperature"`
		Timeout time.Duration     `json:"timeout"`
		Headers map[string]string `json:"headers"`
		Names   []string          `json:"names"`
		Think   struct {
			Budget int `json:"budget"`
		} `json:"think"`
		On    bool `json:"on"`
		inner int
	}
	o.Most = 7
	good := model.Config{Settings: map[string]any{
		"api_key": "k", "temperature": "0.5", "timeout": "30s", "headers": map[string]any{"a": "b"}, "names": []any{"x"},
		"think": map[string]any{"budget": json.Number("5")}, "on": true,
	}}
	if err := good.Decode(&o); err != nil {
		t.Fatal(err)
	}
	if o.Key != "k" || o.Most != 7 || *o.Heat != 0.5 || o.Timeout != 30*time.Second || o.Headers["a"] != "b" || o.Names[0] != "x" || o.Think.Budget != 5 || !o.On || o.inner != 0 {
		t.Errorf("Decode() = %+v", o)
	}
	bad := model.Config{Settings: map[string]any{
		"api_key": json.Number("1"), "max_tokens": "hush", "temperature": []any{}, "timeout": "hush", "headers": []any{"hush"}, "names": "hush",
		"think": map[string]any{"budget": "hush"}, "on": "hush", "hush-hush": 1, "inner": 1,
	}}
	err := bad.Decode(&o)
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != len(bad.Settings) {
		t.Fatalf("Decode() error = %v, want one for each setting", err)
	}
	for _, inner := range joined.Unwrap() {
		e, ok := errors.AsType[*model.SettingError](inner)
		if !ok || len(e.Path) == 0 || strings.Contains(e.Text, "hush") {
			t.Errorf("%v has no place, or quotes a value", inner)
		}
	}
	for _, want := range []string{
		"think.budget: a value of another kind belongs here: a whole number", "api_key: a value of another kind belongs here: a text; put it in quotes",
		"hush-hush: unknown key; there are api_key, max_tokens, temperature", "timeout: not a length of time",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Decode() error lacks %q:\n%v", want, err)
		}
	}
}
