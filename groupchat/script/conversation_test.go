package script

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/condition"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/state/document"
)

var update = flag.Bool("update", false, "rewrite the events of the conversations in testdata")

// TestConversations plays the conversations in testdata: a chat, then by turns what a client sends and the events it
// gets. An input's lines are "user TEXT", "answer KEY JSON", "cancel KEY" and "result TOOL TEXT".
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, file)
		})
	}
}

func play(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	var r *groupchattest.Thread
	var out *groupchattest.Run
	for i, section := range archive.Files {
		switch section.Name {
		case "chat":
			var member testMember
			dec := json.NewDecoder(strings.NewReader(string(section.Data)))
			dec.DisallowUnknownFields()
			must(t, dec.Decode(&member))
			r = newThread(t, member.agent())
		case "input":
			out = send(t, r, strings.Split(strings.TrimSpace(string(section.Data)), "\n"))
		case "events":
			var lines []string
			for _, e := range out.Events {
				lines = append(lines, groupchattest.Line(e))
			}
			got := strings.Join(lines, "\n") + "\n"
			if !*update {
				equal(t, fmt.Sprintf("section %d", i), strings.Split(got, "\n"), strings.Split(string(section.Data), "\n"))
			}
			archive.Files[i].Data = []byte(got)
		default:
			t.Fatalf("%s: unknown section %q", file, section.Name)
		}
	}
	if *update {
		must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
}

// send plays one request.
func send(t *testing.T, r *groupchattest.Thread, lines []string) *groupchattest.Run {
	t.Helper()
	all := map[string]any{}
	for _, l := range lines {
		verb, rest, _ := strings.Cut(l, " ")
		key, value, _ := strings.Cut(rest, " ")
		switch verb {
		case "user":
			return r.Say(rest)
		case "answer":
			all[key] = json.RawMessage(value)
		case "cancel":
			all[key] = ask.Answer{Cancelled: true}
		case "result":
			all[key] = value
		default:
			t.Fatalf("unknown input %q", l)
		}
	}
	return r.Answer(all)
}

// A testMember is an agent as conversations spell it: a script, or a chat.
type testMember struct {
	Name         string              `json:"name"`
	Steps        []testStep          `json:"steps"`
	Participants []testMember        `json:"participants"`
	Manager      string              `json:"manager"` // round_robin, sequential, or rules
	Rules        [][2]string         `json:"rules"`   // missing pointer, speaker
	MaxRounds    int                 `json:"max_rounds"`
	Closing      string              `json:"closing"`
	Skip         bool                `json:"skip"`
	Scope        groupchat.ScopeKind `json:"scope"`
	Mapping      *document.Mapping   `json:"mapping"`
}

type testStep struct {
	Say     string `json:"say"`
	Ask     *Ask   `json:"ask"`
	AskMany []Ask  `json:"ask_many"`
	Set     *Set   `json:"set"`
	Tool    *Tool  `json:"tool"`
	Fail    *Fail  `json:"fail"`
}

func (m *testMember) agent() groupchat.Agent {
	if m.Participants == nil {
		s := &Agent{}
		for _, step := range m.Steps {
			s.Steps = append(s.Steps, Step{Say: step.Say, Ask: step.Ask, AskMany: step.AskMany, Set: step.Set, Tool: step.Tool, Fail: step.Fail})
		}
		return s
	}
	c := &groupchat.Chat{MaxRounds: m.MaxRounds, Closing: m.Closing}
	switch m.Manager {
	case "round_robin":
		c.Manager = groupchat.RoundRobin()
	case "sequential":
		c.Manager = groupchat.Sequential()
	default:
		var rules []groupchat.Rule
		for _, r := range m.Rules {
			rules = append(rules, groupchat.Rule{When: condition.Missing(r[0]), Speaker: r[1]})
		}
		c.Manager = groupchat.Rules(groupchat.Done, rules...)
	}
	for _, member := range m.Participants {
		p := groupchat.Participant{Name: member.Name, Agent: member.agent(), OnError: failure.Policy{Skip: member.Skip}, Scope: groupchat.Scoping{Kind: member.Scope}}
		if member.Mapping != nil {
			p.Scope.Mapping = *member.Mapping
		}
		c.Participants = append(c.Participants, p)
	}
	return c
}
