package a2a_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// halfAnEvent cuts the connection in the middle of an event.
func halfAnEvent(w http.ResponseWriter, results ...string) bool {
	stream(w, results)
	_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","result":{"art`)
	w.(http.Flusher).Flush()
	return false
}

// A wrong answer is an error with its kind, and its task is cancelled.
func TestFaults(t *testing.T) {
	t.Parallel()
	page := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>")
		return true
	}
	long := strings.Repeat("x", 2000)
	tests := map[string]struct {
		answer  answer
		fault   client.Fault
		text    string
		cancels bool
	}{
		"a web page":          {page, client.FaultStatus, "web page", false},
		"no JSON-RPC":         {document(`{"hello":1}`), client.FaultInvalid, "JSON-RPC", false},
		"no JSON":             {document(`{"hello`), client.FaultInvalid, "JSON-RPC", false},
		"neither":             {is(`{"x":1}`), client.FaultInvalid, "neither a message nor a task", false},
		"null":                {is(`null`), client.FaultInvalid, "", false},
		"a null task":         {is(`{"task":null}`), client.FaultInvalid, "", false},
		"half an event":       {func(w http.ResponseWriter, _ *http.Request) bool { return halfAnEvent(w) }, client.FaultCut, "", false},
		"no task":             {streams(), client.FaultCut, "named a task", false},
		"a long event":        {streams(submitted, chunk("a", long, false, false)), client.FaultTooLarge, "", true},
		"a long document":     {is(`"` + long + `"`), client.FaultTooLarge, "", false},
		"many bytes":          {streams(append([]string{submitted}, many(100, working("w"))...)...), client.FaultTooLarge, "bytes", true},
		"many events":         {streams(append([]string{submitted}, many(60, working(""))...)...), client.FaultTooLarge, "events", true},
		"an error of its own": {refuses(-32603, "hush"), client.FaultStatus, "internal error", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newAgent(t, card10).on("SendStreamingMessage", tt.answer).on("CancelTask", is(task("CANCELED", "", "")))
			c := newClient(t, f.url, func(o *a2a.Options) {
				o.MaxEvent, o.MaxEvents, o.MaxBytes = 1000, 50, 8000
			})
			_, err := readRun(t.Context(), t, c, hello())
			e, ok := errors.AsType[*client.Error](err)
			if !ok || e.Fault != tt.fault || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%v", err)
			}
			if cancelled := len(f.requests("CancelTask")) > 0; cancelled != tt.cancels {
				t.Errorf("cancelled %t", cancelled)
			}
		})
	}
}

func many(n int, result string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = result
	}
	return list
}

// A silent agent is given up, and so is a task without progress when it is polled. The task is cancelled.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		card, method string
		answer       answer
		cancels      int
	}{
		"before a task": {card10, "SendStreamingMessage", hangs(), 0},
		"in a task":     {card10, "SendStreamingMessage", hangs(submitted), 1},
		"between looks": {cardPoll, "SendMessage", is(submitted), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const idle = time.Minute
				f, reach := newAgentHere(tt.card)
				f.on(tt.method, tt.answer).on("GetTask", is(task("SUBMITTED", "", ""))).on("CancelTask", is(task("CANCELED", "", "")))
				began := time.Now()
				_, err := readRun(t.Context(), t, newClient(t, f.url, reach, func(o *a2a.Options) { o.Idle = idle }), hello())
				if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != client.FaultTimeout || tt.method != "SendMessage" && !strings.Contains(err.Error(), "silent") {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took < idle || took > 2*idle {
					t.Errorf("given up after %v, want %v", took, idle)
				}
				if n := len(f.requests("CancelTask")); n != tt.cancels {
					t.Errorf("cancelled %d times, want %d", n, tt.cancels)
				}
			})
		})
	}
}

// The newest supported interface of a card is used. Without one the error has the reason.
func TestCards(t *testing.T) {
	t.Parallel()
	on := func(interfaces string) string {
		return `{"name":"Helper","capabilities":{"streaming":true},` + interfaces + `}`
	}
	tests := map[string]struct {
		card string
		want error
		asks string
	}{
		"both versions":                {on(`"supportedInterfaces":[{"url":"/old","protocolBinding":"JSONRPC","protocolVersion":"0.3"},{"url":"/new","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`), nil, "SendStreamingMessage"},
		"one beside another transport": {on(`"url":"/grpc","preferredTransport":"GRPC","protocolVersion":"0.3.0","additionalInterfaces":[{"url":"/rpc","transport":"JSONRPC"}]`), nil, "message/stream"},
		"no version":                   {on(`"url":"/rpc"`), nil, "message/stream"},
		"another transport":            {on(`"supportedInterfaces":[{"url":"/x","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]`), a2a.ErrTransport, ""},
		"another version":              {on(`"supportedInterfaces":[{"url":"/x","protocolBinding":"JSONRPC","protocolVersion":"2.0"}]`), a2a.ErrVersion, ""},
		"another server":               {on(`"supportedInterfaces":[{"url":"http://127.0.0.2/x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`), a2a.ErrElsewhere, ""},
		"no URL":                       {on(`"supportedInterfaces":[{"url":"%","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`), a2a.ErrCard, ""},
		"no card":                      {`{"error":"hush"}`, a2a.ErrCard, ""},
		"a long card":                  {`{"name":"` + strings.Repeat("x", 1<<20) + `","url":"/x"}`, a2a.ErrCard, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newAgent(t, tt.card)
			if tt.asks != "" {
				f.on(tt.asks, streams(`{"message":{"messageId":"m","role":"agent","parts":[]}}`))
			}
			f.on("GetTask", refuses(-32001, "unknown")).on("tasks/get", refuses(-32001, "unknown"))
			c := newClient(t, f.url)
			_, err := readRun(t.Context(), t, c, hello())
			probed := c.Probe(t.Context(), nil)
			for _, err := range []error{err, probed} {
				if !errors.Is(err, tt.want) || err != nil && strings.Contains(err.Error(), "hush") {
					t.Errorf("%v, want %v", err, tt.want)
				}
			}
		})
	}
}

// A changed card is read again without a failure, and so is the card of an agent that cannot be reached.
func TestACardThatChanges(t *testing.T) {
	t.Parallel()
	f := newAgent(t, card10).on("SendStreamingMessage", streams(`{"message":{"messageId":"m","role":"agent","parts":[{"text":"new"}]}}`))
	c := newClient(t, f.url)
	for _, step := range []struct{ card, gone, method, want string }{
		{card10, "message/stream", "SendStreamingMessage", "m=one success"},
		{card03, "SendStreamingMessage", "message/stream", "m=two success"},
		{cardPoll, "message/stream", "SendMessage", "m=three success"},
	} {
		f.changes(step.card)
		words := strings.TrimSuffix(strings.TrimPrefix(step.want, "m="), " success")
		result := `{"kind":"message","messageId":"m","role":"agent","parts":[{"text":"` + words + `"}]}`
		f.on(step.gone).on(step.method, is(result))
		if got, err := readRun(t.Context(), t, c, hello()); err != nil || got != step.want {
			t.Errorf("%v %s, want %s", err, got, step.want)
		}
	}
	f.on("SendMessage")
	f.changes(`{"name":"Helper","url":"/x","preferredTransport":"GRPC"}`)
	if _, err := readRun(t.Context(), t, c, hello()); !errors.Is(err, a2a.ErrTransport) {
		t.Errorf("%v", err)
	}
}

// A configured endpoint replaces the card's, and gets the headers.
func TestAnEndpointOfOnesOwn(t *testing.T) {
	t.Parallel()
	elsewhere := newAgent(t, "").on("SendStreamingMessage", streams(`{"message":{"messageId":"m","role":"agent","parts":[]}}`))
	f := newAgent(t, strings.ReplaceAll(card10, "HERE", "http://127.0.0.2"))
	if got, err := readRun(t.Context(), t, newClient(t, f.url+"/some/card.json", func(o *a2a.Options) { o.Endpoint = elsewhere.url }), hello()); err != nil || got != "success" {
		t.Errorf("%v %s", err, got)
	}
	if _, err := a2a.New(a2a.Options{Options: client.Options{URL: f.url}, Endpoint: "nowhere"}); err == nil {
		t.Error("an endpoint that is none")
	}
	if _, err := a2a.New(a2a.Options{Options: client.Options{URL: "ftp://x"}}); err == nil {
		t.Error("a URL that is none")
	}
}

// A probe begins no task, and returns the problem.
func TestProbe(t *testing.T) {
	t.Parallel()
	f := newAgent(t, card10).on("GetTask", refuses(-32001, "unknown"))
	c := newClient(t, f.url)
	if err := c.Probe(t.Context(), nil); err != nil || c.Description() != "Helps" {
		t.Errorf("%v %q", err, c.Description())
	}
	f.on("GetTask", func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusUnauthorized); return true })
	if e, ok := errors.AsType[*client.Error](c.Probe(t.Context(), nil)); !ok || e.Status != http.StatusUnauthorized {
		t.Errorf("%v", e)
	}
	f.on("GetTask", refuses(-32009, "version"))
	if err := c.Probe(t.Context(), nil); err == nil {
		t.Error("a version that is not spoken there")
	}
}

// FuzzAnswers: whatever an agent sends, the events are in order and end, or there is an error.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{submitted, working("w"), chunk("a", "x", true, false), ends("FAILED", "n"), task("WORKING", "a", "b"), `{"kind":"task","id":"t"}`} {
		f.Add([]byte(seed), []byte(ends("COMPLETED", "")))
	}
	f.Fuzz(func(t *testing.T, one, two []byte) {
		server := newAgent(t, card10).on("SendStreamingMessage", streams(oneLine(one), oneLine(two))).
			on("GetTask", is(oneLine(two))).on("SubscribeToTask", streams(oneLine(one))).on("CancelTask", refuses(-32002, ""))
		c := newClient(t, server.url, func(o *a2a.Options) { o.Timeout, o.State = 200*time.Millisecond, true })
		var order agui.Verifier
		var last agui.Event
		for e, err := range c.Run(t.Context(), hello()) {
			if err != nil {
				return
			}
			if err := order.Next(e); err != nil {
				t.Fatal(err)
			}
			last = e
		}
		switch last.(type) {
		case *agui.RunFinished, *agui.RunError:
		default:
			t.Fatalf("the last event is %T", last)
		}
	})
}

// oneLine is data as one line of an event.
func oneLine(data []byte) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(string(data))
}
