package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui/client"
)

// A probe shows whether an agent answers, and begins no run.
func ExampleClient_Probe() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"detail":"threadId is missing"}`, http.StatusUnprocessableEntity)
	}))
	defer server.Close()
	for _, url := range []string{server.URL + "/agent", "http://127.0.0.1:1/agent"} {
		c, err := client.New(client.Options{URL: url})
		if err != nil {
			fmt.Println(err)
			return
		}
		err = c.Probe(context.Background(), nil)
		var failed *client.Error
		fmt.Println(err == nil, errors.As(err, &failed) && failed.Fault == client.FaultUnreachable)
	}
	// Output:
	// true false
	// false true
}

// TestProbe asks each kind of server, and none of them for a run.
func TestProbe(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	answer := func(pattern string, status int, media, body string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if sent, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(sent), "threadId") {
				t.Errorf("%s was sent %q, %v, which may be a run", pattern, sent, err)
			}
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // who hangs up has seen enough
		})
	}
	answer("GET /agents/travel/capabilities", http.StatusOK, "application/json", `{"identity":{"type":"gateway"}}`)
	answer("GET /copilot/info", http.StatusOK, "application/json", `{"agents":{"travel":{}}}`)
	answer("POST /strict", http.StatusBadRequest, "application/json", `{}`)
	answer("POST /lenient", http.StatusOK, "text/event-stream", "data: {}\n\n")
	answer("POST /page", http.StatusBadRequest, "text/html; charset=utf-8", "<html>")
	answer("POST /json", http.StatusOK, "application/json", "{}")
	answer("POST /broken", http.StatusInternalServerError, "text/plain", "no")
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	tests := []struct {
		path   string
		fault  client.Fault // empty: it is there
		status int
		cause  error
	}{
		{"/agents/travel", "", 0, nil},
		{"/copilot/agent/travel/run", "", 0, nil},
		{"/copilot/agent/nobody/run", client.FaultInvalid, 0, client.ErrNoAgent},
		{"/strict", "", 0, nil},
		{"/lenient", "", 0, nil},
		{"/page", client.FaultStatus, http.StatusBadRequest, client.ErrPage},
		{"/json", client.FaultInvalid, http.StatusOK, nil},
		{"/broken", client.FaultStatus, http.StatusInternalServerError, nil},
		{"/nothing", client.FaultStatus, http.StatusNotFound, nil},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			c, err := client.New(client.Options{URL: server.URL + tt.path})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Probe(t.Context(), nil)
			var failed *client.Error
			if !errors.As(err, &failed) {
				failed = &client.Error{}
			}
			if (err == nil) != (tt.fault == "") || failed.Fault != tt.fault || failed.Status != tt.status || tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("Probe() = %v, want fault %q, status %d, cause %v", err, tt.fault, tt.status, tt.cause)
			}
		})
	}
}
