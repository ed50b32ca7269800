package teamtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// toUpdate is a conversation with expectations that do not hold, beside some that do.
const toUpdate = `-- team.yaml --
version: 1
models: { default: { base_url: "http://127.0.0.1:1", model: m } }
agents:
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: clerk, type: llm, frontend_tools: on }
      - { name: writer, type: script, steps: [ { say: "It is: \"red\"." }, { ask: { key: tone, message: "Which tone?", options: [ dry, 2 ] } }, { set: { path: "/a b", value: { x: 1 } } } ] }
-- x_test.yaml --
# A comment stays.
team: team.yaml
models: { default: { replies: [ { calls: [ { name: colour, arguments: { of: page } } ] }, "Thanks." ] } }
tools: [ { name: colour } ]
conversation:
  - user: What colour?   # and this one
  - expect: {}
  - returns: { colour: red }

  - expect:
      says:
        - { speaker: clerk, matches: "^Th" }
        - { speaker: writer, text: It is green. }
      asks: { key: mood, message: Which mood? }
      ends: done
  # Before the last.
  - answer: { tone: dry }
  - expect:
      speaker: writer
      state: { "/a b": 7 }
  - expect: { ends: done }
`

const updated = `# A comment stays.
team: team.yaml
models: { default: { replies: [ { calls: [ { name: colour, arguments: { of: page } } ] }, "Thanks." ] } }
tools: [ { name: colour } ]
conversation:
  - user: What colour?   # and this one
  - expect:
      calls:
        - { name: "colour", arguments: {"of":"page"} }
      ends: calls
  - returns: { colour: red }

  - expect:
      says:
        - { speaker: "clerk", matches: "^Th" }
        - { speaker: "writer", text: "It is: \"red\"." }
      asks:
        - { key: "tone", message: "Which tone?", options: ["dry",2] }
      ends: asks
  # Before the last.
  - answer: { tone: dry }
  - expect:
      says: []
      state:
        "/a b": {"x":1}
  - expect: { ends: done }
`

func TestUpdateWritesWhatCame(t *testing.T) {
	t.Parallel()
	dir := unpack(t, txtar.Parse([]byte(toUpdate)))
	if got := report(t, dir, Options{}); !strings.HasPrefix(got, "FAIL") {
		t.Errorf("before it is updated it passes:\n%s", got)
	}
	if got := report(t, dir, Options{Update: true}); got != "ok    x_test.yaml (3 runs), rewritten\n" {
		t.Errorf("updating tells\n%s", got)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "x_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(raw); got != updated {
		t.Errorf("the file has become something else:\n%s", modeltest.Diff(updated, got))
	}
	for range 2 {
		if got := report(t, dir, Options{Update: true}); got != "ok    x_test.yaml (3 runs)\n" {
			t.Errorf("updated again, it tells\n%s", got)
		}
	}
}

func TestUpdateLeavesAloneWhatItCannotRewrite(t *testing.T) {
	t.Parallel()
	flow := strings.Replace(toUpdate[:strings.Index(toUpdate, "conversation:")], "\n# A comment stays.", "\n", 1) +
		"conversation: [ { user: Hi }, { expect: { ends: done } } ]\n"
	dir := unpack(t, txtar.Parse([]byte(flow)))
	got := report(t, dir, Options{Update: true})
	if !strings.Contains(got, "expectations are rewritten only where each step is a line") {
		t.Errorf("updating tells\n%s", got)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "x_test.yaml"))
	if err != nil || !strings.HasSuffix(string(raw), "{ ends: done } } ]\n") {
		t.Errorf("the file has become\n%s%v", raw, err)
	}
}
