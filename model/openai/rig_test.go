package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

const testKey = "sk-secret-key-0123456789"

// A server is a model's server that wants the key.
type server struct {
	*openaitest.Server
	t   testing.TB
	url string
}

func newServer(t testing.TB, answers ...openaitest.Answer) *server {
	t.Helper()
	s := &server{Server: openaitest.Serve(answers...), t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
			t.Errorf("Authorization = %q", got)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *server) model(change ...func(*Options)) *Model {
	s.t.Helper()
	o := Options{Provider: "mock", BaseURL: s.url + "/v1", Key: testKey, Name: "m1", Retries: -1}
	for _, f := range change {
		f(&o)
	}
	m, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// heard is what a call of a model passes on, as one line.
type heard struct{ strings.Builder }

func (h *heard) deltas() model.Deltas {
	note := func(format string, args ...any) error {
		_, err := fmt.Fprintf(h, format, args...)
		return err
	}
	return model.Deltas{
		Text:      func(d string) error { return note("t(%s)", d) },
		Reasoning: func(d string) error { return note("r(%s)", d) },
		Call:      func(i int, name, args string) error { return note("c%d(%s %s)", i, name, args) },
	}
}

var hello = model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: "hello"}}}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equalJSON compares two documents, whatever the order of their members.
func equalJSON(t *testing.T, name, got, want string) {
	t.Helper()
	var sides [2]any
	for i, document := range []string{got, want} {
		if err := json.Unmarshal([]byte(document), &sides[i]); err != nil {
			t.Fatalf("%s: %v in %s", name, err, document)
		}
	}
	equal(t, name, sides[0], sides[1])
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
