package teamfile

import (
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
)

// A ToolPart is a tool of the program, see [Options.Tools], that an agent of the file has.
type ToolPart struct {
	Name string // in Options.Tools
	Line int    // of the entry
}

// programTool reads an entry of tools that names a tool of the program.
func (b *builder) programTool(f *fields) (t groupchat.Tool) {
	before := len(b.problems)
	at := f.take("tool")
	if at == nil {
		return t // it has no value, which is noted
	}
	written := b.written.unknown
	b.written.unknown = true // until the tool is known, it may be one that writes to the state
	name, quotable := b.word(at)
	t, known := b.programTools[name]
	as, description, timeout := b.text(f.take("name")), b.text(f.take("description")), b.duration(f.take("timeout"))
	retry := b.toolRetry(f)
	switch {
	case len(b.problems) > before:
		return t
	case !known && len(b.programTools) == 0:
		b.bad(at, "this program has no tools of its own; one that has puts them into teamfile.Options.Tools")
		return t
	case !known:
		b.unknown(at, name, quotable, "tool", slices.Collect(maps.Keys(b.programTools)))
		return t
	}
	if t.Name = name; as != "" {
		t.Name, t.SourceName = as, name
	}
	if description != "" {
		t.Description = description
	}
	if timeout > 0 {
		t.Timeout = timeout
	}
	if retry != (groupchat.ToolRetry{}) {
		t.Retry = retry
	}
	if err := t.Validate(); err != nil {
		b.bad(at, "the program's tool cannot be used: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		return t
	}
	b.written.unknown = written || t.Turn != nil
	b.team.Parts.Tools = append(b.team.Parts.Tools, ToolPart{Name: name, Line: at.line})
	return t
}
