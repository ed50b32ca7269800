package simstore

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// facts are those of a row. A read of a row that was replaced meanwhile is a conflict.
type facts struct {
	cluster *Cluster
	row     *row
	stale   bool
}

// look notes whether the row is still that of its thread.
func (f *facts) look() *row {
	if f.cluster != nil && f.row.tag != "" {
		f.cluster.mu.Lock()
		defer f.cluster.mu.Unlock()
		now := f.cluster.rows[f.row.thread.Key]
		f.stale = f.stale || now == nil || now.tag != f.row.tag
	}
	return f.row
}

// Err reports whether a read came too late.
func (f *facts) Err() error {
	if f.stale {
		return store.ErrConflict
	}
	return nil
}

// Known looks up a message.
func (f *facts) Known(id string) (state.Place, bool) {
	place, ok := f.look().known[id]
	return place, ok
}

// Token looks up a token.
func (f *facts) Token(id string) (state.Token, bool) {
	token, ok := f.row.tokens[id]
	return token, ok
}

// Messages yields the messages, the last one first.
func (f *facts) Messages() iter.Seq[state.StoredMessage] {
	return func(yield func(state.StoredMessage) bool) {
		for _, m := range slices.Backward(f.look().messages) {
			if m != nil && !yield(*m) {
				return
			}
		}
	}
}

// State returns the state at a revision.
func (f *facts) State(rev int64) json.RawMessage {
	text, err := f.look().stateAt(rev)
	if err != nil {
		return nil
	}
	return text
}

// Past returns the states at the ends of runs.
func (f *facts) Past() document.History { return f.look().past }

// Runs returns the runs before the newest.
func (f *facts) Runs() []state.Run { return f.look().runs }
