package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
)

// A server with another API is called within the same limits, and each event has its name and id.
func TestCalls(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.EscapedPath() {
		case "/api/things/%2E%2E%2Fa%20b":
			_, _ = io.WriteString(w, `{"query":"`+r.URL.RawQuery+`","tenant":"`+r.Header.Get("X-Tenant")+`"}`)
		case "/api/large":
			_, _ = io.WriteString(w, `"`+strings.Repeat("x", 5000)+`"`)
		case "/api/slow":
			<-r.Context().Done()
		case "/api/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: a\nid: 1\ndata: 1\n\n: still here\n\ndata: 2\n\n")
		case "/api/half":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\ndata: 2")
		case "/api/document":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	c := newClient(t, client.Options{URL: server.URL + "/api?key=k", MaxEvent: 4096})
	s := c.Session(t.Context(), http.Header{"X-Tenant": {"t"}})
	defer s.End()
	var told struct{ Query, Tenant string }
	call := client.Call{Method: http.MethodGet, Path: []string{"things", "../a b"}, Query: map[string][]string{"n": {"1"}}}
	if err := s.Ask(call, &told); err != nil || told.Query != "key=k&n=1" || told.Tenant != "t" {
		t.Errorf("%v %+v", err, told)
	}
	for path, want := range map[string]client.Fault{"large": client.FaultTooLarge, "things": client.FaultInvalid} {
		var v any
		err := s.Ask(client.Call{Method: http.MethodGet, Path: []string{path}}, &v)
		if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	records := func(path string) (list []string, err error) {
		for r, err := range s.Records(client.Call{Method: http.MethodPost, Path: []string{path}, Body: 1, Stream: true}) {
			if err != nil {
				return list, err
			}
			list = append(list, r.Name+"/"+r.ID+"/"+string(r.Data))
		}
		return list, nil
	}
	if got, err := records("events"); err != nil || strings.Join(got, " ") != "a/1/1 //2" {
		t.Errorf("%v %q", err, got)
	}
	got, err := records("half")
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != client.FaultCut || len(got) != 1 {
		t.Errorf("%v %q", err, got)
	}
	_, err = records("document")
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != client.FaultStatus {
		t.Errorf("what has to be a stream is none: %v", err)
	}
	impatient := newClient(t, client.Options{URL: server.URL + "/api", Connect: 50 * time.Millisecond}).Session(t.Context(), nil)
	defer impatient.End()
	err = impatient.Ask(client.Call{Method: http.MethodGet, Path: []string{"slow"}}, nil)
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != client.FaultUnreachable {
		t.Errorf("slow: %v", err)
	}
}
