package history

import (
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
)

// LeastResult is the least limit of a result, in bytes: a shorter part is useless.
const LeastResult = 256

// ClipResults cuts results to limit, 0 for none, or to less if a request was still too long. Reader is the name of the
// tool that reads the rest; empty: there is no such tool.
func (s *Shortener) ClipResults(entries []Entry, limit int, reader string) {
	if lower := s.note.clip; lower > 0 && (limit == 0 || lower < limit) {
		limit = lower
	}
	for i := range entries {
		e := &entries[i]
		if limit == 0 || e.Role != agui.RoleTool || len(e.Text) <= limit {
			continue
		}
		size, begin := len(e.Text), clip.Bytes(e.Text, limit)
		e.Text, e.Parts = begin+"\n[The rest was left out.]", nil
		if reader != "" {
			e.Text = fmt.Sprintf("%s\n[These are %d of %d bytes. The rest: %s with call %q and offset %d, or with "+
				"search.]",
				begin, len(begin), size, reader, e.CallID, len(begin))
		}
	}
}
