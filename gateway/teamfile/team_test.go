package teamfile

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/history"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

var update = flag.Bool("update", false, "rewrite the expected halves of testdata")

// idle replaces the travel team, which this package does not import.
func idle(model.Model) groupchat.Agent {
	return groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error { return nil })
}

func testOptions(env map[string]string) Options {
	return Options{
		Env: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		Types: map[string]AgentType{"travel": idle},
		Tools: map[string]groupchat.Tool{
			"lookup": groupchat.NewTool("find", "Looks something up", func(context.Context, groupchat.ToolCall, struct {
				Word string `json:"word"`
			}) (string, error) {
				return "found", nil
			}),
			"mutate": groupchat.NewTurnTool("mutate", "Changes the state", func(_ context.Context, t *groupchat.Turn, _ groupchat.ToolCall, _ struct{}) (string, error) {
				return "changed", t.State().Set("/b", "changed")
			}),
			"broken": {Name: "broken"},
		},
		Providers: map[string]model.Provider{"parrot": openParrot, "mute": openMute, "clumsy": openClumsy},
	}
}

// TestTeamFiles reads each file of testdata and compares its agents, or its mistakes, with the
// file's last part.
func TestTeamFiles(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("Glob() = %v, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testTeamFile(t, path)
		})
	}
}

func testTeamFile(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	env := map[string]string{}
	for line := range strings.Lines(part("env")) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	team, err := parse("team.yaml", []byte(part("team.yaml")), testOptions(env))
	var got string
	if err != nil {
		var bad *Error
		if !errors.As(err, &bad) {
			t.Fatalf("parse() error = %v, want a *Error", err)
		}
		got = err.Error() + "\n"
	} else {
		got = describeTeam(team)
	}
	if err != nil && strings.Contains(got, "hush") {
		t.Errorf("parse() error quotes a secret:\n%s", got)
	}
	if *update {
		archive.Files[len(archive.Files)-1].Data = []byte(got)
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(part("want"), got); diff != "" {
		t.Errorf("parse() (-want +got):\n%s", diff)
	}
}

// describeTeam writes down everything a team file can say.
func describeTeam(team *Team) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(merged(team.Agents, team.Unserved))) {
		if agent := team.Unserved[name]; agent != nil {
			fmt.Fprintf(&b, "%s: not served\n", name)
			describeAgent(&b, "  ", agent)
			continue
		}
		o := team.Options[name]
		fmt.Fprintf(&b, "%s: %q edits=%t disconnect=%q busy=%q", name, o.Description, o.Edits, o.Disconnect, o.OnBusy)
		if len(o.Allow) > 0 {
			fmt.Fprintf(&b, " allow=%q", o.Allow)
		}
		if o.SubagentEvents != "" {
			fmt.Fprintf(&b, " subagents=%s", o.SubagentEvents)
		}
		fmt.Fprintf(&b, " ttl=%s timeout=%s\n", o.InterruptTTL, o.RunTimeout)
		describeAgent(&b, "  ", team.Agents[name])
	}
	return b.String()
}

// merged returns the union of all.
func merged(all ...map[string]groupchat.Agent) map[string]groupchat.Agent {
	in := map[string]groupchat.Agent{}
	for _, one := range all {
		maps.Copy(in, one)
	}
	return in
}

func describeAgent(b *strings.Builder, indent string, agent groupchat.Agent) {
	switch a := agent.(type) {
	case *groupchat.Chat:
		fmt.Fprintf(b, "%srounds=%d closing=%q reducers=%v client=%v initial=%s", indent, a.MaxRounds, a.Closing,
			slices.Sorted(maps.Keys(a.State.Reducers)), a.State.Client, a.State.Initial)
		describeHistory(b, a.History)
		fmt.Fprintln(b)
		for _, p := range a.Participants {
			fmt.Fprintf(b, "%s- %s: %q last=%t retries=%d skip=%t scope=%q in=%v out=%v reducers=%v "+
				"writes=%q\n", indent, p.Name, p.Description,
				p.Context.Last, p.OnError.Retries, p.OnError.Skip, p.Scope.Kind, p.Scope.Mapping.In, p.Scope.Mapping.Out,
				slices.Sorted(maps.Keys(p.Scope.Mapping.Reducers)), p.Writes)
			describeAgent(b, indent+"  ", p.Agent)
		}
	case *groupchat.Concurrent:
		fmt.Fprintf(b, "%sat once\n", indent)
		for _, p := range a.Participants {
			fmt.Fprintf(b, "%s- %s\n", indent, p.Name)
			describeAgent(b, indent+"  ", p.Agent)
		}
	case *groupchat.LLM:
		fmt.Fprintf(b, "%s%v %q sees=%q sources=%d frontend=%t steps=%d tool timeout=%s approve=%v", indent, a.Model, a.Instructions, a.Sees,
			len(a.Sources), !a.NoFrontendTools, a.MaxSteps, a.ToolTimeout, a.Approve)
		if a.MaxResult > 0 {
			fmt.Fprintf(b, " result=%d", a.MaxResult)
		}
		describeHistory(b, a.History)
		if o := a.Output; o != nil {
			fmt.Fprintf(b, " schema=%s strict=%t store=%q say=%t", o.Schema, o.Strict, o.Store, o.Say)
		}
		fmt.Fprintln(b)
		for i := range a.Tools {
			fmt.Fprintf(b, "%s  tool %s: %q approve=%q", indent, a.Tools[i].Name, a.Tools[i].Description, a.Tools[i].Approve)
			if t := a.Tools[i]; t.SourceName != "" || t.Timeout > 0 || t.Retry != (tools.Retry{}) {
				fmt.Fprintf(b, " of %q timeout=%s retry=%v", t.SourceName, t.Timeout, t.Retry)
			}
			fmt.Fprintln(b)
		}
	case *groupchat.Remote:
		fmt.Fprintf(b, "%sremote %q forwards %q\n", indent, a.Describe().Description, a.Forwards())
	case *script.Agent:
		for _, s := range a.Steps {
			step, err := json.Marshal(s)
			fmt.Fprintf(b, "%s- %s %v\n", indent, step, err)
		}
	default:
		fmt.Fprintf(b, "%sanother agent %T\n", indent, a)
	}
}

func describeHistory(b *strings.Builder, h *history.Policy) {
	if h != nil {
		fmt.Fprintf(b, " history={turns=%d tokens=%d %q first=%d last=%d %v}", h.Turns, h.Tokens, h.Strategy, h.KeepFirst, h.KeepLast, h.Model)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "none.yaml"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load() of no file: error = %v, want fs.ErrNotExist", err)
	}
	path := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nagents: { a: { type: travel } }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, Options{})
	if want := path + ":2:22: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Load() error = %v, want it to begin with %s", err, want)
	}
	if _, err := Load(path, testOptions(nil)); err != nil {
		t.Errorf("Load() with the type error = %v, want nil", err)
	}
}

func TestTeamBytes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, want string }{
		{"not UTF-8", "version: 1\nagénts: \xff\n", "t:2:9: not UTF-8 text"},
		{"too large", strings.Repeat("#", maxBytes+1), "t:1:1: the file is larger"},
		{"too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), "t:1:66: more than"},
		{"nothing", "", "t:1:1: the file is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse("t", []byte(tt.data), Options{})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("parse() error = %v, want one that begins with %q", err, tt.want)
			}
		})
	}
}

// FuzzTeam wants any bytes to be a team that validates, or problems that say where they are.
func FuzzTeam(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "team.yaml" {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		team, err := parse("team.yaml", data, testOptions(map[string]string{"SET": "8", "EMPTY": ""}))
		if err == nil {
			if len(team.Agents) == 0 || len(team.Agents) != len(team.Options) {
				t.Errorf("parse() = %d agents, %d options", len(team.Agents), len(team.Options))
			}
			return
		}
		var bad *Error
		if !errors.As(err, &bad) || len(bad.Problems) == 0 {
			t.Fatalf("parse() error = %v, want a *Error with problems", err)
		}
		for _, p := range bad.Problems {
			if p.Line < 1 || p.Column < 1 || p.Text == "" {
				t.Errorf("problem %+v is nowhere or says nothing", p)
			}
		}
	})
}

// TestParts has what a file's agents have elsewhere, each with its line, and the tools that they name of a server once.
func TestParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte(`version: 1
models: { fast: { base_url: "http://127.0.0.1:1/v1", model: m } }
mcp: { search: { url: "http://127.0.0.1:1/mcp" }, files: { url: "http://127.0.0.1:1/files" } }
agents:
  far: { type: agui, url: "http://127.0.0.1:1/agent" }
  one: { type: llm, model: fast, tools: [ { mcp: search, only: [ find, read ] } ] }
  two: { type: llm, model: fast, tools: [ { mcp: search, only: [ find ] }, { mcp: files } ] }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := Load(path, Options{Model: openai.Options{BaseURL: "http://127.0.0.1:2/v1", Name: "d"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range team.Parts.Models {
		got = append(got, fmt.Sprint("model ", m.Name, " ", m.Line))
	}
	for _, s := range team.Parts.Servers {
		got = append(got, fmt.Sprint("mcp ", s.Name, " ", s.Line, " ", s.Tools))
	}
	for _, r := range team.Parts.Remotes {
		got = append(got, fmt.Sprint("remote ", r.Name, " ", r.Line, " ", r.Remote))
	}
	if want := []string{"model default 0", "model fast 2", "mcp files 3 []", "mcp search 3 [find read]", "remote far 5 http://127.0.0.1:1/agent"}; !slices.Equal(got, want) {
		t.Errorf("Parts are %q, want %q", got, want)
	}
	if err := team.Close(); err != nil {
		t.Error(err)
	}
}
