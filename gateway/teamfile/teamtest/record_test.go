package teamtest

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

const toRecord = `-- team.yaml --
version: 1
agents:
  desk:
    type: groupchat
    manager: { type: sequential }
    participants: [ { name: clerk, type: llm, instructions: "Keep s3cret-prompt." }, { name: writer, type: llm } ]
-- x_test.yaml --
team: team.yaml
models: { default: { recorded: replies.json } }
conversation:
  - user: What colour is s3cret-question?
  - expect: { says: [ { speaker: clerk, text: Red. }, { speaker: writer, text: Blue. } ], ends: done }
`

func TestRecordedRepliesAreThoseOfTheRealModel(t *testing.T) {
	t.Parallel()
	answers := openaitest.Serve(openaitest.Text("Red."), openaitest.Text("Blue."))
	server := httptest.NewServer(answers)
	defer server.Close()
	dir := unpack(t, txtar.Parse([]byte(toRecord)))
	load := teamfile.Options{Model: openai.Options{BaseURL: server.URL, Name: "mock", Key: "s3cret-key"}}
	want := "ok    x_test.yaml (1 runs), recorded replies.json\n"
	if got := report(t, dir, Options{Load: load, Record: true}); got != want {
		t.Errorf("recording tells\n%s", got)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "replies.json"))
	if err != nil || !strings.Contains(string(raw), `"for": "writer"`) || strings.Contains(string(raw), "s3cret") {
		t.Errorf("the recording is %s, %v", raw, err)
	}
	asked := len(answers.Requests())
	if got := report(t, dir, Options{}); got != "ok    x_test.yaml (1 runs)\n" || len(answers.Requests()) != asked {
		t.Errorf("played from the recording, with %d requests more, it tells\n%s", len(answers.Requests())-asked, got)
	}
	if err := os.WriteFile(filepath.Join(dir, "replies.json"), []byte(`{"version":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := report(t, dir, Options{}); !strings.Contains(got, "no recording that this version reads") {
		t.Errorf("of another version it tells\n%s", got)
	}
}

func TestRecordingIsBounded(t *testing.T) {
	t.Parallel()
	r := &recorder{file: filepath.Join(t.TempDir(), "x.json"), replies: make([]recordedReply, maxRecorded)}
	if err := r.write(); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("write() of too many = %v", err)
	}
	r.replies = []recordedReply{{Text: strings.Repeat("x", maxFile)}}
	if err := r.write(); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("write() of too much = %v", err)
	}
	big := filepath.Join(t.TempDir(), "big_test.yaml")
	if err := os.WriteFile(big, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := report(t, filepath.Dir(big), Options{}); !strings.Contains(got, "larger than 1 MiB") {
		t.Errorf("of a large file it tells\n%s", got)
	}
}

func TestRunFindsConversations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/x_test.yaml", "b_test.yml", "team.yaml", ".git/y_test.yaml", "node_modules/z_test.yaml"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("conversation: [ { "+
			"user: Hi } ]"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	results, err := Run(t.Context(), dir, Options{Parallel: 1})
	if err != nil || len(results) != 2 || !strings.Contains(results[0].Problems[0].String(), "x_test.yaml:1:1: no "+
		"team is named") {
		t.Errorf("Run() = %+v, %v", results, err)
	}
	if results, err = Run(t.Context(), dir, Options{Only: regexp.MustCompile("^.*/b_")}); err != nil || len(results) != 1 {
		t.Errorf("Run() of one = %+v, %v", results, err)
	}
	if results, err = Run(t.Context(), filepath.Join(dir, "team.yaml"), Options{}); err != nil || len(results) != 1 {
		t.Errorf("Run() of a file = %+v, %v", results, err)
	}
	if _, err = Run(t.Context(), dir, Options{Only: regexp.MustCompile("nothing")}); !errors.Is(err, ErrNone) {
		t.Errorf("Run() of none = %v", err)
	}
	if _, err = Run(t.Context(), filepath.Join(dir, "away"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Run() of what is not there = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := unpack(t, txtar.Parse([]byte(toUpdate)))
	if results, err = Run(ctx, stopped, Options{}); err != nil || results[0].OK() {
		t.Errorf("Run() that is stopped = %+v, %v", results[0], err)
	}
}
