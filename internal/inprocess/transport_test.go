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
