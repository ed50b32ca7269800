package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

// The ids that callers choose are in keys, logs and events: those of 256 bytes are served, and longer ones refused.
func TestIDsHaveALimit(t *testing.T) {
	t.Parallel()
	const longest = 256
	message := func(role, id, more string) string {
		return `{"id":` + quote(id) + `,"role":` + quote(role) + `,"content":"Hi"` + more + `}`
	}
	body := func(thread, run, parent, messages string) string {
		return `{"protocolVersion":"1.0","threadId":` + quote(thread) + `,"runId":` + quote(run) + `,"parentRunId":` + quote(parent) +
			`,"messages":[` + messages + `]}`
	}
	short := message("user", "u", "")
	for name, made := range map[string]func(id string) string{
		"of a thread":     func(id string) string { return body(id, "r", "p", short) },
		"of a run":        func(id string) string { return body("t", id, "p", short) },
		"of a parent run": func(id string) string { return body("t", "r", id, short) },
		"of a message":    func(id string) string { return body("t", "r", "p", message("user", id, "")) },
		"of a result":     func(id string) string { return body("t", "r", "p", short+","+message("tool", id, `,"toolCallId":"c"`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for size, want := range map[int]int{longest: http.StatusOK, longest + 1: http.StatusBadRequest, 3_000_000: http.StatusBadRequest} {
				w := newWorld(t)
				status, answer := w.call("POST", "/agents/silent", made(strings.Repeat("ü", size/2)+strings.Repeat("x", size%2)))
				if status != want || status != http.StatusOK && !strings.Contains(answer, `"invalid_input"`) {
					t.Errorf("an id of %d bytes = %d %.200s, want %d", size, status, answer, want)
				}
			}
		})
	}
}

// What an agent said has the id that it gave it, and comes back in the list of a client.
func TestIDsOfAgentsHaveNoLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 1000)
	said := `{"id":` + quote(long) + `,"role":"assistant","content":"Hi","toolCalls":[{"id":` + quote(long) + `,"type":"function","function":{"name":"f","arguments":"{}"}}]}`
	status, answer := w.call("POST", "/agents/silent", `{"protocolVersion":"1.0","threadId":"t","runId":"r","messages":[`+said+`,{"id":"u","role":"user","content":"Hi"}]}`)
	if status != http.StatusOK {
		t.Errorf("a long id of an agent = %d %s", status, answer)
	}
}
