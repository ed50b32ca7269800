package wire

import (
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A Loss says what a projection could not tell its reader: a set of the Lost constants. It is worth one
// warning per reader.
type Loss uint8

const (
	// LostMedia is parts of a tool's result that are not text.
	LostMedia Loss = 1 << iota
	// LostFile is parts of a user's message that are in a provider's file store.
	LostFile
	// LostExpiry is the deadline of a question.
	LostExpiry
)

// String lists what was lost.
func (l Loss) String() string {
	var names []string
	for _, n := range []struct {
		bit  Loss
		name string
	}{
		{LostMedia, "media in tool results"},
		{LostFile, "file sources in user messages"},
		{LostExpiry, "expiry of interrupts"},
	} {
		if l&n.bit != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ", ")
}

// olderMessages reshapes messages in place for a client before 1.0.
func olderMessages(messages []agui.Message) Loss {
	var loss Loss
	media, files := agui.Downgrade(messages)
	if media {
		loss |= LostMedia
	}
	if files {
		loss |= LostFile
	}
	return loss
}

// flatten is olderMessages for the content of a tool's result.
func flatten(c *agui.Content) Loss {
	if agui.DowngradeResult(c) {
		return LostMedia
	}
	return 0
}
