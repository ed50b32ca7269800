package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// mockWords are what a model's server says to everybody.
const mockWords = 40

// hook takes notices of questions, but for one in sixteen, which has to be sent again.
func hook(w http.ResponseWriter, _ *http.Request) {
	if rand.IntN(16) == 0 {
		http.Error(w, "not now", http.StatusServiceUnavailable)
	}
}

// complete answers every request for a chat completion with the same stream.
func complete(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return // who asked is gone
	}
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1790000000,"model":"mock","choices":[{` +
		`"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	for i := range mockWords {
		_, err := fmt.Fprintf(w, chunk, fmt.Sprintf(`{"role":"assistant","content":"word%d "}`, i), "null")
		if err := errors.Join(err, flush.Flush()); err != nil {
			return
		}
	}
	_, _ = io.Copy(w, strings.NewReader(fmt.Sprintf(chunk, "{}", `"stop"`)+"data: [DONE]\n\n")) // who asked may be gone
}

// startMock serves a model, below /v1, and a webhook, until the returned function is called.
func startMock(ctx context.Context) (url string, stop func(), err error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/chat/completions", complete)
	mux.HandleFunc("/hook", hook)
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.Serve(l) }()                                      // until it is closed
	return "http://" + l.Addr().String(), func() { _ = s.Close() }, nil // nothing is under way any more
}
