package chat

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBlocks has several speak at once: each is shown in one piece, complete, in the order in which they began.
func TestBlocks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		q := &blocks{display: &dialogue{&screen{w: &out}}}
		const speakers = 4
		var texts [speakers]string
		var order []int
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			i := rapid.IntRange(0, speakers-1).Draw(t, "speaker")
			id := fmt.Sprint(i)
			switch b := q.find(id); {
			case b == nil && texts[i] == "":
				q.open(id, textBlock, "s"+id)
				order = append(order, i)
				texts[i] = "-"
				q.add(id, "-")
			case rapid.Bool().Draw(t, "ends"):
				q.end(id)
			case b != nil && !b.done:
				piece := rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "piece")
				texts[i] += piece
				q.add(id, piece)
			}
		}
		q.flush()
		want := ""
		for _, i := range order {
			want += fmt.Sprintf("s%d: %s\n", i, texts[i])
		}
		if out.String() != want {
			t.Errorf("shown is\n%s\nwant\n%s", &out, want)
		}
	})
}
