package route

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
)

type roomKey struct{}

// WithRoom returns r with the room that its body may take. Without it there is no limit.
func WithRoom(r *http.Request, room *limit.Held) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), roomKey{}, room))
}

// ReleaseRoom releases the memory budget of r's body before the request ends, when its content has been stored.
func ReleaseRoom(r *http.Request) { roomOf(r).Release() }

func roomOf(r *http.Request) *limit.Held {
	room, _ := r.Context().Value(roomKey{}).(*limit.Held)
	return room
}

// firstRead is the number of bytes read of a body before more are requested.
const firstRead = 4 << 10

// readAll reads body, which is that of r. It takes room as bytes arrive: a declared length takes none.
func readAll(r *http.Request, body io.Reader) ([]byte, error) {
	room := roomOf(r)
	var data []byte
	for {
		if len(data) == cap(data) {
			size := max(firstRead, 2*cap(data))
			if n := r.ContentLength; n > 0 && n < int64(size) {
				size = max(int(n), len(data)) + 1 // of which the last is for the end of the body to be noticed
			}
			if err := room.Grow(r.Context(), int64(size)); err != nil {
				return nil, RoomError(err)
			}
			data = append(make([]byte, 0, size), data...)
		}
		n, err := body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// RoomError returns the error of a body or an answer for which there is no room, with its code.
func RoomError(err error) error {
	switch {
	case errors.Is(err, limit.ErrShare):
		return limit.Reached(limit.BodiesPerPrincipal, &errcode.Error{Code: errcode.RateLimited, Err: err})
	case errors.Is(err, limit.ErrNoRoom):
		return limit.Reached(limit.Bodies, &errcode.Error{Code: errcode.Overloaded, Err: err})
	default:
		return err
	}
}
