package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRoutes sends requests to the program, with a password and without one.
func TestRoutes(t *testing.T) {
	routes, err := newRoutes()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(routes)
	defer server.Close()
	const run = `{"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": "Hi"}]}`
	for _, test := range []struct {
		method, path, password, body string
		status                       int
		want                         string
	}{
		{"GET", "/", "", "", 200, "The program's page"},
		{"GET", "/ai/", "", "", 401, ""},
		{"GET", "/ai/me", "wrong", "", 401, ""},
		{"GET", "/ai/me", "notes", "", 200, `"ada"`},
		{"POST", "/ai/agents/hello", "notes", run, 200, "RUN_FINISHED"},
		{"GET", "/ai/threads/t1", "notes", "", 200, "Hello, ada."},
		{"GET", "/ai/", "notes", "", 200, ""}, // the page
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if test.password != "" {
			request.SetBasicAuth("ada", test.password)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s: %d, %v, want %d and %q in\n%s", test.method, test.path, response.StatusCode, err, test.status, test.want, body)
		}
	}
}
