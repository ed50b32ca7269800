package document

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// A Change is what one call changed in a [Document]. Nothing in it may be changed.
type Change struct {
	// Patch leads from the state before to the state after. Every reader can apply it, strictly.
	Patch agui.Patch
	// Undo leads back: applied to the state after by [Document.Apply], it gives the state before.
	// It is for us and not for the wire; it may name members that not every client can reach.
	Undo agui.Patch
	// Snapshot is the state after, set if it is what readers are to be sent: when the patch would be longer,
	// or has more operations than the document's MaxPatchOps.
	Snapshot json.RawMessage
}

// Event returns what readers are sent: an [*agui.StateSnapshot] or an [*agui.StateDelta].
func (c Change) Event() agui.Event {
	if c.Snapshot != nil {
		return &agui.StateSnapshot{Snapshot: c.Snapshot}
	}
	return &agui.StateDelta{Delta: c.Patch}
}
