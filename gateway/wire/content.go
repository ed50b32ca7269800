package wire

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A Loss is a set of the Lost constants: content that a projection could not send. It is worth one warning per reader.
type Loss uint8

const (
	// LostMedia is parts of a tool's result that are not text.
	LostMedia Loss = 1 << iota
	// LostFile is parts of a user's message that are in a provider's file store.
	LostFile
	// LostExpiry is the deadline of a question.
	LostExpiry
)

// String lists the lost content.
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

// SendsBinary reports whether messages are those of a client before 0.0.47 that has sent a file.
func SendsBinary(messages []agui.Message) bool {
	return slices.ContainsFunc(messages, func(m agui.Message) bool {
		parts, _ := m.Content.Parts()
		return slices.ContainsFunc(parts, agui.Part.WasBinary)
	})
}

// binary converts messages in place for such a client.
func binary(messages []agui.Message) {
	for i := range messages {
		parts, ok := messages[i].Content.Parts()
		if !ok {
			continue
		}
		parts = slices.Clone(parts)
		for n := range parts {
			parts[n] = parts[n].Binary()
		}
		messages[i].Content = agui.PartsContent(parts...)
	}
}
