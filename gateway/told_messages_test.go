package gateway_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// Front ends that make one message of a run, as assistant-ui does, would show the later messages of a run twice if a snapshot followed them.
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
		snapshot    bool // whether one stands behind the last piece of a message
	}{
		{"what was told is not restated", "two", []string{"u1:hi"}, false},
		{"nor before a question", "question", []string{"u1:hi"}, false},
		{"nor before a call of the page", "page", []string{"u1:hi"}, false},
		{"nor in a thread of which the client knows a part", "two", []string{"u2:again"}, false},
		{"a thread is shown", "two", nil, true},
		{"what is withdrawn is taken back", "fails", []string{"u1:hi"}, true},
	} {
		_, stream := w.call(http.MethodPost, "/agents/"+test.agent+"?snapshots=news", input("t-"+test.agent, test.name, test.messages))
		end := max(0, strings.LastIndex(stream, `"type":"TEXT_MESSAGE_END"`), strings.LastIndex(stream, `"type":"TOOL_CALL_END"`))
		if got := strings.Contains(stream[end:], `"type":"MESSAGES_SNAPSHOT"`); got != test.snapshot {
			t.Errorf("%s: ends with a snapshot of the messages: %t, want %t:\n%s", test.name, got, test.snapshot, stream)
		}
	}
	_, stream := w.call(http.MethodPost, "/agents/two?snapshots=news", input("t-two", "new", []string{"u3:once more"}))
	if !strings.Contains(stream, `"messages":[{"id":"u1"`) {
		t.Errorf("a client that lacks messages is not shown them:\n%s", stream)
	}
}
