package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
)

// The limits of a result in one request, and of one reading of it.
const (
	llmMaxResult  = 64 << 10
	resultMatches = 20 // places that are found in a result at once
	matchContext  = 80 // bytes on each side of one
)

// readResult is the tool by which a model reads the omitted part of a result.
const readResult = "read_result"

var readResultSchema = json.RawMessage(`{"type":"object","required":["call"],"additionalProperties":false,` +
	`"properties":{` +
	`"call":{"type":"string","description":"which result, as it was told where it was cut"},` +
	`"offset":{"type":"integer","minimum":0,"description":"from which byte on"},` +
	`"search":{"type":"string","minLength":1,"description":"instead: the places from offset on that have this text"}}}`)

// resultLimit is the limit of a result in a request, in bytes.
func (a *LLM) resultLimit() int {
	if a.MaxResult > 0 {
		return a.MaxResult
	}
	return llmMaxResult
}

// readsResults reports whether requests may have less of a result than is kept: then there is a tool for the rest.
func (r *llmRun) readsResults(tools llmTools) bool {
	if r.MaxResult > 0 {
		return true
	}
	for _, o := range tools.byName {
		if o.tool != nil && o.tool.most() > llmMaxResult {
			return true
		}
	}
	return false
}

// resultTool reads results of the agent's own calls, those included that requests omit, for as long as they are in the
// conversation.
func (r *llmRun) resultTool() *Tool {
	return &Tool{
		Name: readResult, Description: "Reads on in the result of a call that was told you in part, or searches in it.",
		Parameters: readResultSchema, Approve: ApproveNever, MaxResult: r.resultLimit() + history.LeastResult,
		Call: func(_ context.Context, c ToolCall) (ToolResult, error) {
			var in struct {
				Call, Search string
				Offset       int
			}
			if err := exact.Unmarshal(c.Arguments, &in); err != nil {
				return ToolResult{}, err
			}
			text, ok := r.wholeResult(in.Call)
			switch {
			case !ok:
				return ToolResult{}, &ToolError{Text: "There is no result of such a call."}
			case in.Offset >= len(text):
				return TextResult(fmt.Sprintf("[The result has %d bytes.]", len(text))), nil
			case in.Search != "":
				return TextResult(found(text, in.Search, in.Offset, r.resultLimit())), nil
			}
			rest := strings.ToValidUTF8(text[in.Offset:], "")
			// Its result is not cut again.
			part := clip.Bytes(rest, max(r.resultLimit()-history.LeastResult/2, history.LeastResult/2))
			if end := in.Offset + len(part); len(part) < len(rest) {
				return TextResult(fmt.Sprintf("%s\n[Bytes %d to %d of %d.]", part, in.Offset, end, len(text))), nil
			}
			return TextResult(part), nil
		},
	}
}

// wholeResult is the kept result of a call that the agent made.
func (r *llmRun) wholeResult(call string) (string, bool) {
	h := r.transcript(r.t.Messages(), 0)
	for _, m := range r.t.Messages() {
		h.add(m)
	}
	if len(r.rounds) > 0 {
		h.round(r.rounds[len(r.rounds)-1])
	}
	for _, e := range h.out {
		if e.Role == agui.RoleTool && e.CallID == call {
			return e.Text, true
		}
	}
	return "", false
}

// found are the places in text, from offset on, that match the query, letter case aside, in at most limit bytes.
func found(text, search string, offset, limit int) string {
	var b strings.Builder
	lower, want := strings.ToLower(text), strings.ToLower(search)
	if len(lower) != len(text) {
		lower, want = text, search // places would not be the same
	}
	for n := 0; ; n++ {
		i := strings.Index(lower[offset:], want)
		if i < 0 {
			break
		}
		at := offset + i
		around := strings.ToValidUTF8(text[max(0, at-matchContext):min(len(text), at+len(want)+matchContext)], "")
		line := fmt.Sprintf("%d: %s\n", at, strings.Join(strings.Fields(around), " "))
		if n == resultMatches || b.Len()+len(line) > limit-history.LeastResult/2 {
			fmt.Fprintf(&b, "[There is more from byte %d on.]", at)
			break
		}
		b.WriteString(line)
		offset = at + len(want)
	}
	if b.Len() == 0 {
		return "[Nothing is found.]"
	}
	return b.String()
}
