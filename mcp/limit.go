package mcp

import (
	"errors"
	"io"
	"mime"
	"net/http"
)

// maxAnswer is how many bytes an endpoint may answer in one piece, decompressed: as many as the SDK takes of a
// program's line and of an event of a stream. A stream may last as long as its call.
const maxAnswer = 16 << 20

// errAnswerLarge ends the reading of an answer that has more.
var errAnswerLarge = errors.New("mcp: the answer is too large")

// limiter bounds the answers of an endpoint, which the SDK reads as a whole.
type limiter struct{ next http.RoundTripper }

// RoundTrip sends r.
func (l *limiter) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err != nil {
		return response, err
	}
	if media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil ||
		media != "text/event-stream" {
		response.Body = &limitedBody{response.Body, maxAnswer}
	}
	return response, nil
}

// A limitedBody fails when more than left bytes are read.
type limitedBody struct {
	io.ReadCloser
	left int
}

// Read reads, at most a byte too many.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		b.left = 0
		return 0, errAnswerLarge
	}
	return n, err
}
