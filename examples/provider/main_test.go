package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// replies are two as Ollama documents its streams: one thinks and calls a tool, the other has the result in words. Both
// are replayed; nothing here speaks to Ollama.
var replies = []string{`{"message":{"role":"assistant","content":"","thinking":"The clerk knows."},"done":false}
{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"find_book","arguments":{"query":"Emma"}}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":30}
`, `{"message":{"role":"assistant","content":"Emma is on shelf 7."},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":60,"eval_count":9}
`}

// TestTheTeamFileIsServed plays a run of the example's own file, with a tool that is another agent.
func TestTheTeamFileIsServed(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if len(asked) == len(replies) {
			http.Error(w, "asked too often", http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, replies[len(asked)])
		asked = append(asked, string(body))
	}))
	defer api.Close()
	t.Setenv("OLLAMA_URL", api.URL)

	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- serve(ctx, "127.0.0.1:0", "team.yaml", func(a net.Addr) { ready <- a }) }()
	var address net.Addr
	select {
	case address = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	body := `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"Where is Emma?"}]}`
	response, err := http.Post("http://"+address.String()+"/agents/librarian", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"delta":"The clerk knows."`, `"toolCallName":"find_book"`, `Shelf 7.`, `"delta":"Emma is on shelf 7."`, `"type":"RUN_FINISHED"`} {
		if !strings.Contains(string(stream), want) {
			t.Errorf("the stream lacks %s:\n%s", want, stream)
		}
	}
	if len(asked) != 2 {
		t.Fatalf("the API was asked %d times, want twice", len(asked))
	}
	for _, want := range []string{
		`"tool_calls":[{"function":{"arguments":{"query":"Emma"},"name":"find_book"}}]`,
		`{"content":"Shelf 7.","role":"tool","tool_name":"find_book"}`,
	} {
		if !strings.Contains(asked[1], want) {
			t.Errorf("the API is asked %s\nwant %s in it", asked[1], want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
