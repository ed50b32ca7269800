package groupchattest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

// Golden plays the conversation of a text file and compares each run with the file. The file is a txtar archive, with a
// description as comment, and by turns a person's messages and the results, as [Describe] writes them:
//
//	A person who changes her mind.
//	-- say --
//	Fly me to San Francisco
//	-- run --
//	agent asks airline: "Which airline?" ["KLM","United"]
//	ends: interrupt
//	-- answer --
//	airline: "KLM"
//	-- run --
//	agent: Booked with KLM.
//	ends: success
//
// The other sections that may be sent are approve and reject (names of tools, one a line), cancel (keys, one a line)
// and returns (results of the frontend's calls as answers are written). With the environment variable UPDATE_GOLDEN=1,
// or if the test binary has a flag called update that is set, the file is written anew.
func Golden(t modeltest.T, file string, agent groupchat.Agent, o Options) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	must(t, err)
	th := NewThread(t, agent, o)
	var run *Run
	var played []txtar.File
	calls := map[string]*called{}
	for _, section := range archive.Files {
		if section.Name == "run" {
			continue
		}
		run = th.send(section)
		played = append(played, section, txtar.File{Name: "run", Data: []byte(describe(run.Events, calls))})
	}
	got := string(txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: played}))
	if updates() {
		must(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	if want := string(txtar.Format(archive)); got != want {
		t.Errorf("%s: the conversation differs (- the file, + what happened):\n%s", file, modeltest.Diff(want, got))
	}
}

// updates reports whether golden files are to be written.
func updates() bool {
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		return true
	}
	return os.Getenv("UPDATE_GOLDEN") == "1"
}

func (th *Thread) send(section txtar.File) *Run {
	th.t.Helper()
	text := strings.TrimSpace(string(section.Data))
	switch section.Name {
	case "say":
		return th.Say(text)
	case "approve":
		return th.Approve(strings.Fields(text)...)
	case "reject":
		return th.Reject(strings.Fields(text)...)
	case "cancel":
		return th.Cancel(strings.Split(text, "\n")...)
	case "answer", "returns":
		answers, err := pairs(text)
		if err != nil {
			th.t.Fatalf("%s: %v", section.Name, err)
		}
		return th.Answer(answers)
	default:
		th.t.Fatalf("there is no section called %q; there are say, answer, approve, reject, cancel, returns and run",
			section.Name)
		return nil
	}
}

// pairs reads lines of "key: JSON".
func pairs(text string) (map[string]any, error) {
	all := map[string]any{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf("%q is not `key: JSON`", line)
		}
		var v any = json.RawMessage(value)
		if s := ""; json.Unmarshal([]byte(value), &s) == nil {
			v = s
		}
		all[key] = v
	}
	return all, nil
}
