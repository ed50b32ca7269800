package groupchat

import "github.com/agui-gateway/gateway/agui"

// A brokenOff error is a turn's failure in the middle of a message.
type brokenOff struct {
	error
	ids []string // of the messages
}

// Unwrap returns the failure.
func (b *brokenOff) Unwrap() error { return b.error }

// BrokenOff returns the ids of the messages that were open when the turns failed that err tells of. They are closed on the
// wire, because others may go on; but if the run ends with err, they are not to stay in the conversation.
func BrokenOff(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here: there may be several
	case *brokenOff:
		return append(BrokenOff(e.error), e.ids...)
	case interface{ Unwrap() error }:
		return BrokenOff(e.Unwrap())
	case interface{ Unwrap() []error }:
		var ids []string
		for _, inner := range e.Unwrap() {
			ids = append(ids, BrokenOff(inner)...)
		}
		return ids
	default:
		return nil
	}
}

// brokenOff adds to a turn's failure which of its messages are open.
func (t *Turn) brokenOff(err error) error {
	var ids []string
	t.run.Inspect(func(v *agui.View) {
		closed := map[string]bool{}
		for _, m := range v.Closed() {
			closed[m.ID] = true
		}
		for _, m := range v.Messages() {
			if m.SubagentRunID == t.out.SubagentRunID() && !closed[m.ID] && len(m.ToolCalls) == 0 {
				ids = append(ids, m.ID)
			}
		}
	})
	if ids == nil {
		return err
	}
	return &brokenOff{err, ids}
}
