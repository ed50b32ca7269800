package listed

import (
	"encoding/json"
	"time"
)

// A Thread is as much of a [state.Thread] as a list shows.
type Thread struct {
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Open      []string  `json:"open"`
	Failed    bool      `json:"failed"`
}

// Decode reads a stored thread. Its errors are those of [json.Unmarshal].
func Decode(raw []byte) (Thread, error) {
	var t Thread
	if Read(raw, t.Member) {
		return t, nil
	}
	t = Thread{}
	err := json.Unmarshal(raw, &t)
	return t, err
}

// Member reads a member of a stored thread; see [Read].
func (t *Thread) Member(name []byte, r *Reader) bool {
	switch string(name) {
	case "title":
		return r.Text(&t.Title)
	case "createdAt":
		return r.Time(&t.CreatedAt)
	case "updatedAt":
		return r.Time(&t.UpdatedAt)
	case "open":
		return r.Texts(&t.Open)
	case "failed":
		return r.Bool(&t.Failed)
	}
	return r.Skip(name, "title", "createdAt", "updatedAt", "open", "failed")
}
