package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// floodStdout writes to stdout until it is closed.
func floodStdout(mode string) {
	piece := map[string]string{
		"line without end":          strings.Repeat("x", 1<<16),
		"notifications without end": strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 1000),
		"prose without end":         strings.Repeat("Hello, I am a server.\n", 1000),
	}[mode]
	for {
		if _, err := os.Stdout.WriteString(piece); err != nil {
			os.Exit(1)
		}
	}
}

// TestServersThatMeanNoGood have no tools, and cost no more than the time to connect. Nothing of them is left then.
func TestServersThatMeanNoGood(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"line without end", "notifications without end", "prose without end"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			refusesTools(t, program(t, mode), mode == "notifications without end")
		})
	}
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request, method string, id json.RawMessage){
		"pages without end": func(w http.ResponseWriter, _ *http.Request, method string, id json.RawMessage) {
			result := `{"tools":[],"nextCursor":"more"}`
			if method == "initialize" {
				result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			}
			answerWith(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
		},
		"another's id": func(w http.ResponseWriter, _ *http.Request, _ string, _ json.RawMessage) {
			answerWith(w, `{"jsonrpc":"2.0","id":"none","result":{}}`)
		},
		"garbage": func(w http.ResponseWriter, _ *http.Request, _ string, _ json.RawMessage) { answerWith(w, "\x00{]") },
		"wrong types": func(w http.ResponseWriter, _ *http.Request, _ string, id json.RawMessage) {
			answerWith(w, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":[1]}`, id))
		},
		"no answer":  func(_ http.ResponseWriter, r *http.Request, _ string, _ json.RawMessage) { <-r.Context().Done() },
		"a slow one": func(w http.ResponseWriter, r *http.Request, _ string, _ json.RawMessage) { drip(w, r) },
		"much of it": func(w http.ResponseWriter, _ *http.Request, _ string, _ json.RawMessage) {
			answerWith(w, strings.Repeat(" ", 20<<20))
		},
		"deep nesting": func(w http.ResponseWriter, _ *http.Request, _ string, _ json.RawMessage) {
			answerWith(w, strings.Repeat("[", 1<<20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				var call struct {
					Method string
					ID     json.RawMessage
				}
				if err != nil || json.Unmarshal(body, &call) != nil {
					w.WriteHeader(http.StatusMethodNotAllowed) // not a POST
					return
				}
				if call.ID == nil {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				answer(w, r, call.Method, call.ID)
			}))
			closeAfter(t, h)
			refusesTools(t, Options{URL: h.URL, HTTP: client(t)}, slices.Contains([]string{"pages without end", "another's id", "no answer", "a slow one"}, name))
		})
	}
}

// answerWith writes text. That the client has gone shows elsewhere.
func answerWith(w http.ResponseWriter, text string) { _, _ = io.WriteString(w, text) }

// drip answers a byte at a time, until the client has gone.
func drip(w http.ResponseWriter, r *http.Request) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
			_, _ = io.WriteString(w, " ") // the context tells when it is in vain
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// refusesTools expects an error of the server, and that it can be closed. The error may be that the time to connect is
// over only if the server is one that leaves no other.
func refusesTools(t *testing.T, o Options, slow bool) {
	t.Helper()
	if o.ConnectTimeout = patience; slow {
		o.ConnectTimeout = 500 * time.Millisecond
	}
	s := start(t, o)
	if tools, err := s.Source(SourceOptions{}).Tools(t.Context()); err == nil || len(tools) > 0 || !slow && errors.Is(err, errConnectTimeout) {
		t.Errorf("there are %d tools, error %v", len(tools), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
