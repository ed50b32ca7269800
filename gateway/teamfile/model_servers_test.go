package teamfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

const (
	modelsPage   = "../../docs/models.md"
	modelReplays = "testdata/models"
)

// TestModelServers asks the models of docs/models.md, each of which is answered as the documentation of its server has
// it. The replays were written for this test and not recorded. -update writes the expected results.
func TestModelServers(t *testing.T) {
	t.Parallel()
	for name := range modelEntries(t) {
		archive, err := txtar.ParseFile(filepath.Join(modelReplays, name+".txtar"))
		if err != nil {
			t.Errorf("a server of %s is not held by a replay: %v", modelsPage, err)
			continue
		}
		replay := newModelReplay(t, name, archive)
		t.Run(name, func(t *testing.T) {
			for _, s := range replay.scenes {
				t.Run(s.name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { // servers that are away are asked again after a wait
						got := s.play(t, name)
						if diff := cmp.Diff(s.want, got); diff != "" && !*update {
							t.Errorf("(-want +got):\n%s", diff)
						}
						s.want = got
					})
				})
			}
			replay.update(t)
		})
	}
}

// TestModelServersAreOnThePage holds the table, the entries and the replays to each other.
func TestModelServersAreOnThePage(t *testing.T) {
	t.Parallel()
	page := readPage(t)
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| `gateway/teamfile.TestModelServers/([^`]+)` "+
		"\\|$").FindAllStringSubmatch(page, -1) {
		if row[1] != row[2] {
			t.Errorf("the row of %s names the test of %s", row[1], row[2])
		}
		rows = append(rows, row[1])
	}
	if all := strings.Count(page, "\n| `"); all != len(rows) {
		t.Errorf("%d rows, %d of which name a test", all, len(rows))
	}
	slices.Sort(rows)
	var files []string
	paths, err := filepath.Glob(filepath.Join(modelReplays, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		files = append(files, strings.TrimSuffix(filepath.Base(path), ".txtar"))
	}
	slices.Sort(files)
	entries := slices.Sorted(maps.Keys(modelEntries(t)))
	if diff := cmp.Diff(rows, entries); diff != "" {
		t.Errorf("rows and entries (-rows +entries):\n%s", diff)
	}
	if diff := cmp.Diff(rows, files); diff != "" {
		t.Errorf("rows and replays (-rows +replays):\n%s", diff)
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(modelsPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// modelEntries are the models of the page's first block.
func modelEntries(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, part := range loadModels(t, nil).Parts.Models {
		names[part.Name] = true
	}
	if len(names) == 0 {
		t.Fatal("the page has no models")
	}
	return names
}

// loadModels reads the models of the page, which then ask by transport.
func loadModels(t *testing.T, transport http.RoundTripper) *Team {
	t.Helper()
	_, block, _ := strings.Cut(readPage(t), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	file := "version: 1\n" + block + "agents: { a: { type: script, steps: [ say: hello ] } }\n"
	team, err := parse("models.yaml", []byte(file), Options{
		Env: func(name string) (string, bool) {
			if name == "AWS_REGION" {
				return "eu-central-1", true
			}
			return "key-0123456789", true
		},
		Model: openai.Options{HTTP: &http.Client{Transport: transport}},
	})
	if err != nil {
		t.Fatalf("%s: %v", modelsPage, err)
	}
	return team
}

// A modelReplay is what one server answers, scene by scene.
type modelReplay struct {
	name    string
	archive *txtar.Archive
	scenes  []*modelScene
}

// A modelScene is one conversation with a server.
type modelScene struct {
	name         string
	ask          string
	odd          openaitest.Odd
	answers      []openaitest.Answer
	sends, lacks []string
	want         string
}

func newModelReplay(t *testing.T, name string, archive *txtar.Archive) *modelReplay {
	t.Helper()
	r := &modelReplay{name: name, archive: archive}
	if !strings.Contains(string(archive.Comment), "Written after its documentation, not recorded:\nhttps://") {
		t.Errorf("%s does not say where it comes from", name)
	}
	for _, file := range archive.Files {
		scene, part, inner := strings.Cut(file.Name, "/")
		if !inner {
			r.scenes = append(r.scenes, &modelScene{name: scene})
		}
		s := r.scenes[len(r.scenes)-1]
		switch {
		case s.name != scene:
			t.Fatalf("%s: %s belongs to no scene", name, file.Name)
		case !inner:
			s.describe(t, string(file.Data))
		case part == "want":
			s.want = string(file.Data)
		default:
			s.answers = append(s.answers, sceneAnswer(string(file.Data)))
		}
	}
	return r
}

// describe reads what a scene is about, a word and what belongs to it in each line.
func (s *modelScene) describe(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ask":
			s.ask = rest
		case "refuses":
			s.odd.Refuses = append(s.odd.Refuses, rest)
		case "wants":
			s.odd.Wants = rest
		case "status":
			status, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatal(err)
			}
			s.odd.Status = status
		case "sends":
			s.sends = append(s.sends, rest)
		case "lacks":
			s.lacks = append(s.lacks, rest)
		case "note":
		default:
			t.Fatalf("scene %s: what is %q?", s.name, line)
		}
	}
}

// sceneAnswer is an answer, or a refusal with its status in the first line.
func sceneAnswer(text string) openaitest.Answer {
	if rest, ok := strings.CutPrefix(text, "status "); ok {
		number, body, _ := strings.Cut(rest, "\n")
		status, _ := strconv.Atoi(number)
		return openaitest.Answer{Status: status, Body: body}
	}
	return openaitest.Answer{Body: text}
}

// An inMemory client has its requests answered by a handler, and keeps where they went.
type inMemory struct {
	handler http.Handler
	mu      sync.Mutex
	asked   []string
}

func (m *inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r.Method+" "+r.URL.String())
	m.mu.Unlock()
	if r.Header.Get("Authorization") == "" && r.Header.Get("Api-Key") == "" && !strings.HasPrefix(r.URL.Host, "127.0.0.1") {
		return nil, fmt.Errorf("no key was sent to %s", r.URL)
	}
	answer := httptest.NewRecorder()
	m.handler.ServeHTTP(answer, r)
	response := answer.Result()
	response.Request = r
	return response, nil
}

// play plays the conversation and returns its result in lines.
func (s *modelScene) play(t *testing.T, name string) string {
	t.Helper()
	s.odd.Next = openaitest.Serve(s.answers...)
	transport := &inMemory{handler: &s.odd}
	var m model.Model
	for _, part := range loadModels(t, transport).Parts.Models {
		if part.Name == name {
			m = part.Model
		}
	}
	r := model.Request{Messages: []model.Message{{Role: agui.RoleSystem, Text: "Be brief."}, {Role: agui.RoleUser, Text: "How is Oslo?"}}}
	switch s.ask {
	case "tools":
		r.Tools = []model.Tool{{Name: "forecast", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}}
	case "schema":
		r.Schema = json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}},"additionalProperties":false}`)
		r.SchemaName, r.Strict = "place", true
	case "hello":
	default:
		t.Fatalf("scene %s asks for %q", s.name, s.ask)
	}
	var told []string
	for {
		reply, err := m.Stream(t.Context(), r, model.Deltas{})
		told = tell(told, reply, err)
		if err != nil || len(reply.Calls) == 0 {
			break
		}
		r.Messages = append(r.Messages, model.Message{
			Role: agui.RoleAssistant, Text: reply.Words(), Reasoning: reply.Reasoning, Opaque: reply.Opaque, Calls: reply.Calls,
		})
		for _, c := range reply.Calls {
			r.Messages = append(r.Messages, model.Message{Role: agui.RoleTool, CallID: c.ID, Text: "It rains."})
		}
	}
	accepted := s.odd.Accepted()
	for _, want := range s.sends {
		if !strings.Contains(accepted[len(accepted)-1], want) {
			t.Errorf("it was sent %s, want %s in it", accepted[len(accepted)-1], want)
		}
	}
	for _, member := range s.lacks {
		if strings.Contains(accepted[len(accepted)-1], member) {
			t.Errorf("it was sent %s, want no %s in it", accepted[len(accepted)-1], member)
		}
	}
	told = append(told, fmt.Sprintf("asked %d times at %s\n", len(transport.asked), transport.asked[0]))
	return strings.Join(told, "\n")
}

// tell adds the result of a call.
func tell(told []string, reply model.Reply, err error) []string {
	say := func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }
	for _, said := range []struct{ what, text string }{{"reasoning", reply.Reasoning}, {"text", reply.Text}, {"refusal", reply.Refusal}} {
		if said.text != "" {
			say("%s %q", said.what, said.text)
		}
	}
	for _, c := range reply.Calls {
		say("call %s %s", c.Name, c.Arguments)
	}
	for _, n := range []struct {
		what  string
		count *int64
	}{{"input", reply.Usage.InputTokens}, {"cached", reply.Usage.CachedInputTokens}, {"output", reply.Usage.OutputTokens}, {"thought", reply.Usage.ReasoningTokens}} {
		if n.count != nil {
			say("%s %d tokens", n.what, *n.count)
		}
	}
	if err != nil {
		say("fails with %s", errcode.Of(err))
	} else {
		say("ends with %s", reply.Finish)
	}
	return told
}

// update writes the results of the scenes, with -update.
func (r *modelReplay) update(t *testing.T) {
	t.Helper()
	if !*update {
		return
	}
	for i := range r.archive.Files {
		scene, part, _ := strings.Cut(r.archive.Files[i].Name, "/")
		for _, s := range r.scenes {
			if part == "want" && s.name == scene {
				r.archive.Files[i].Data = []byte(s.want)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(modelReplays, r.name+".txtar"), txtar.Format(r.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
