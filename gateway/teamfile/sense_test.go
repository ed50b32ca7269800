package teamfile

import (
	"strings"
	"testing"
)

// TestWarningsOfTeams checks the warnings for valid files that probably contain a mistake.
func TestWarningsOfTeams(t *testing.T) {
	t.Parallel()
	chat := func(manager, more string) string {
		return "  desk:\n    type: groupchat\n    manager: " + manager + "\n    " + more + "\n    participants:\n" +
			"      - { name: a, type: script, steps: [ { say: x } ], result: /notes }\n      - { name: b, agent: " +
			"known }\n"
	}
	for _, tt := range []struct{ name, manager, more, want string }{
		{"a round robin without an end", "{ type: round_robin }", "closing: Bye.", "until 40 turns"},
		{"a round robin with an end", "{ type: round_robin }", "max_rounds: 4", ""},
		{"a round robin until", "{ type: round_robin }", "until: { present: /notes }", ""},
		{"rules without an end", "{ type: rules, rules: [ { when: { missing: /notes }, speaker: a } ], default: b " +
			"}", "closing: Bye.", "no rule and no default chooses done"},
		{"rules with an end", "{ type: rules, rules: [ { when: { missing: /notes }, speaker: a }, { when: { " +
			"present: /notes }, speaker: done } ], default: b }", "closing: Bye.", ""},
		{"a pointer that nothing writes", "{ type: rules, rules: [ { when: { not: { and: [ { missing: /note } ] } " +
			"}, speaker: a } , { when: { missing: /notes }, speaker: b } ], default: done }", "max_rounds: 4", "nothing in this file writes /note,"},
		{"a pointer that callers write", "{ type: rules, rules: [ { when: { missing: /note }, speaker: a }, { when: " +
			"{ missing: /notes }, speaker: b } ], default: done }", "state: { client: [ /note ] }", ""},
		{"a pointer of the initial state", "{ type: rules, rules: [ { when: { equals: { path: /note/x, value: 1 } " +
			"}, speaker: a }, { when: { missing: /notes }, speaker: b } ], default: done }", "state: { initial: { " +
			"note: { x: 1 } } }", ""},
		{"until of what nothing writes", "{ type: round_robin }", "until: { present: /note }", "nothing in this " +
			"file writes /note,"},
		{"a model that knows names only", "{ type: llm, model: m }", "max_rounds: 4", `is told nothing of "a" but its name`},
		{"a handoff that knows names only", "{ type: handoff, start: a }", "max_rounds: 4", `is told nothing of "a" but its name`},
	} {
		file := "version: 1\nmodels: { m: { base_url: \"http://127.0.0.1:1/v1\", model: x } }\nagents:\n  known: { " +
			"type: script, description: Knows, steps: [ { say: x } ] }\n" + chat(tt.manager, tt.more)
		team, err := parse("team.yaml", []byte(file), testOptions(testEnv))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var all []string
		for _, w := range team.Warnings {
			all = append(all, w.Text)
		}
		if len(all) > 1 || (len(all) == 1) != (tt.want != "") || !strings.Contains(strings.Join(all, "\n"), tt.want) {
			t.Errorf("%s: the warnings are %q, want %q", tt.name, all, tt.want)
		}
	}
}
