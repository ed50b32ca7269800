package route

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/internal/clip"
)

// Answer writes v as the whole response. It ignores write errors: the client is gone.
func Answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}

// A Timestamp is a time as answers show it: RFC 3339 in UTC, always with milliseconds, so that times sort as text.
type Timestamp time.Time

// MarshalText is part of encoding.TextMarshaler.
func (t Timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z"), nil
}

// IsZero reports whether there is no time, for omitzero.
func (t Timestamp) IsZero() bool { return time.Time(t).IsZero() }

// Shorten truncates a caller's text for the log or a response: a request line may have a megabyte.
func Shorten(s string) string { return clip.To(s, 256) }
