package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/port"
	"github.com/agui-gateway/gateway/internal/redact"
)

func TestTools(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		o.CallTimeout, o.MaxResult = time.Minute, 1000
		s := start(t, o)
		list, err := s.Source(SourceOptions{Only: []string{"wait", "args", "key"}, Prefix: "my_", Approve: tools.ApproveAlways}).Tools(t.Context())
		if err != nil || names(list) != "my_args my_key my_wait" {
			t.Fatalf("Tools() = %s, %v", names(list), err)
		}
		args := list[0]
		if args.Description != "does args" || args.Approve != tools.ApproveAlways || args.Timeout != time.Minute || args.MaxResult != 1000 {
			t.Errorf("tool = %+v", args)
		}
		var schema struct {
			Type       string
			Properties map[string]struct{ Type string }
		}
		if err := json.Unmarshal(args.Parameters, &schema); err != nil || schema.Type != "object" || schema.Properties["x"].Type != "integer" {
			t.Errorf("schema = %s, %v", args.Parameters, err)
		}
		if args.Repeat != tools.RepeatAgain || list[1].Repeat != tools.RepeatAgain || list[2].Repeat != tools.RepeatNever {
			t.Errorf("repeat = %q %q %q, want never without a hint", args.Repeat, list[1].Repeat, list[2].Repeat)
		}
		agent := &groupchat.LLM{Sources: []groupchat.ToolSource{s.Source(SourceOptions{Approve: tools.ApproveAlways})}}
		if !agent.Describe().Interrupts {
			t.Error("the agent does not say that people are asked")
		}
		list, err = s.Source(SourceOptions{Only: []string{"args", "fly"}}).Tools(t.Context())
		if err == nil || names(list) != "args" {
			t.Errorf("with an unknown name: %s, %v", names(list), err)
		}
	})
}

func TestResults(t *testing.T) {
	t.Parallel()
	tests := []struct{ tool, want, told string }{
		{"args", `"{\"x\":1}"`, ""},
		{"key", `"k1"`, ""},
		{"two", `"a\nb"`, ""},
		{"nothing", `""`, ""},
		{"structured", `"{\"n\":1}"`, ""},
		{"image", `[{"type":"text","text":"The result is 1 × media: image/png."},{"type":"image","source":{"type":"data","value":"cG5n","mimeType":"image/png"}}]`, ""},
		{"media", `[{"type":"text","text":"look"},{"type":"image","source":{"type":"data","value":"cG5n","mimeType":"image/png"}},` +
			`{"type":"audio","source":{"type":"data","value":"d2F2","mimeType":"audio/wav"}},` +
			`{"type":"document","source":{"type":"data","value":"cGRm","mimeType":"application/pdf"}},` +
			`{"type":"text","text":"inside"},{"type":"text","text":"c https://example.com/c"}]`, ""},
		{"fails", "", "no such city"},
		{"refuses", "", "broken inside"},
	}
	both(t, func(t *testing.T, o Options) {
		source := start(t, o).Source(SourceOptions{})
		for _, tt := range tests {
			got, err := call(t.Context(), t, source, tt.tool, `{"x":1}`)
			if tt.told != "" {
				if toldText(err) != tt.told {
					t.Errorf("%s: the model is told %q (%v), want %q", tt.tool, toldText(err), err, tt.told)
				}
				continue
			}
			raw, jsonErr := got.Content.MarshalJSON()
			if err != nil || jsonErr != nil || string(raw) != tt.want {
				t.Errorf("%s = %s, %v, %v, want %s", tt.tool, raw, err, jsonErr, tt.want)
			}
		}
	})
}

// TestList asks again when the server says that its tools have changed.
func TestList(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		source := start(t, o).Source(SourceOptions{Only: []string{"grow", "grown"}})
		if _, err := source.Tools(t.Context()); err == nil {
			t.Error("nothing is missing")
		}
		list, _ := source.Tools(t.Context())
		if _, err := list[0].Call(t.Context(), groupchat.ToolCall{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool {
			list, err := source.Tools(t.Context())
			return err == nil && names(list) == "grow grown"
		})
	})
}

// TestEnd stops waiting for a call when its context is done, and says why.
func TestEnd(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		source := start(t, o).Source(SourceOptions{})
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		g := newGate(t)
		ended := g.call(ctx, toolsOf(t, source)["wait"])
		g.await(t)
		cancel(why)
		if err := <-ended; !errors.Is(err, why) {
			t.Errorf("Call() = %v", err)
		}
		if _, err := call(t.Context(), t, source, "args", `{}`); err != nil {
			t.Errorf("another call: %v", err)
		}
	})
}

// TestProgramThatDies is started again by the next call; the effect of the lost call is unknown.
func TestProgramThatDies(t *testing.T) {
	t.Parallel()
	source := start(t, program(t, "serve")).Source(SourceOptions{})
	for range 2 {
		if _, err := call(t.Context(), t, source, "die", `{}`); toldText(err) != unknown {
			t.Fatalf("the model is told %q (%v)", toldText(err), err)
		}
		if got, err := call(t.Context(), t, source, "args", `{"x":2}`); err != nil || got.Content.Text() != `{"x":2}` {
			t.Fatalf("after that: %q, %v", got.Content.Text(), err)
		}
	}
}

// siteAt is a server over HTTP at an address.
func siteAt(t *testing.T, addr string) *httptest.Server {
	t.Helper()
	var listening net.ListenConfig
	listener, err := listening.Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	h := &httptest.Server{Listener: listener, Config: &http.Server{Handler: overHTTP(t), ReadHeaderTimeout: time.Minute}}
	h.Start()
	closeAfter(t, h)
	return h
}

// TestSiteThatRestarts knows nothing of the session any more: the call is made in a new one.
func TestSiteThatRestarts(t *testing.T) {
	t.Parallel()
	addr := port.ForTest(t).Addr()
	first := siteAt(t, addr)
	o := Options{URL: "http://" + addr + "/mcp", HTTP: client(t), backoff: time.Nanosecond}
	source := start(t, o).Source(SourceOptions{})
	list, err := source.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first.CloseClientConnections()
	first.Close()
	if _, err := list[0].Call(t.Context(), groupchat.ToolCall{}); toldText(err) != unreachable && toldText(err) != unknown {
		t.Fatalf("the model is told %q (%v)", toldText(err), err)
	}
	if known, err := source.Tools(t.Context()); err == nil || names(known) != names(list) {
		t.Errorf("while it is away: %s, %v", names(known), err)
	}
	siteAt(t, addr)
	eventually(t, func() bool {
		got, err := list[0].Call(t.Context(), groupchat.ToolCall{Arguments: []byte(`{"x":3}`)})
		return err == nil && got.Content.Text() == `{"x":3}`
	})
}

// TestSessionThatIsForgotten is made anew within a call.
func TestSessionThatIsForgotten(t *testing.T) {
	t.Parallel()
	handler := overHTTP(t)
	forget := make(chan struct{}, 1)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-forget:
			http.Error(w, "session not found", http.StatusNotFound)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	closeAfter(t, h)
	s := start(t, Options{URL: h.URL, HTTP: client(t)})
	source := s.Source(SourceOptions{})
	list, err := source.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	forget <- struct{}{}
	if got, err := list[0].Call(t.Context(), groupchat.ToolCall{Arguments: []byte(`{"x":4}`)}); err != nil || got.Content.Text() != `{"x":4}` {
		t.Errorf("Call() = %q, %v", got.Content.Text(), err)
	}
}

// TestAway: neither a missing nor a silent server stops a turn.
func TestAway(t *testing.T) {
	t.Parallel()
	mute := program(t, "mute")
	mute.ConnectTimeout = 50 * time.Millisecond
	missing := Options{Command: "/does/not/exist", Env: map[string]string{"TOKEN": "s3cret-token"}}
	refused := Options{URL: "http://user:s3cret-token@127.0.0.1:1/x?key=s3cret-token", Headers: map[string]string{"Authorization": "Bearer s3cret-token"}}
	for name, o := range map[string]Options{"mute": mute, "missing": missing, "refused": refused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logged
			o.Log, o.backoff = log.logger(), time.Hour
			s := start(t, o)
			for range 3 {
				list, err := s.Source(SourceOptions{Only: []string{"a"}}).Tools(t.Context())
				if err == nil || len(list) != 0 || strings.Contains(err.Error(), "s3cret") {
					t.Fatalf("Tools() = %v, %v", list, err)
				}
			}
			if n := strings.Count(log.String(), "server is away"); n != 1 {
				t.Errorf("tried %d times within the pause:\n%s", n, &log)
			}
			if strings.Contains(log.String(), "s3cret") {
				t.Errorf("the log tells a secret:\n%s", &log)
			}
		})
	}
}

// TestSecrets reach the server and no log; ours reach no program.
func TestSecrets(t *testing.T) {
	t.Parallel()
	var log logged
	o := program(t, "serve")
	o.Log = log.logger()
	if os.Getenv(ourSecret) == "" {
		t.Fatal("there is no secret to keep")
	}
	got, err := call(t.Context(), t, start(t, o).Source(SourceOptions{}), "env", `{}`)
	if err != nil || got.Content.Text() != "s3cret-token," {
		t.Errorf("env = %q, %v", got.Content.Text(), err)
	}
	eventually(t, func() bool { return strings.Contains(log.String(), "my token is "+redact.Mark) })
	if strings.Contains(log.String(), "s3cret") {
		t.Errorf("the log tells a secret:\n%s", &log)
	}
}

// TestHeaders go to the endpoint, and not to where it sends us.
func TestHeaders(t *testing.T) {
	t.Parallel()
	handler := overHTTP(t)
	leaked := make(chan string, 100)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header.Get("Authorization") }))
	t.Cleanup(elsewhere.Close)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case r.Header.Get("Authorization") != "Bearer s3cret-token":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	closeAfter(t, h)
	headers := map[string]string{"Authorization": "Bearer s3cret-token"}
	if _, err := start(t, Options{URL: h.URL, Headers: headers, HTTP: client(t)}).Source(SourceOptions{}).Tools(t.Context()); err != nil {
		t.Errorf("Tools() = %v", err)
	}
	if _, err := start(t, Options{URL: h.URL, HTTP: client(t)}).Source(SourceOptions{}).Tools(t.Context()); err == nil {
		t.Error("without headers it is let in")
	}
	if _, err := start(t, Options{URL: h.URL + "/away", Headers: headers, HTTP: client(t)}).Source(SourceOptions{}).Tools(t.Context()); err == nil {
		t.Error("a page that says nothing is taken for a server")
	}
	if got := <-leaked; got != "" {
		t.Errorf("another host was told %q", got)
	}
}

// TestClose ends calls under way, and none begins after.
func TestClose(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o Options) {
		s := start(t, o)
		source := s.Source(SourceOptions{})
		list, err := source.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := source.Tools(t.Context()); err == nil {
			t.Error("it has tools after Close")
		}
		if _, err := list[0].Call(t.Context(), groupchat.ToolCall{}); toldText(err) != unreachable {
			t.Errorf("the model is told %q", toldText(err))
		}
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		o    Options
		want string // a part of the error; empty means none
	}{
		{Options{Name: "a", Command: "x", Args: []string{"y"}, Env: map[string]string{"A": ""}}, ""},
		{Options{Name: "a", URL: "https://example.com/mcp", Headers: map[string]string{"A": "b"}}, ""},
		{Options{Command: "x"}, "no name"},
		{Options{Name: "a"}, "one of a command and a URL"},
		{Options{Name: "a", Command: "x", URL: "http://x"}, "one of a command and a URL"},
		{Options{Name: "a", URL: "ftp://x"}, "not http"},
		{Options{Name: "a", URL: "http://x", Env: map[string]string{"A": "b"}}, "are a command's"},
		{Options{Name: "a", Command: "x", Headers: map[string]string{"A": "b"}}, "for a URL"},
		{Options{Name: "a", Command: "x", Env: map[string]string{"A=": "b"}}, "no name of a variable"},
		{Options{Name: "a", URL: "http://x", Headers: map[string]string{"A": "b\r\nC: d"}}, "cannot be sent"},
	}
	for _, tt := range tests {
		_, err := New(tt.o)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("New(%+v) = %v, want %q", tt.o, err, tt.want)
		}
	}
}

// TestCloseWhileCalling ends a call under way, and does not wait for its answer. A server over HTTP ends its session
// when its own call has ended, which is let go when the client ends the session.
func TestCloseWhileCalling(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]func(*testing.T, *gate) Options{
		"stdio": func(t *testing.T, _ *gate) Options { return program(t, "serve") },
		"http": func(t *testing.T, g *gate) Options {
			handler, release := overHTTP(t), sync.OnceFunc(func() { close(g.open) })
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					release()
				}
				handler.ServeHTTP(w, r)
			}))
			closeAfter(t, h)
			return Options{URL: h.URL, HTTP: client(t)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t)
			s := start(t, options(t, g))
			ended := g.call(t.Context(), toolsOf(t, s.Source(SourceOptions{}))["wait"])
			g.await(t)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; toldText(err) != unknown && toldText(err) != unreachable {
				t.Errorf("the call: %v", err)
			}
		})
	}
}

// TestDestructiveTools are those that may do harm, as the protocol has it: a tool that says nothing may.
func TestDestructiveTools(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, tt := range map[string]struct {
		says *sdk.ToolAnnotations
		want bool
	}{
		"nothing":                      {nil, true},
		"that it only reads":           {&sdk.ToolAnnotations{ReadOnlyHint: true}, false},
		"that it only reads, and more": {&sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &yes}, false},
		"that it only adds":            {&sdk.ToolAnnotations{DestructiveHint: &no}, false},
		"that it destroys":             {&sdk.ToolAnnotations{DestructiveHint: &yes}, true},
		"something else":               {&sdk.ToolAnnotations{IdempotentHint: true}, true},
	} {
		if got := destructive(tt.says); got != tt.want {
			t.Errorf("a tool that says %s: destructive is %t, want %t", name, got, tt.want)
		}
	}
}
