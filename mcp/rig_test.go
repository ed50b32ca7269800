package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// modeVariable makes the test binary a server over stdio.
const modeVariable = "MCP_TEST_MODE"

// ourSecret is in the environment of the tests, as a gateway's keys are in its own.
const ourSecret = "MCP_TEST_OUR_SECRET"

func TestMain(m *testing.M) {
	switch os.Getenv(modeVariable) {
	case "serve":
		fmt.Fprintln(os.Stderr, "my token is "+os.Getenv("TOKEN"))
		err := newServer().Run(context.Background(), &sdk.StdioTransport{})
		if err != nil && !errors.Is(err, context.Canceled) {
			os.Exit(1)
		}
		os.Exit(0)
	case "ask", "ask old", "ask at a site":
		mode := os.Getenv(modeVariable)
		a := &asker{old: mode == "ask old", url: mode == "ask at a site"}
		_ = a.server().Run(context.Background(), &sdk.StdioTransport{}) // it ends when its client goes
		os.Exit(0)
	case "broken":
		fmt.Fprintln(os.Stderr, "Traceback:\n  cannot open the vault: "+os.Getenv("MCP_SECRET"))
		os.Exit(1)
	case "mute":
		time.Sleep(time.Hour)
	case "line without end", "notifications without end", "prose without end":
		floodStdout(os.Getenv(modeVariable))
	}
	if err := os.Setenv(ourSecret, "for nobody"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// newServer is a server as other people write them.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, a *sdk.ToolAnnotations, f func(map[string]any) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{
			Name: name, Description: "does " + name, Annotations: a,
			InputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"x": {Type: "integer"}}},
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			if name == "wait" {
				return passGate(ctx, r.Params.Arguments)
			}
			if name == "key" {
				if trace, ok := r.Params.Meta["traceparent"].(string); ok {
					return text(trace), nil
				}
				return text(fmt.Sprint(r.Params.Meta[keyMeta])), nil
			}
			if name == "quotes" {
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "cannot read " + string(r.Params.Arguments)}}}, nil
			}
			if name == "args" {
				return text(string(r.Params.Arguments)), nil
			}
			return f(nil)
		})
	}
	fixed := func(r *sdk.CallToolResult) func(map[string]any) (*sdk.CallToolResult, error) {
		return func(map[string]any) (*sdk.CallToolResult, error) { return r, nil }
	}
	image := &sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}
	add("args", &sdk.ToolAnnotations{ReadOnlyHint: true}, nil)
	add("key", &sdk.ToolAnnotations{IdempotentHint: true}, nil)
	add("wait", nil, nil)
	add("two", nil, fixed(&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b"}}}))
	add("nothing", nil, fixed(&sdk.CallToolResult{Content: []sdk.Content{}}))
	add("image", nil, fixed(&sdk.CallToolResult{Content: []sdk.Content{image}}))
	add("media", nil, fixed(&sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "look"}, image, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("wav")},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///a", MIMEType: "application/pdf", Blob: []byte("pdf")}},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b", Text: "inside"}},
		&sdk.ResourceLink{URI: "https://example.com/c", Name: "c"},
	}}))
	add("structured", nil, fixed(&sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: map[string]any{"n": 1}}))
	add("fails", nil, fixed(&sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such city"}}}))
	add("quotes", nil, nil)
	add("refuses", nil, func(map[string]any) (*sdk.CallToolResult, error) { return nil, errors.New("broken inside") })
	add("env", nil, func(map[string]any) (*sdk.CallToolResult, error) {
		return text(os.Getenv("TOKEN") + "," + os.Getenv(ourSecret)), nil
	})
	add("die", nil, func(map[string]any) (*sdk.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	resource := func(uri string, c *sdk.ResourceContents) {
		s.AddResource(&sdk.Resource{URI: uri, Name: uri}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c.URI = uri
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{c}}, nil
		})
	}
	resource("test:///handbook", &sdk.ResourceContents{Text: "Be kind."})
	resource("test:///long", &sdk.ResourceContents{Text: strings.Repeat("x", 1000)})
	resource("test:///picture", &sdk.ResourceContents{Blob: []byte("png"), MIMEType: "image/png"})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"] + "."}},
				{Role: "user", Content: &sdk.TextContent{Text: "In one sentence."}},
			}}, nil
		})
	add("pid", nil, func(map[string]any) (*sdk.CallToolResult, error) { return text(strconv.Itoa(os.Getpid())), nil })
	add("grow", nil, func(map[string]any) (*sdk.CallToolResult, error) {
		s.AddTool(&sdk.Tool{Name: "grown", InputSchema: &jsonschema.Schema{Type: "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return text("new"), nil
		})
		return text("ok"), nil
	})
	return s
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// logged is a log that tests read.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// at returns the log records of a level.
func (l *logged) at(level string) string {
	var lines []string
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, "level="+level) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// start returns a server that is closed after the test.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Name == "" {
		o.Name = "test"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.backoff = max(o.backoff, time.Millisecond)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// program is a server over stdio.
func program(t *testing.T, mode string) Options {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Command: exe, Env: map[string]string{modeVariable: mode, "TOKEN": "s3cret-token"}}
}

// site is a server over HTTP.
func site(t *testing.T) (Options, *httptest.Server) {
	t.Helper()
	h := httptest.NewServer(overHTTP(t))
	closeAfter(t, h)
	return Options{URL: h.URL + "/mcp", HTTP: client(t)}, h
}

// overHTTP is a server behind a handler.
func overHTTP(t *testing.T) http.Handler {
	t.Helper()
	server := newServer()
	t.Cleanup(func() {
		for session := range server.Sessions() { // it keeps them when clients go
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

// closeAfter closes h after the test: a stream for notifications stays open until then.
func closeAfter(t *testing.T, h *httptest.Server) {
	t.Helper()
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
}

// client returns a client that closes its connections with the test.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// both runs a test over each transport.
func both(t *testing.T, f func(t *testing.T, o Options)) {
	t.Helper()
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		f(t, program(t, "serve"))
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		o, _ := site(t)
		f(t, o)
	})
}

// call calls a tool of a source by its name there.
func call(ctx context.Context, t *testing.T, source groupchat.ToolSource, name, arguments string) (tools.Result, error) {
	t.Helper()
	list, err := source.Tools(ctx)
	if err != nil {
		t.Fatalf("Tools() = %v", err)
	}
	for _, tool := range list {
		if tool.Name == name {
			return tool.Call(ctx, groupchat.ToolCall{Name: name, Arguments: []byte(arguments), Key: "k1"})
		}
	}
	t.Fatalf("no tool %q", name)
	return tools.Result{}, nil
}

func names(list []groupchat.Tool) string {
	var all []string
	for _, tool := range list {
		all = append(all, tool.Name)
	}
	return strings.Join(all, " ")
}

func toldText(err error) string {
	if told, ok := errors.AsType[*tools.Error](err); ok {
		return told.Text
	}
	return ""
}

// patience is far more time than anything here takes on a slow machine.
const patience = time.Minute

func eventually(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never")
		}
	}
}
