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

// events are two replies as the Messages API documents its streams: one thinks and calls a tool, the other says what
// the tool said. Both are replayed; nothing here speaks to Anthropic.
var events = []string{`
data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":20,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"The clerk knows."}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCg=="}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"find_book","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"Emma\"}"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}}

data: {"type":"message_stop"}

`, `
data: {"type":"message_start","message":{"id":"msg_2","role":"assistant","content":[],"usage":{"input_tokens":60,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Emma is on shelf 7."}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":9}}

data: {"type":"message_stop"}

`}

// TestTheTeamFileIsServed plays a run of the example's own file, with a tool that is another agent.
func TestTheTeamFileIsServed(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if len(asked) == len(events) {
			http.Error(w, "asked too often", http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, events[len(asked)])
		asked = append(asked, string(body))
	}))
	defer api.Close()
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-hush")
	t.Setenv("ANTHROPIC_BASE_URL", api.URL)

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
	for _, secret := range []string{"hush", "EqQBCg=="} {
		if strings.Contains(string(stream), secret) {
			t.Errorf("clients are shown %s", secret)
		}
	}
	if len(asked) != 2 {
		t.Fatalf("the API was asked %d times, want twice", len(asked))
	}
	for _, want := range []string{
		`{"type":"thinking","thinking":"The clerk knows.","signature":"EqQBCg=="},{"type":"tool_use",`, `"input":{"query":"Emma"}`,
		`"content":[{"type":"text","text":"Shelf 7."}]`,
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
