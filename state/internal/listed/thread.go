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
	Calls     []Call    `json:"calls"`
}

// A Call is a frontend call, as far as it says whether it is answered.
type Call struct {
	Answer json.RawMessage `json:"answer"`
}

// Waiting counts the frontend calls that are not answered.
func (t *Thread) Waiting() (n int) {
	for _, c := range t.Calls {
		if c.Answer == nil {
			n++
		}
	}
	return n
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
		return r.JSON(&t.Open)
	case "failed":
		return r.Bool(&t.Failed)
	case "calls":
		return r.JSON(&t.Calls)
	}
	return r.Skip(name, "title", "createdAt", "updatedAt", "open", "failed", "calls")
}
