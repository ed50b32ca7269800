package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// A limit is tried at its boundary: what reaches it is served, and one more is answered as docs/reference/limits.md
// says.
type limit struct {
	value int64
	// at and beyond return the result: "ok" or a code.
	at, beyond func(w *world) string
	// answer is the code beyond the limit, or a word for the treatment.
	answer string
	// with sets what else the limit needs; nil if nothing.
	with func(*gateway.Options)
}

// asAda makes all requests those of one principal, however many there are.
func asAda(o *gateway.Options) {
	o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{ID: "ada"}, nil }
	o.Limits.Rate = -1
}

// limits has a row for every member of [gateway.Limits].
var limits = map[string]limit{
	"Header": {value: 4 << 10, at: headed(4 << 10), beyond: headed(4<<10 + 1), answer: "header_too_large"},
	"Body": {value: int64(len(input("t", "r", []string{"u1:Hi"}))), answer: "too_large",
		at: runs("silent", input("t", "r", []string{"u1:Hi"})), beyond: runs("silent", input("t", "r", []string{"u1:Hi!"}))},
	"Bodies": {value: 16 << 10, answer: "overloaded", at: stalled(2047, 2047), beyond: stalled(2047, 2048),
		with: func(o *gateway.Options) { o.Limits.Body = 2 << 10 }},
	"Answers": {value: 4 * 64 << 10, answer: "cut", at: writes(4 * 64 << 10), beyond: writes(4*64<<10 + 1), with: withoutSizes},
	"Depth": {value: 4, answer: "invalid_input",
		at: runs("silent", input("t", "r", nil, `"state":`+nested(3))), beyond: runs("silent", input("t", "r", nil, `"state":`+nested(4)))},
	"Values": {value: 11, answer: "invalid_input",
		at: runs("silent", input("t", "r", nil, `"state":{"a":[0,0,0]}`)), beyond: runs("silent", input("t", "r", nil, `"state":{"a":[0,0,0,0]}`))},
	"Messages": {value: 2, answer: "invalid_input",
		at: runs("silent", input("t", "r", []string{"a:1", "b:2"})), beyond: runs("silent", input("t", "r", []string{"a:1", "b:2", "c:3"}))},
	"Thread": {value: int64(len(`{"id":"u1","role":"user","content":"Hi"}`)), answer: "too_large",
		at: runs("silent", input("t", "r", []string{"u1:Hi"})), beyond: runs("silent", input("t", "r", []string{"u1:Hi!"}))},
	"State": {value: int64(len(`{"x":"12345"}`)), answer: "too_large",
		at: runs("keeps", input("t", "r", []string{"u1:12345"})), beyond: runs("keeps", input("t", "r", []string{"u1:123456"}))},
	"Event": {value: int64(len(`{"type":"CUSTOM","name":"sized","value":"`)) + 1000 + int64(len(`"}`)), answer: "too_large",
		at:     runs("emits", input("t", "r", []string{"u1:" + strings.Repeat("x", 1000)})),
		beyond: runs("emits", input("t", "r", []string{"u1:" + strings.Repeat("x", 1001)}))},
	"File":                {value: 7, at: runs("silent", withFiles("1234567")), beyond: runs("silent", withFiles("12345678")), answer: "too_large"},
	"Files":               {value: 2, at: runs("silent", withFiles("1", "2")), beyond: runs("silent", withFiles("1", "2", "3")), answer: "too_large"},
	"PatchOps":            {value: 3, at: deltas(3), beyond: deltas(4), answer: "a snapshot"},
	"Runs":                {value: 2, at: live(1, false), beyond: live(2, false), answer: "overloaded"},
	"RunsPerPrincipal":    {value: 2, at: live(1, false), beyond: live(2, false), answer: "rate_limited", with: asAda},
	"Readers":             {value: 2, at: live(1, true), beyond: live(2, true), answer: "overloaded"},
	"ReadersTotal":        {value: 2, at: live(1, true), beyond: live(2, true), answer: "overloaded"},
	"ReadersPerPrincipal": {value: 2, at: live(1, true), beyond: live(2, true), answer: "rate_limited", with: asAda},
	"Turns":               {value: 3, at: runs("turns3", input("t", "r", []string{"u1:Hi"})), beyond: runs("turns4", input("t", "r", []string{"u1:Hi"})), answer: "budget_exceeded"},
	"Queue":               {value: 2, at: queued(1), beyond: queued(2), answer: "queue_full"},
	"TokensPerPrincipal":  {value: 24, at: spends(2), beyond: spends(3), answer: "rate_limited", with: asAda},
	"Rate": {value: 2, at: asks(2, time.Second), beyond: asks(3, time.Second), answer: "rate_limited",
		with: func(o *gateway.Options) { asAda(o); o.Limits.RateBurst = 3 }},
	"RateBurst": {value: 2, at: asks(2, 0), beyond: asks(3, 0), answer: "rate_limited",
		with: func(o *gateway.Options) { asAda(o); o.Limits.Rate = 2 }},
	"StoredPerPrincipal": {value: int64(len(`{"id":"u1","role":"user","content":"Hi"}`)), answer: "too_large",
		at: runs("silent", input("t", "r", []string{"u1:Hi"})), beyond: runs("silent", input("t", "r", []string{"u1:Hi!"}))},
}

// turnsOf is a team with so many turns in its run.
func turnsOf(n int) groupchat.Agent {
	chat := &groupchat.Chat{Manager: groupchat.Sequential()}
	for i := range n {
		chat.Participants = append(chat.Participants, groupchat.Participant{Name: "p" + strconv.Itoa(i),
			Agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.SayOnce(t, "word", "Hm.") })})
	}
	return chat
}

// sized are agents that produce something of exactly the requested size.
func sized(o *gateway.Options) {
	o.Agents["keeps"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		m, _ := t.LastUser()
		return t.State().Set("/x", m.Content.Text())
	})
	o.Agents["emits"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		m, _ := t.LastUser()
		return t.Emit(&agui.Custom{Name: "sized", Value: json.RawMessage(quote(m.Content.Text()))})
	})
	for _, turns := range []int{3, 4} {
		o.Agents["turns"+strconv.Itoa(turns)] = turnsOf(turns)
	}
	o.Agents["patches"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		m, _ := t.LastUser()
		patch := agui.Patch{}
		for _, name := range m.Content.Text() {
			patch = append(patch, agui.PatchOp{Op: "add", Path: "/" + string(name), Value: json.RawMessage("1")})
		}
		return t.State().Apply(t.Context(), patch)
	})
}

func TestEveryLimitHasATestAtItsBoundary(t *testing.T) {
	t.Parallel()
	members := reflect.TypeFor[gateway.Limits]()
	for i := range members.NumField() {
		name := members.Field(i).Name
		l, ok := limits[name]
		if !ok {
			t.Errorf("no test of Limits.%s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(o *gateway.Options) {
				sized(o)
				spending(t)(o)
				if l.with != nil {
					l.with(o)
				}
				reflect.ValueOf(&o.Limits).Elem().FieldByName(name).SetInt(l.value)
			}
			if got := l.at(newWorld(t, set)); got != "ok" {
				t.Errorf("at the limit = %s, want ok", got)
			}
			if got := l.beyond(newWorld(t, set)); got != l.answer {
				t.Errorf("beyond the limit = %s, want %s", got, l.answer)
			}
		})
	}
}

// TestEveryLimitIsInTheContract holds docs/reference/limits.md to naming each limit with the answer that was tested.
func TestEveryLimitIsInTheContract(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range limits {
		row := ""
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "`Limits."+name+"`") {
				row = line
			}
		}
		if !strings.Contains(row, l.answer) {
			t.Errorf("docs/reference/limits.md says of Limits.%s %q, want %q in it", name, row, l.answer)
		}
	}
}

// headed sends a request with so many bytes of line and headers.
func headed(size int) func(*world) string {
	return func(w *world) string {
		conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			w.t.Fatal(err)
		}
		defer conn.Close()
		head := "GET /threads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Filler: "
		head += strings.Repeat("x", size-len(head)-len("\r\n")) + "\r\n"
		if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
			w.t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			w.t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return "ok"
		}
		var got errorBody
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			w.t.Errorf("a request with too many headers = %d, %v", answer.StatusCode, err)
		}
		return got.Error.Code
	}
}

// nested is a JSON object n deep.
func nested(n int) string { return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1) }

// runs posts a request and tells how it ended.
func runs(agent, body string) func(w *world) string {
	return func(w *world) string { return ended(w, "/agents/"+agent, body, 0) }
}

// ended is "ok" for a request that ran to its end, else the code it was refused or failed with. Agents that wait are
// released once the request is answered.
func ended(w *world, path, body string, release int) string {
	w.t.Helper()
	response := w.request(w.t.Context(), http.MethodPost, path, body)
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		var f errorBody
		if err := json.NewDecoder(response.Body).Decode(&f); err != nil {
			w.t.Fatal(err)
		}
		return f.Error.Code
	}
	for range release {
		w.release()
	}
	r := newReader(w.t, response, func() {}, body)
	defer r.hangUp()
	r.rest()
	if e, failed := r.last().(*agui.RunError); failed {
		return e.Code
	}
	return "ok"
}

// deltas lets an agent make one change of n operations, and tells whether readers were sent it as a delta.
func deltas(n int) func(w *world) string {
	return func(w *world) string {
		r := w.post("patches", input("t", "r", []string{"u1:" + "abcdefgh"[:n]}, `"state":{"much":`+quote(strings.Repeat("x", 1000))+`}`))
		r.finished()
		for _, e := range r.events {
			if d, ok := e.(*agui.StateDelta); ok && len(d.Delta) == n {
				return "ok"
			}
		}
		return "a snapshot"
	}
}

// live is a thread with a live run and n-1 other runs, or other readers of it, when one more comes.
func live(n int, readers bool) func(w *world) string {
	return func(w *world) string {
		w.open(http.MethodPost, "/agents/slow", input("t", "r", []string{"u1:Hi"})).until(agui.TypeCustom)
		for i := range n - 1 {
			if readers {
				w.open(http.MethodGet, "/threads/t/events", "").until(agui.TypeRunStarted)
			} else {
				w.open(http.MethodPost, "/agents/slow", input("t"+strconv.Itoa(i), "r", []string{"u1:Hi"})).until(agui.TypeCustom)
			}
		}
		if readers {
			return ended(w, "/agents/slow", input("t", "r", []string{"u1:Hi"}), n)
		}
		return ended(w, "/agents/silent", input("other", "r", []string{"u1:Hi"}), n)
	}
}

// queued is a thread with a live run and n requests that wait for its end, when one more comes.
func queued(n int) func(w *world) string {
	return func(w *world) string {
		w.open(http.MethodPost, "/agents/slow-queue", input("t", "r", []string{"u1:Hi"})).until(agui.TypeCustom)
		waiters(w, n)
		return ended(w, "/agents/slow-queue", input("t", "more", []string{"u1:Hi", "u2:More"}), n+2)
	}
}
