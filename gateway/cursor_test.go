package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

// Two threads that begin in the same millisecond have frames with equal positions in their logs. A cursor of one is
// still invalid for the other: its reader gets the prelude. Cursors from before ids had a mark of their thread remain
// valid.
func TestACursorBelongsToOneThread(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // its clock stands still
	for _, thread := range []string{"one", "two"} {
		w.post("echo", input(thread, "r1", []string{"u1:Hi"}))
	}
	w.call("POST", "/agents/ask", input("one", "r1", []string{"u1:Hi"})) // the same id, with another agent
	ids := func(thread string) []string {
		r := w.begin("GET", "/threads/"+thread+"/events?agent=echo&protocolVersion=1.0", "", "Last-Event-ID", "0-0")
		defer r.hangUp()
		r.rest()
		return recordIDs(r)
	}
	own, others := ids("one"), ids("two")
	frame, mark := splitID(t, own[1])
	if other, _ := splitID(t, others[1]); frame != other || own[1] == others[1] {
		t.Fatalf("the ids %s and %s do not show what this test is about", own[1], others[1])
	}
	_, plain, _ := strings.Cut(ids("one")[0], "-")
	if !strings.HasSuffix(plain, mark) {
		t.Errorf("the ids of one thread have different marks: %q", own)
	}
	for name, test := range map[string]struct {
		cursor  string
		prelude bool
	}{
		"its own":                               {own[1], false},
		"its own, as earlier versions wrote it": {frame.String(), false},
		"the other thread's":                    {others[1], true},
		"with a mark of nobody's":               {frame.String() + "-1", true},
		"with a mark that is no number":         {frame.String() + "-x", true},
		"with an empty mark":                    {frame.String() + "-", true},
		"with two marks":                        {own[1] + "-" + mark, true},
		"with another spelling of its mark":     {frame.String() + "-0" + mark, true},
	} {
		_, answer := w.call("GET", "/threads/one/events?agent=echo&protocolVersion=1.0", "", "Last-Event-ID", test.cursor)
		if prelude := strings.Contains(answer, "RUN_STARTED"); prelude != test.prelude || !prelude && !strings.HasPrefix(answer, "id: "+own[2]+"\n") {
			t.Errorf("%s: %s is answered with %s", name, test.cursor, answer)
		}
	}
	if status, _ := w.call("GET", "/threads/one/events?agent=echo", "", "Last-Event-ID", own[len(own)-1]); status != http.StatusNoContent {
		t.Errorf("the last cursor of an idle thread is answered with %d", status)
	}
	if status, _ := w.call("GET", "/threads/one/events?agent=echo", "", "Last-Event-ID", others[len(others)-1]); status != http.StatusOK {
		t.Errorf("another's last cursor is answered with %d", status)
	}
	if _, answer := w.call("GET", "/threads/one/events?agent=ask&protocolVersion=1.0", "", "Last-Event-ID", own[1]); !strings.Contains(answer, "RUN_STARTED") {
		t.Errorf("a cursor of the thread with another agent is answered with %s", answer)
	}
}
