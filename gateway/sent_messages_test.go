package gateway_test

import (
	"maps"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// Front ends that show a run as one message, as assistant-ui does, would show the later messages of a run twice if a
// snapshot followed them.
func TestSnapshotsMayBeForNewsOnly(t *testing.T) {
	t.Parallel()
	team := loadTeam(t, `version: 1
agents:
  two: { type: script, steps: [ { say: One. }, { say: Two. } ] }
  question: { type: script, steps: [ { say: One. }, { ask: { key: size, message: "Which?" } } ] }
  page: { type: script, steps: [ { say: One. }, { tool: { name: show_map } } ] }
`)
	w := newWorld(t, func(o *gateway.Options) { maps.Copy(o.Agents, team.Agents) })
	for _, test := range []struct {
		name, agent string
		messages    []string
		// whether one follows the last piece of a message; in any case the client has the thread at the end
		snapshot bool
	}{
		{"what was told is not restated", "two", []string{"u1:hi"}, false},
		{"nor before a question", "question", []string{"u1:hi"}, false},
		{"nor before a call of the page", "page", []string{"u1:hi"}, false},
		{"nor behind what the client lacks, which is shown", "two", []string{"u2:again"}, false},
		{"a thread is shown", "two", nil, true},
		{"what is withdrawn is taken back", "fails", []string{"u1:hi"}, true},
	} {
		r := w.post(test.agent+"?snapshots=news", input("t-"+test.agent, test.name, test.messages))
		restated := false
		for _, e := range r.events {
			switch e.(type) {
			case *agui.TextMessageEnd, *agui.ToolCallEnd:
				restated = false
			case *agui.MessagesSnapshot:
				restated = true
			}
		}
		if restated != test.snapshot {
			t.Errorf("%s: ends with a snapshot of the messages: %t, want %t:\n%s", test.name, restated, test.snapshot, r.lines(0))
		}
		r.equals(w.thread("t-" + test.agent))
	}
}
