// Package inprocess asks a handler of this process as clients ask a server, without a connection that others could use
// too.
package inprocess

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
)

// A transport answers requests with a handler in this process, without a connection.
type transport struct{ handler http.Handler }

// Client is a client of what handler answers, whatever the host of a URL: requests come from 127.0.0.1. It is safe for
// concurrent use.
func Client(handler http.Handler) *http.Client { return &http.Client{Transport: &transport{handler}} }

// RoundTrip answers r. The body of the answer is read while the handler writes it. A handler that panics cuts its
// answer off, as the server of net/http does.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	out, in := io.Pipe()
	w := &answerWriter{header: http.Header{}, body: in, begun: make(chan struct{})}
	served := r.Clone(r.Context())
	served.RequestURI, served.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:1"
	if served.Host == "" {
		served.Host = r.URL.Host
	}
	if served.Body == nil {
		served.Body = http.NoBody
	}
	go func() {
		defer func() {
			v := recover()
			if v == nil {
				w.WriteHeader(http.StatusOK)
				_ = in.Close()
				return
			}
			if v != http.ErrAbortHandler { //nolint:errorlint // it is that value
				slog.Error("inprocess: a handler panicked", "path", served.URL.Path, "error", v, "stack",
					string(debug.Stack()))
			}
			w.once.Do(func() { close(w.begun) })
			_ = in.CloseWithError(io.ErrUnexpectedEOF)
		}()
		t.handler.ServeHTTP(w, served)
	}()
	select {
	case <-w.begun:
		if w.status == 0 {
			return nil, io.ErrUnexpectedEOF
		}
	case <-r.Context().Done():
		_ = out.Close()
		return nil, r.Context().Err()
	}
	return &http.Response{
		Status: fmt.Sprint(w.status, " ", http.StatusText(w.status)), StatusCode: w.status, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: out, ContentLength: -1, Request: r,
	}, nil
}

// An answerWriter is the writer of one answer.
type answerWriter struct {
	header, sent http.Header
	body         *io.PipeWriter
	status       int
	once         sync.Once
	begun        chan struct{}
}

// Header are the headers that are sent with the status.
func (w *answerWriter) Header() http.Header { return w.header }

// WriteHeader begins the answer.
func (w *answerWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.begun)
	})
}

// Write sends data.
func (w *answerWriter) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(data)
}

// Flush sends what there is, which everything is at once.
func (w *answerWriter) Flush() { w.WriteHeader(http.StatusOK) }
