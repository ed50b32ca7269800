package teamtest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// manualBlock is a block of the manual that is a file of a conversation, or some of its keys.
var manualBlock = regexp.MustCompile("(?s)<!-- (tested: ([a-z_.]+)|example) -->\n```yaml\n(.*?)```\n")

// TestTheManualsConversations plays what docs/testing.md shows.
func TestTheManualsConversations(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, keys := t.TempDir(), 0
	for _, block := range manualBlock.FindAllSubmatch(manual, -1) {
		if len(block[2]) == 0 {
			keys++
			c := parse("testing.md", append(block[3], "conversation: [ { user: Hi } ]\n"...))
			if err := c.doc.Err(); err != nil || len(c.servers) != 1 || len(c.remotes) != 2 {
				t.Errorf("an example of the manual is %+v, %v", c, err)
			}
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, string(block[2])), block[3], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := report(t, dir, Options{}); got != "ok    refund_test.yaml (2 runs)\n" || keys != 1 {
		t.Errorf("with %d further examples it comes to\n%s", keys, got)
	}
}
