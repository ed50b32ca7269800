package route

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
)

// bodyTime bounds the time for a request's body to arrive. It is long, because it only has to end stalled connections.
const bodyTime = time.Minute

// restTime bounds the time for the unread rest of a body: net/http waits for it before it sends the response.
const restTime = 5 * time.Second

// A timedBody is a request body with a deadline until it has arrived. A server's read timeout would end the response.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	over    bool // no more reads follow
}

// TimeBody sets the deadline of the body of r, if possible. The caller calls end when the request is answered.
func TimeBody(w http.ResponseWriter, r *http.Request) (end func()) {
	if r.Body == nil || r.ContentLength == 0 {
		return func() {}
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(bodyTime)) != nil {
		return func() {}
	}
	b := &timedBody{ReadCloser: r.Body, control: control}
	r.Body = b
	return b.end
}

// Read reads, and removes the deadline at the end of the body, but not after other errors.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.over = b.over || err != nil
	if errors.Is(err, io.EOF) {
		// If this fails the connection has ended, and the next read reports it.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// end sets the deadline for the unread rest of a body.
func (b *timedBody) end() {
	if !b.over {
		_ = b.control.SetReadDeadline(time.Now().Add(restTime)) // as above
	}
}

// ReadJSON reads a whole JSON body of at most limit bytes (0: no limit).
func ReadJSON(r *http.Request, limit int64) ([]byte, error) {
	if err := checkType(r); err != nil {
		return nil, err
	}
	return ReadBody(r, limit)
}

// CheckType returns an error if r has a body, or declares a type, other than JSON. It is for routes with side effects
// and an optional body: a form of another site can send a body, but not as JSON.
func CheckType(r *http.Request) error {
	if r.ContentLength == 0 && r.Header.Get("Content-Type") == "" {
		return nil
	}
	return checkType(r)
}

func checkType(r *http.Request) error {
	if MediaType(r) != "application/json" {
		return &errcode.Error{Code: errcode.UnsupportedMediaType,
			Err: errors.New("content type is not application/json")}
	}
	return nil
}

// MediaType returns the media type of a body without parameters, in lower case. It is empty if the request has none,
// more than one, or a charset other than UTF-8: two servers in a row might then interpret the body differently.
func MediaType(r *http.Request) string {
	stated := r.Header.Values("Content-Type")
	if len(stated) != 1 {
		return ""
	}
	media, parameters, err := mime.ParseMediaType(stated[0])
	if charset, ok := parameters["charset"]; err != nil || ok && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// ErrCoding is in the error of a body that is compressed.
var ErrCoding = errors.New("gateway: the body is compressed")

// ReadBody is ReadJSON for a body of any media type. It refuses compressed bodies, because they can expand, and text
// that is not UTF-8. It refuses a body with an excessive declared length before reading, so that a client waiting for
// 100 Continue does not send it.
func ReadBody(r *http.Request, most int64) ([]byte, error) {
	for _, coding := range r.Header.Values("Content-Encoding") {
		if !strings.EqualFold(coding, "identity") {
			return nil, &errcode.Error{Code: errcode.UnsupportedMediaType, Err: ErrCoding,
				Text: "The body must not be compressed."}
		}
	}
	body := r.Body
	if most > 0 {
		if r.ContentLength > most {
			return nil, limit.Reached(limit.Body,
				&errcode.Error{Code: errcode.TooLarge, Err: &http.MaxBytesError{Limit: most}})
		}
		body = http.MaxBytesReader(nil, r.Body, most)
	}
	data, err := readAll(r, body)
	var tooLarge *http.MaxBytesError
	var coded *errcode.Error
	switch {
	case errors.As(err, &tooLarge):
		return nil, limit.Reached(limit.Body, &errcode.Error{Code: errcode.TooLarge, Err: err})
	case errors.As(err, &coded), errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, &errcode.Error{Code: errcode.InvalidInput, Err: err}
	}
	if !utf8.Valid(data) {
		return nil, &agui.FieldError{Problem: "is not valid UTF-8"}
	}
	return data, nil
}
