package anthropic

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/model"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	m, err := Open(model.Config{Settings: map[string]any{"api_key": testKey, "model": "claude", "effort": "low", "timeout": "30s", "retries": 0,
		"price": map[string]any{"input": 3, "output": 15, "cached_input": 0.3}}})
	if err != nil {
		t.Fatal(err)
	}
	if provider, name := model.Identify(m); provider+"/"+name != "anthropic/claude" || !model.Reasons(m) {
		t.Errorf("the model is %s/%s", provider, name)
	}
	o := m.(*Model).o
	if *o.Price.CachedInput != 0.3 || o.Retries != -1 || o.Key != "" {
		t.Errorf("the model's options are %+v", o)
	}
}

func TestMistakesHavePlaces(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string]map[string]any{
		"api_key: there is no key; set ANTHROPIC_API_KEY, or write one": {"model": "m"},
		"api_key: the key has characters that keys do not have":         {"model": "m", "api_key": "sk ant hush"},
		"model: there is no model":                                      {"api_key": "hush"},
		"max: unknown key; there are api_key, model, base_url, max_tokens, temperature, effort, thinking_tokens, price, timeout, idle, retries": {"api_key": "hush", "model": "m", "max": 1},
		"max_tokens: a value of another kind":               {"api_key": "hush", "model": "m", "max_tokens": "many"},
		"temperature: not a number":                         {"api_key": "hush", "model": "m", "temperature": 2},
		"temperature: a model that thinks takes none":       {"api_key": "hush", "model": "m", "temperature": 1, "effort": "low"},
		"thinking_tokens: not a number from 1024":           {"api_key": "hush", "model": "m", "thinking_tokens": 5},
		"effort: a model takes this or thinking_tokens":     {"api_key": "hush", "model": "m", "thinking_tokens": 2000, "effort": "low"},
		"retries: not a number from 0 up":                   {"api_key": "hush", "model": "m", "retries": -1},
		"price: a price is negative":                        {"api_key": "hush", "model": "m", "price": map[string]any{"input": -1}},
		"base_url: not a URL that can be asked":             {"api_key": "hush", "model": "m", "base_url": "ftp://hush@x"},
		"max_tokens: not a number from 1 up\ntemperature: ": {"api_key": "hush", "model": "m", "max_tokens": -1, "temperature": -1},
	} {
		_, err := Open(model.Config{Settings: settings})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("Open(%v) error = %v, want %s", settings, err, want)
		}
	}
}

// TestOptionsHideTheKey in each form in which they may be printed.
func TestOptionsHideTheKey(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	o := Options{Key: testKey, Name: "claude"}
	slog.New(slog.NewJSONHandler(&log, nil)).Info("model", "options", o)
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s", o, o, o, o), log.String(), fmt.Sprintf("%v %+v", m, m)} {
		if strings.Contains(text, testKey) || !strings.Contains(text, "model anthropic/claude") {
			t.Errorf("printed: %s", text)
		}
	}
}
