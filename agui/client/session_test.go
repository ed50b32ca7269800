package client_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui/client"
)

// The limits hold for all requests of a session together, and an answer is a document or a stream.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then a hang-up is not noticed
		switch r.URL.Path {
		case "/document":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `"`+r.Header.Get("X-Tenant")+r.Header.Get("X-Version")+`"`)
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n\ndata: 2\n\n")
		case "/large":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Repeat("1", 600))
		case "/long":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, strings.Repeat("1", 900))
		case "/page":
			w.Header().Set("Content-Type", "text/html")
		case "/away":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/text":
			w.Header().Set("Content-Type", "text/plain")
		case "/silent":
			<-r.Context().Done()
		}
	}))
	t.Cleanup(s.Close)
	limits := client.Options{URL: s.URL, MaxEvent: 800, MaxEvents: 3, MaxBytes: 1000}
	c := newClient(t, limits)
	ask := func(s *client.Session, at string) (list []string, err error) {
		u, err := url.Parse(c.String())
		if err != nil {
			t.Fatal(err)
		}
		call := client.Call{Method: http.MethodPost, URL: u.JoinPath(at), Body: 1, Header: http.Header{"X-Version": {"v"}}}
		for record, err := range s.Records(call) {
			if err != nil {
				return list, err
			}
			list = append(list, string(record.Data))
		}
		return list, nil
	}
	fault := func(err error) client.Fault {
		e, ok := errors.AsType[*client.Error](err)
		if !ok {
			t.Fatalf("%v", err)
		}
		return e.Fault
	}
	begin := func() *client.Session {
		s := c.Session(t.Context(), http.Header{"X-Tenant": {"t"}})
		t.Cleanup(s.End)
		return s
	}
	for at, want := range map[string]string{"document": `"tv"`, "events": "1 2"} {
		if got, err := ask(begin(), at); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v %q", at, err, got)
		}
	}
	for at, want := range map[string]client.Fault{
		"long": client.FaultTooLarge, "page": client.FaultStatus, "away": client.FaultStatus, "text": client.FaultInvalid,
	} {
		if _, err := ask(begin(), at); fault(err) != want || at == "page" != errors.Is(err, client.ErrPage) {
			t.Errorf("%s: %v", at, err)
		}
	}
	for _, at := range []string{"large", "events"} {
		both := begin()
		if _, err := ask(both, at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if _, err := ask(both, at); fault(err) != client.FaultTooLarge {
			t.Errorf("%s twice: %v", at, err)
		}
	}
	limits.Timeout = 50 * time.Millisecond
	c = newClient(t, limits)
	if _, err := ask(begin(), "silent"); fault(err) != client.FaultTimeout {
		t.Errorf("silent: %v", err)
	}
	over := begin()
	if err := over.Sleep(time.Hour); fault(err) != client.FaultTimeout {
		t.Error(err)
	}
}
