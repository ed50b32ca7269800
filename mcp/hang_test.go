package mcp

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
)

// answers reports whether a tool that does nothing but answer does so soon.
func answers(t *testing.T, tool groupchat.Tool) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	got, err := tool.Call(ctx, groupchat.ToolCall{Arguments: []byte(`{"x":5}`)})
	return err == nil && got.Content.Text() == `{"x":5}`
}

// toolsOf are the tools of a source by name.
func toolsOf(t *testing.T, source groupchat.ToolSource) map[string]groupchat.Tool {
	t.Helper()
	tools, err := source.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]groupchat.Tool{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	return byName
}

// A program that does nothing any more is ended, and started again by the next who needs it. Calls that wait for it end, also one
// that is more than the program's pipe can hold.
func TestAProgramThatHangsIsStartedAgain(t *testing.T) {
	t.Parallel()
	var log logged
	o := program(t, "serve")
	o.Log, o.probeTimeout = log.logger(), 100*time.Millisecond
	tools := toolsOf(t, start(t, o).Source(SourceOptions{}))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := tools["hang"].Call(ctx, groupchat.ToolCall{}); err == nil {
		t.Fatal("the program goes on")
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the program may have been too slow to hang before
		defer cancel()
		_, _ = tools["args"].Call(ctx, groupchat.ToolCall{Arguments: []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)})
	}()
	select {
	case <-over:
	case <-time.After(20 * time.Second):
		t.Fatal("a call waits for ever")
	}
	eventually(t, func() bool { return answers(t, tools["args"]) })
	if !strings.Contains(log.at("WARN"), "does not answer") {
		t.Errorf("the log does not say that the program hung:\n%s", &log)
	}
}

// A session in which nothing is answered any more is given up for another one.
func TestASessionThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	const header = "Mcp-Session-Id"
	var first, stuck atomic.Value
	handler := overHTTP(t)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(header)
		if id != "" {
			first.CompareAndSwap(nil, id)
		}
		if id != "" && id == stuck.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // until then it is not seen that the client has gone
			<-r.Context().Done()
			return
		}
		handler.ServeHTTP(w, r)
	}))
	closeAfter(t, h)
	tools := toolsOf(t, start(t, Options{URL: h.URL, HTTP: client(t), probeTimeout: 100 * time.Millisecond}).Source(SourceOptions{}))
	stuck.Store(first.Load())
	if answers(t, tools["args"]) {
		t.Fatal("the session goes on")
	}
	eventually(t, func() bool { return answers(t, tools["args"]) })
}
