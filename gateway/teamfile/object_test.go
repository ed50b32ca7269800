package teamfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat/thread"
)

func TestFieldsOfAQuestionAreInTheFilesOrder(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"street":{"type":"string"},"country":{"enum":["NL","DE"]},"age":{"type":"integer"}}}`
	file := filepath.Join(t.TempDir(), "team.yaml")
	text := "version: 1\nagents:\n  a: { type: script, steps: [ { ask: { key: address, message: Where to?, schema: " +
		"" + schema + " } } ] }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teamfile.Load(file, teamfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := thread.Run(t.Context(), team.Agents["a"], "Hi")
	if err != nil || len(asked.Questions) != 1 {
		t.Fatalf("%d questions, %v", len(asked.Questions), err)
	}
	if got := string(asked.Questions[0].Schema); got != schema {
		t.Errorf("the schema is %s, want %s", got, schema)
	}
}
