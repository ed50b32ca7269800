package state

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// ErrCursor is returned for a cursor that no listing gave out.
var ErrCursor = errors.New("state: not a cursor")

// A Cursor is a place in a listing of one principal's threads, newest first: that of the last thread shown. New
// threads, and changes of old ones, move none of those behind it out of their order.
type Cursor struct {
	UpdatedAt time.Time `json:"t"`
	Agent     string    `json:"a"`
	ID        string    `json:"i"`
}

// ParseCursor reads what [Cursor.String] writes. It fails with [ErrCursor].
func ParseCursor(s string) (Cursor, error) {
	var c Cursor
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return Cursor{}, ErrCursor
	}
	return c, nil
}

// String returns the cursor as clients hold it.
func (c Cursor) String() string {
	raw, err := json.Marshal(c)
	if err != nil {
		return "" // a year no clock shows
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// CursorOf returns the place of a thread.
func CursorOf(t *Thread) Cursor {
	return Cursor{UpdatedAt: t.UpdatedAt.UTC(), Agent: t.Key.Agent, ID: t.Key.ID}
}

// Compare returns -1 if c is shown before other, +1 if after.
func (c Cursor) Compare(other Cursor) int {
	return cmp.Or(other.UpdatedAt.Compare(c.UpdatedAt), cmp.Compare(c.Agent, other.Agent), cmp.Compare(c.ID, other.ID))
}
