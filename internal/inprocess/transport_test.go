package inprocess_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/internal/inprocess"
)

// TestClient reads an answer while it is written, and hangs up.
func TestClient(t *testing.T) {
	t.Parallel()
	goOn, hungUp := make(chan struct{}), make(chan error, 1)
	c := inprocess.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Host != "localhost" || r.RemoteAddr != "127.0.0.1:1" || string(body) != "Hello" {
			t.Errorf("asked by %s at %s: %q, %v", r.RemoteAddr, r.Host, body, err)
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "one\n")
		<-goOn
		for err == nil {
			_, err = io.WriteString(w, "two\n")
		}
		hungUp <- err
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/x", strings.NewReader("Hello"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("Do() = %v, %v", answer, err)
	}
	lines := bufio.NewReader(answer.Body)
	if first, err := lines.ReadString('\n'); err != nil || first != "one\n" {
		t.Errorf("the first line is %q, %v", first, err)
	}
	close(goOn)
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
	if err := <-hungUp; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the handler writes on: %v", err)
	}
}

// TestAHandlerThatPanics cuts its answer off, as the server of net/http does, and harms no other request.
func TestAHandlerThatPanics(t *testing.T) {
	t.Parallel()
	for _, cause := range []any{"a fault", http.ErrAbortHandler} {
		c := inprocess.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				_, _ = io.WriteString(w, "half")
			}
			panic(cause)
		}))
		for _, path := range []string{"/", "/late"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := c.Do(r)
			if path == "/" {
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%v: Do() = %v, want %v", cause, err, io.ErrUnexpectedEOF)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(answer.Body); string(body) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v: the body is %q, %v", cause, body, err)
			}
			if answer.Status != "200 OK" {
				t.Errorf("status %q", answer.Status)
			}
			if err := answer.Body.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
