package gateway

import (
	"io"
	"net/http"
	"time"
)

// bodyTime is how long a request's body may take to arrive. It is generous: it only has to end those that never do.
const bodyTime = time.Minute

// A timedBody is a request body that has to arrive in time. The server's own read timeout would go on counting
// while the response streams; this one is lifted when the body is there.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// timeBody gives the body of r its time. A writer that knows no deadlines, such as a test's, does without.
func timeBody(w http.ResponseWriter, r *http.Request) {
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
