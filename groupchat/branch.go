package groupchat

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// An OutputMode says what becomes of what an agent says that works inside another's turn.
type OutputMode string

// What becomes of an agent's words.
const (
	OutputBoth    OutputMode = ""        // they are shown as they are said, and are part of the conversation
	OutputDirect  OutputMode = "direct"  // they are shown as they are said, but nobody else in the team sees them
	OutputHistory OutputMode = "history" // only its last words are shown, when it is done, and are part of the conversation
	OutputNone    OutputMode = "none"    // nothing is shown: who invoked it gets its words
)

// ownConversation reports whether the agent works in a conversation of its own, which no client is shown.
func (o OutputMode) ownConversation() bool { return o == OutputHistory || o == OutputNone }

func (o OutputMode) known() bool {
	return o == OutputBoth || o == OutputDirect || o == OutputHistory || o == OutputNone
}

// A branch is a conversation of its own. What is said in it nobody outside sees; a record keeps it over a pause.
type branch struct {
	run   *agui.Run
	given int // of its messages, those it began with
}

// branch makes a conversation that begins with given and goes on with kept.
func (x *execution) branch(given, kept []Message) (*branch, error) {
	run := agui.NewRun(agui.RunOptions{
		ThreadID: x.Input.ThreadID, RunID: x.Input.RunID, NewID: x.NewID,
		View: agui.NewView(slices.Concat(given, kept), nil),
		Sink: func(agui.Event, []byte) error { return nil },
	})
	return &branch{run, len(messages(run)) - len(kept)}, run.Start(&agui.RunStarted{})
}

// said are the messages since it began.
func (b *branch) said() []Message {
	all := messages(b.run)
	return all[min(b.given, len(all)):]
}

// messages is the conversation of run so far.
func messages(run *agui.Run) []Message {
	var all []Message
	run.Inspect(func(v *agui.View) { all = v.Messages() })
	return all
}

// useBranch lets t speak in a conversation of its own from now on, which begins with given and is kept in the record's
// field. What it calls and asks it does where it was, for that concerns people.
func (t *Turn) useBranch(given []Message, kept *[]Message) (*checkpointHook, error) {
	t.x.mu.Lock()
	before := *kept
	t.x.mu.Unlock()
	b, err := t.x.branch(given, before)
	if err != nil {
		return nil, err
	}
	t.run, t.out = b.run, b.run.As("")
	if id := t.record.SubagentRunID; id != "" {
		t.out = b.run.Subagent(agui.SubagentStarted{SubagentRunID: id, Name: t.name()}).Writer
	}
	return t.x.addHook(func() { *kept = b.said() }), nil
}

// visible leaves out of messages what nobody at path is to see.
func visible(messages []Message, path string) []Message {
	hidden := func(m Message) bool {
		to := markOf(m).Direct
		return to != "" && path != to && !strings.HasPrefix(path, to+".")
	}
	if !slices.ContainsFunc(messages, hidden) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), hidden)
}
