package ledger

import (
	"container/heap"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// TestFirstButForOne has the account that is next behind a spared root at either place below the root.
func TestFirstButForOne(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{1, 2, 3}, {1, 3, 2}} {
		q := NewQueue((*account).inRest)
		for _, at := range order {
			a := &account{}
			a.Key = state.Key{ID: string(rune('0' + at))}
			a.rest.by = time.Unix(int64(at), 0)
			heap.Push(&q, a)
		}
		if got, ok := q.firstBut(named(state.Key{ID: "1"})); !ok || got.Key.ID != "2" {
			t.Errorf("the first of %v but for 1 is %+v, want 2", order, got)
		}
	}
}
