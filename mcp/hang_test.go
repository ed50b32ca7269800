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

// answers reports whether a tool that does nothing but answer does so.
func answers(ctx context.Context, tool groupchat.Tool) bool {
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

// A program that does nothing any more is ended when a call was not answered in its time, and started again by the next
// who needs it. Calls that wait for it end, also one that is more than the program's pipe can hold.
func TestAProgramThatHangsIsStartedAgain(t *testing.T) {
	t.Parallel()
	var log logged
	o := program(t, "serve")
	o.Log, o.KeepAlive, o.probeTimeout = log.logger(), -1, 100*time.Millisecond
	s := start(t, o)
	tools := toolsOf(t, s.Source(SourceOptions{}))
	got, err := tools["pid"].Call(t.Context(), groupchat.ToolCall{})
	if err != nil || !stopProgram(t, pidOf(t, got)) {
		t.Fatalf("the program %q is not stopped: %v", got.Content.Text(), err)
	}
	conn := connectionOf(s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	underway := 0
	call := func(ctx context.Context, arguments string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := tools["args"].Call(ctx, groupchat.ToolCall{Arguments: []byte(arguments)})
			ended <- err
		}()
		underway++
		eventually(t, func() bool { return conn.count() == underway })
		return ended
	}
	late := call(ctx, `{}`)
	waits := call(t.Context(), `{}`)
	large := call(t.Context(), `{"x":"`+strings.Repeat("x", 1<<20)+`"}`)
	cancel()
	for what, ended := range map[string]<-chan error{"that was cancelled": late, "that waits": waits, "that is large": large} {
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("the call %s has a result", what)
			}
		case <-time.After(patience):
			t.Fatalf("the call %s waits for ever", what)
		}
	}
	if !answers(t.Context(), tools["args"]) {
		t.Error("the program is not started again")
	}
	if !strings.Contains(log.at("WARN"), "does not answer") {
		t.Errorf("the log does not say that the program hung:\n%s", &log)
	}
}

// A session in which nothing is answered any more is given up for another one.
func TestASessionThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	const header = "Mcp-Session-Id"
	var first, stuck atomic.Value
	held, over := make(chan struct{}, 1), make(chan struct{})
	defer close(over)
	handler := overHTTP(t)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(header)
		if id != "" {
			first.CompareAndSwap(nil, id)
		}
		if id != "" && id == stuck.Load() {
			_, _ = io.Copy(io.Discard, r.Body) // until then it is not seen that the client has gone
			select {
			case held <- struct{}{}:
			default:
			}
			select {
			case <-r.Context().Done():
			case <-over:
			}
			return
		}
		handler.ServeHTTP(w, r)
	}))
	closeAfter(t, h)
	s := start(t, Options{URL: h.URL, HTTP: client(t), KeepAlive: -1, probeTimeout: 100 * time.Millisecond})
	tools := toolsOf(t, s.Source(SourceOptions{}))
	stuck.Store(first.Load())
	conn := connectionOf(s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		select {
		case <-held:
			cancel()
		case <-ctx.Done():
		}
	}()
	if answers(ctx, tools["args"]) {
		t.Fatal("the session goes on")
	}
	eventually(t, func() bool { return connectionOf(s) != conn })
	if !answers(t.Context(), tools["args"]) {
		t.Error("there is no other session")
	}
}
