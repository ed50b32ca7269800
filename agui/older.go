package agui

// Downgrade reshapes messages in place for a peer before 1.0, which has only text in tool messages and no file sources.
// Other content is omitted without a placeholder, which would add words to the message. It reports whether media of a
// tool's result, and files of a user's message, were omitted.
func Downgrade(messages []Message) (media, files bool) {
	for i := range messages {
		switch m := &messages[i]; m.Role {
		case RoleTool:
			media = DowngradeResult(&m.Content) || media
		case RoleUser:
			files = withoutFiles(&m.Content) || files
		default: // only these two have parts
		}
	}
	return media, files
}

// DowngradeResult is [Downgrade] for the content of a tool's result: parts become their text. It reports whether there
// was anything else.
func DowngradeResult(c *Content) (media bool) {
	parts, ok := c.Parts()
	if !ok {
		return false
	}
	*c = TextContent(c.Text())
	for _, p := range parts {
		if p.Type != PartText {
			return true
		}
	}
	return false
}

// withoutFiles removes the parts that are in a provider's file store, and reports whether there were any.
func withoutFiles(c *Content) bool {
	parts, ok := c.Parts()
	if !ok {
		return false
	}
	kept := make([]Part, 0, len(parts))
	for _, p := range parts {
		if p.Source == nil || p.Source.Type != SourceFile {
			kept = append(kept, p)
		}
	}
	if len(kept) == len(parts) {
		return false
	}
	*c = PartsContent(kept...)
	return true
}
