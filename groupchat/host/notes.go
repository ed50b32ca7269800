package host

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
)

// Notes are what the agents of a thread keep between its runs and no client is shown, such as the summary of a conversation that is
// longer than a model takes. They are JSON of at most [MaxNotes] bytes. A thread that has lost them goes on without: what they say is
// made again. The zero value is empty. It is safe for concurrent use.
type Notes struct{ kept hosting.Notes }

// MaxNotes is how many bytes the notes of a thread take at most; the oldest are dropped.
const MaxNotes = hosting.MaxNotes

// Load replaces the notes by what Changed returned in an earlier run of the thread; nil is none.
func (n *Notes) Load(raw json.RawMessage) error { return n.kept.Load(raw) }

// Changed returns all notes if any was written since it was last called, and nil otherwise. A host stores them with each
// commit, and with the end of the run however it ends.
func (n *Notes) Changed() json.RawMessage { return n.kept.Changed() }
