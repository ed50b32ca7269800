package mcp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/internal/redact"
)

// lastFailure keeps the text that a server last wrote about a failure: a program on stderr, an endpoint in the body of
// an error.
type lastFailure struct{ lines atomic.Pointer[[]string] }

// set keeps lines, which must not change afterwards.
func (l *lastFailure) set(lines ...string) { l.lines.Store(&lines) }

func (l *lastFailure) get() string {
	if lines := l.lines.Load(); lines != nil {
		return explanation(*lines)
	}
	return ""
}

// Limits of the part of a program's stderr that a failure is explained with; a line is counted in bytes.
const maxKeptLines, maxSaidLines, maxLine = 20, 5, 4 << 10

var (
	errorLine  = regexp.MustCompile(`(?i)(?:error|exception|panic|fatal)\b`)
	stackFrame = regexp.MustCompile(`^(?:at |\^|File "|[{}\]])`)
)

// explanation returns the lines of stderr that explain best why a program has ended: from the last one on that names an
// error, else the last ones. Lines of a stack are left out.
func explanation(lines []string) string {
	kept := slices.DeleteFunc(slices.Clone(lines), stackFrame.MatchString)
	from := len(kept) - 1
	for from >= 0 && !errorLine.MatchString(kept[from]) {
		from--
	}
	if from < 0 {
		from = max(len(kept)-maxSaidLines, 0)
	}
	return strings.Join(kept[from:min(len(kept), from+maxSaidLines)], " | ")
}

// failureRecorder notes what the endpoint writes in the bodies of errors.
type failureRecorder struct {
	next http.RoundTripper
	last *lastFailure
}

// RoundTrip sends r. Only POST counts: a server may refuse the GET that opens the stream of notifications, which is no
// failure.
func (l *failureRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost {
		return response, err
	}
	if response.StatusCode < http.StatusBadRequest {
		l.last.set()
		return response, nil
	}
	const enough = 4 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, enough)) // whatever could be read
	response.Body = &partlyRead{io.MultiReader(bytes.NewReader(body), response.Body), response.Body}
	l.last.set(strings.TrimSpace(response.Status + " " + redact.Sentence(body)))
	giveUp, ok := r.Context().Value(giveUpKey{}).(context.CancelCauseFunc)
	if ok && response.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "" {
		giveUp(sdk.ErrSessionMissing) // before the end of the connection becomes the cause
	}
	return response, nil
}

// giveUpKey is the key of the context of a call's requests for the function that ends the call.
type giveUpKey struct{}

// partlyRead is a body of which the beginning has been read.
type partlyRead struct {
	io.Reader
	io.Closer
}
