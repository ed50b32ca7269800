package route

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// bodyTime is how long a request's body may take to arrive. It is generous: it only has to end those that never do.
const bodyTime = time.Minute

// A timedBody is a request body that has to arrive in time. The server's own read timeout would go on counting
// while the response streams; this one is lifted when the body is there.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// TimeBody gives the body of r its time. A writer that knows no deadlines, such as a test's, does without.
func TimeBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.ContentLength == 0 {
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
		r.Body = timedBody{r.Body, control}
	}
}

// Read reads, and lifts the deadline at the end.
func (b timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		// A connection that cannot be told has ended; the next read says so.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// ReadJSON reads a whole JSON body, at most limit bytes of it (0: any number). The whole body is read before
// a response begins: net/http notices a closed connection only then.
func ReadJSON(r *http.Request, limit int64) ([]byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return nil, &agui.Error{Code: agui.CodeUnsupportedMediaType, Err: errors.New("content type is not application/json")}
	}
	return ReadBody(r, limit)
}

// ReadBody is readJSON for a body of any kind. A body that is announced as too large is refused before it is read: a
// client that waits for 100 Continue then never sends it.
func ReadBody(r *http.Request, limit int64) ([]byte, error) {
	for _, coding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return nil, &agui.Error{Code: agui.CodeUnsupportedMediaType, Err: errors.New("the body is compressed"), Text: "The body must not be compressed."}
		}
	}
	body := r.Body
	if limit > 0 {
		if r.ContentLength > limit {
			return nil, &agui.Error{Code: agui.CodeTooLarge, Err: &http.MaxBytesError{Limit: limit}}
		}
		body = http.MaxBytesReader(nil, r.Body, limit)
	}
	data, err := io.ReadAll(body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, &agui.Error{Code: agui.CodeTooLarge, Err: err}
	}
	if err != nil {
		return nil, &agui.Error{Code: agui.CodeInvalidInput, Err: err}
	}
	return data, nil
}
