package mcp

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
)

// endless answers with JSON until the client stops reading, and counts the bytes before compression.
func endless(w http.ResponseWriter, r *http.Request, packed bool, sent *atomic.Int64) {
	w.Header().Set("Content-Type", "application/json")
	var out io.Writer = w
	if packed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		out = z
	}
	piece := bytes.Repeat([]byte(" "), 1<<20)
	for r.Context().Err() == nil && sent.Load() < 1<<30 {
		if _, err := out.Write(piece); err != nil {
			return
		}
		sent.Add(int64(len(piece)))
	}
}

// TestAnEndpointsAnswersAreBounded also if they are compressed, when 1 GB comes as 1 MB: the call fails and the next
// one is answered.
func TestAnEndpointsAnswersAreBounded(t *testing.T) {
	t.Parallel()
	for _, packed := range []bool{false, true} {
		handler := overHTTP(t)
		var sent atomic.Int64
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			if bytes.Contains(body, []byte(`"name":"args"`)) && bytes.Contains(body, []byte("for ever")) {
				endless(w, r, packed, &sent)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			handler.ServeHTTP(w, r)
		}))
		closeAfter(t, h)
		tools := toolsOf(t, start(t, Options{URL: h.URL, HTTP: client(t), CallTimeout: time.Minute}).Source(SourceOptions{}))
		if _, err := tools["args"].Call(t.Context(), groupchat.ToolCall{Arguments: []byte(`{"x":"for ever"}`)}); err == nil {
			t.Errorf("compressed %v: the call has a result", packed)
		}
		const most = 128 << 20 // compressed bytes in transit are more than the bytes read
		if n := sent.Load(); n < maxAnswer || n > most {
			t.Errorf("compressed %v: %d bytes were sent, want %d to %d", packed, n, maxAnswer, most)
		}
		eventually(t, func() bool { return answers(t.Context(), tools["args"]) })
	}
}

// TestLargeToolsAreLeftOut and the others are there.
func TestLargeToolsAreLeftOut(t *testing.T) {
	t.Parallel()
	server := sdk.NewServer(&sdk.Implementation{Name: "test"}, nil)
	for name, size := range map[string]int{"fits": maxTool - 1000, "large": maxTool} {
		server.AddTool(&sdk.Tool{Name: name, Description: strings.Repeat("x", size), InputSchema: &jsonschema.Schema{Type: "object"}},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text(name), nil })
	}
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true}))
	closeAfter(t, h)
	var log logged
	tools := toolsOf(t, start(t, Options{URL: h.URL, HTTP: client(t), Log: log.logger()}).Source(SourceOptions{}))
	if len(tools) != 1 || tools["fits"].Name == "" || !strings.Contains(log.at("WARN"), "too large") {
		t.Errorf("there are %d tools, want the one that fits:\n%s", len(tools), &log)
	}
}

func TestLimitedBody(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{"abc": nil, "abcd": errAnswerLarge} {
		if _, err := io.ReadAll(&limitedBody{io.NopCloser(strings.NewReader(text)), 3}); err != want { //nolint:errorlint // it is returned as it is
			t.Errorf("reading %d of 3 bytes: %v, want %v", len(text), err, want)
		}
	}
}
