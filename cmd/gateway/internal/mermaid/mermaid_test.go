package mermaid_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/mermaid"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

func model(name string) profile.Info {
	return profile.Info{Name: name, Structure: profile.Structure{Kind: profile.KindModel}}
}

func chat(name, manager, supervisor string, parts ...profile.Info) profile.Info {
	return profile.Info{Name: name, Participants: parts, Structure: profile.Structure{Kind: profile.KindChat, Manager: manager, Supervisor: supervisor}}
}

func ExampleFlowchart() {
	fmt.Print(mermaid.Flowchart(chat("desk", "llm", "supervisor", model("researcher"), model("writer"))))
	// Output:
	// flowchart TD
	//     subgraph t1["desk"]
	//         s2{{"supervisor<br/>by a model"}}
	//         a3["researcher<br/>model"]
	//         a4["writer<br/>model"]
	//     end
	//     s2 --> a3
	//     s2 --> a4
}

// arrows are the arrows of a chart, with the names that stand at their ends.
func arrows(chart string) string {
	names := map[string]string{}
	var found []string
	for line := range strings.Lines(chart) {
		line = strings.TrimSpace(line)
		if from, to, ok := strings.Cut(line, " --> "); ok {
			found = append(found, names[from]+">"+names[to])
			continue
		}
		if from, to, ok := strings.Cut(line, " -.-> "); ok {
			found = append(found, names[from]+"..>"+names[to])
			continue
		}
		line = strings.TrimPrefix(line, "subgraph ")
		if id, label, ok := strings.Cut(line, `"`); ok {
			label, _, _ = strings.Cut(label, `"`)
			label, _, _ = strings.Cut(label, "<br/>")
			names[strings.TrimRight(id, "[({")] = label
		}
	}
	return strings.Join(found, " ")
}

func TestArrows(t *testing.T) {
	handing := func(name string, to ...string) profile.Info {
		info := model(name)
		info.HandsOverTo = to
		return info
	}
	triage := chat("support", "handoff", "", handing("triage", "billing", "nobody"), handing("billing", "triage"))
	triage.Start = "triage"
	asking := model("lead")
	asking.Participants = []profile.Info{model("helper")}
	fan := profile.Info{Name: "all", Participants: []profile.Info{model("a"), model("b")}, Structure: profile.Structure{Kind: profile.KindConcurrent}}
	for name, test := range map[string]struct {
		team profile.Info
		want string
	}{
		"a supervisor leads to everybody":                      {chat("desk", "rules", "boss", model("a"), model("b")), "boss>a boss>b"},
		"in order, one after the other":                        {chat("desk", "sequential", "boss", model("a"), model("b"), model("c")), "boss>a a>b b>c"},
		"in turn, the last leads to the first":                 {chat("desk", "round_robin", "boss", model("a"), model("b")), "boss>a a>b b>a"},
		"handoffs lead to those who are there, and one begins": {triage, " >triage triage>billing billing>triage"},
		"an agent that is a tool":                              {asking, "lead..>helper"},
		"at the same time nobody comes after anybody":          {fan, ""},
		"a team in a team":                                     {chat("desk", "llm", "boss", chat("inner", "llm", "chief", model("a")), model("b")), "chief>a boss>inner boss>b"},
		"two of one name":                                      {chat("desk", "llm", "boss", chat("inner", "llm", "chief", model("a")), model("a")), "chief>a boss>inner boss>a"},
		"an agent of a program":                                {profile.Info{Name: "own"}, ""},
	} {
		if got := arrows(mermaid.Flowchart(test.team)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestNamesAreText(t *testing.T) {
	chart := mermaid.Flowchart(model("a\"] --> b; <script> `**x**` & #35; end \\ \n"))
	for line := range strings.Lines(chart) {
		if strings.Count(line, `"`)%2 != 0 || strings.ContainsAny(line, "`&\\") || strings.Contains(line, "<script") || strings.Contains(line, "; <") {
			t.Errorf("the name breaks out: %s", line)
		}
	}
	if lines := strings.Count(chart, "\n"); lines != 2 {
		t.Errorf("%d lines, want 2: %s", lines, chart)
	}
}
