package agui

import "strings"

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

// olderMessages reshapes messages in place for a client before 1.0, which has only text in tool messages
// and no file sources.
func olderMessages(messages []Message) Loss {
	var loss Loss
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case RoleTool:
			loss |= flatten(&m.Content)
		case RoleUser:
			loss |= withoutFiles(&m.Content)
		default: // only these two have parts
		}
	}
	return loss
}

// flatten turns parts into their text. What is not text is left out without a trace: a placeholder would be
// words nobody said.
func flatten(c *Content) Loss {
	parts, ok := c.Parts()
	if !ok {
		return 0
	}
	*c = TextContent(c.Text())
	for _, p := range parts {
		if p.Type != PartText {
			return LostMedia
		}
	}
	return 0
}

func withoutFiles(c *Content) Loss {
	parts, ok := c.Parts()
	if !ok {
		return 0
	}
	kept := make([]Part, 0, len(parts))
	for _, p := range parts {
		if p.Source == nil || p.Source.Type != SourceFile {
			kept = append(kept, p)
		}
	}
	if len(kept) == len(parts) {
		return 0
	}
	*c = PartsContent(kept...)
	return LostFile
}
