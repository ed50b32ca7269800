package statetest

import (
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// storedBytes are the promises about what is counted of a principal. All are asked before the first thread is made: a backend may begin to
// count then.
var storedBytes = []promise{
	{"what is counted of a principal grows with what is written, and goes back with what is trimmed, deleted or expired", func(w *backendWorld) {
		w.has("nothing is counted of an empty store", w.stored("local")+w.stored("eve") == 0, true)
		l := w.begin(first, "first")
		begun := w.stored("local")
		w.has("a thread counts", begun > 0, true)
		large := agui.Message{ID: "a1", Role: agui.RoleAssistant, Content: agui.TextContent(strings.Repeat("x", 20000))}
		w.append(l, 1, 200)
		w.write(w.commit(l, state.Commit{
			Messages: []agui.Message{large}, Frames: frames(l, 201, 1), After: state.FrameID{Fence: l.Fence, Seq: 200},
			End: &state.End{Status: state.RunSuccess},
		}))
		ended := w.stored("local")
		w.has("a message counts", ended > begun+10000, true)
		w.withoutLogs()
		trimmed := w.stored("local")
		w.has("less is counted without the log", trimmed < ended && trimmed > 10000, true)

		w.idle(state.Key{Principal: "eve", Agent: "travel", ID: "first"}, "other")
		w.has("another's thread counts for the other", w.stored("local") == trimmed && w.stored("eve") > 0, true)
		w.idle(second, "second")
		w.has("a second thread counts", w.stored("local") > trimmed, true)
		_, err := w.b.Delete(w.Context(), second)
		w.works("Delete()", err)
		w.has("a thread that was deleted does not count", w.stored("local") == trimmed, true)
		w.clock.Move(ThreadTTL + time.Second)
		w.overdue(1)
		w.has("a thread that has expired does not count", w.stored("local")+w.stored("eve") == 0, true)
	}},
}
