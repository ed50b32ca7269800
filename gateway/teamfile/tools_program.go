package teamfile

import (
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// A ToolPart is a tool of the program, see [Options.Tools], that an agent of the file has.
type ToolPart struct {
	Name string // in Options.Tools
	Line int    // of the entry
}

// programTool reads an entry of tools that names a tool of the program.
func (b *builder) programTool(f *Fields) (t groupchat.Tool) {
	at := f.Take("tool")
	if at == nil {
		return t // it has no value, which is noted
	}
	written := b.written.unknown
	b.written.unknown = true // until the tool is known, it may be one that writes to the state
	name := at.Text()
	t, known := b.o.Tools[name]
	as, description := f.Take("name").Text(), f.Take("description").Text()
	timeout, retry := f.Take("timeout").duration(), toolRetry(f)
	switch {
	case !f.ok():
		return t
	case !known && len(b.o.Tools) == 0:
		at.Bad("this program has no tools of its own; one that has puts them into teamfile.Options.Tools")
		return t
	case !known:
		unknown(at, "tool", slices.Collect(maps.Keys(b.o.Tools)))
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
	if retry != (tools.Retry{}) {
		t.Retry = retry
	}
	if err := t.Validate(); err != nil {
		at.Bad("the program's tool cannot be used: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		return t
	}
	b.written.unknown = written || t.Turn != nil
	b.team.Parts.Tools = append(b.team.Parts.Tools, ToolPart{Name: name, Line: at.line})
	return t
}
