package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// errorBody is the body of an error before a stream.
type errorBody struct {
	Error struct{ Code, Message, RequestID string }
}

func TestErrorsBeforeAStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Limits.Body, o.Limits.Depth, o.Limits.Messages = 4096, 8, 3
	})
	w.post("echo", input("known", "r1", []string{"u1:Hi"}))
	for _, test := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code, says, allow        string
	}{
		{"not JSON", "POST", "/agents/echo", "{", nil, 400, "invalid_input", "", ""},
		{"nothing", "POST", "/agents/echo", "", nil, 400, "invalid_input", "", ""},
		{"an array", "POST", "/agents/echo", "[]", nil, 400, "invalid_input", "", ""},
		{"two values", "POST", "/agents/echo", input("t", "r", nil) + "{}", nil, 400, "invalid_input", "", ""},
		{"not UTF-8", "POST", "/agents/echo", input("t\xff", "r", nil)[:20] + "\xff", nil, 400, "invalid_input", "UTF-8", ""},
		{"no thread", "POST", "/agents/echo", `{"runId":"r","messages":[]}`, nil, 400, "invalid_input", "threadId", ""},
		{"empty thread", "POST", "/agents/echo", `{"threadId":"","runId":"r","messages":[]}`, nil, 400, "invalid_input", "threadId", ""},
		{"empty run", "POST", "/agents/echo", `{"threadId":"t","runId":"","messages":[]}`, nil, 400, "invalid_input", "runId", ""},
		{"no messages", "POST", "/agents/echo", `{"threadId":"t","runId":"r"}`, nil, 400, "invalid_input", "messages", ""},
		{"path", "POST", "/agents/echo", `{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":7}]}`, nil, 400, "invalid_input", "messages[0].content", ""},
		{"empty message id", "POST", "/agents/echo", input("t", "r", []string{":Hi"}), nil, 400, "invalid_input", "messages[0].id", ""},
		{"doubled id", "POST", "/agents/echo", input("t", "r", []string{"a:Hi", "a:Hi"}), nil, 400, "invalid_input", "messages[1].id", ""},
		{"too many", "POST", "/agents/echo", input("t", "r", []string{"a:1", "b:2", "c:3", "d:4"}), nil, 400, "invalid_input", "messages", ""},
		{"too deep", "POST", "/agents/echo", input("t", "r", nil, `"state":`+strings.Repeat(`{"a":`, 9)+"1"+strings.Repeat("}", 9)), nil, 400, "invalid_input", "", ""},
		{"too large", "POST", "/agents/echo", input("t", "r", []string{"a:" + strings.Repeat("x", 5000)}), nil, 413, "too_large", "", ""},
		{"version 2", "POST", "/agents/echo", `{"protocolVersion":"2.0","threadId":"t","runId":"r","messages":[]}`, nil, 400, "unsupported_version", "", ""},
		{"no type", "POST", "/agents/echo", "{}", []string{"Content-Type", ""}, 415, "unsupported_media_type", "", ""},
		{"other type", "POST", "/agents/echo", "{}", []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type", "", ""},
		{"disconnect", "POST", "/agents/echo?disconnect=later", input("t", "r", nil), nil, 400, "invalid_input", "disconnect", ""},
		{"dialect", "POST", "/agents/echo?interrupts=none", input("t", "r", nil), nil, 400, "invalid_input", "interrupts", ""},
		{"subagents", "POST", "/agents/echo?subagents=1", input("t", "r", nil), nil, 400, "invalid_input", "subagents", ""},
		{"subagents in a header", "POST", "/agents/echo", input("t", "r", nil), []string{"X-Gateway-Subagents", "1"}, 400, "invalid_input", "X-Gateway-Subagents", ""},
		{"subagents in a property", "POST", "/agents/echo", input("t", "r", nil, `"forwardedProps":{"gateway":{"subagents":true}}`), nil, 400, "invalid_input", "forwardedProps.gateway.subagents", ""},
		{"refusals", "POST", "/agents/echo?refusals=never", input("t", "r", nil), nil, 400, "invalid_input", "refusals", ""},
		{"chunks", "POST", "/agents/echo?chunks=yes", input("t", "r", nil), nil, 400, "invalid_input", "chunks", ""},
		{"snapshots", "POST", "/agents/echo?snapshots=none", input("t", "r", nil), nil, 400, "invalid_input", "snapshots", ""},
		{"unknown agent", "POST", "/agents/nobody", input("t", "r", nil), nil, 404, "not_found", "", ""},
		{"unknown agent's capabilities", "GET", "/agents/nobody/capabilities", "", nil, 404, "not_found", "", ""},
		{"unknown path", "GET", "/nothing/here", "", nil, 404, "not_found", "", ""},
		{"method", "GET", "/agents/echo", "", nil, 405, "method_not_allowed", "", "POST"},
		{"method", "PUT", "/threads/known", "", nil, 405, "method_not_allowed", "", "DELETE, GET, HEAD, PATCH"},
		{"unknown thread", "GET", "/threads/nothing", "", nil, 404, "not_found", "", ""},
		{"unknown thread's events", "GET", "/threads/nothing/events", "", nil, 404, "not_found", "", ""},
		{"unknown thread's end", "POST", "/threads/nothing/stop", "", nil, 404, "not_found", "", ""},
		{"unknown thread's answer", "POST", "/threads/nothing/resume", `{"resume":[]}`, nil, 404, "not_found", "", ""},
		{"unknown thread's title", "PATCH", "/threads/nothing", `{"title":"x"}`, nil, 404, "not_found", "", ""},
		{"unknown thread's death", "DELETE", "/threads/nothing", "", nil, 404, "not_found", "", ""},
		{"other agent's thread", "GET", "/threads/known?agent=ask", "", nil, 404, "not_found", "", ""},
		{"no title", "PATCH", "/threads/known", `{}`, nil, 400, "invalid_input", "title", ""},
		{"title of another kind", "PATCH", "/threads/known", `{"title":7}`, nil, 400, "invalid_input", "title", ""},
		{"title that is not UTF-8", "PATCH", "/threads/known", "{\"title\":\"x\xff\"}", nil, 400, "invalid_input", "UTF-8", ""},
		{"message that is not UTF-8", "POST", "/threads/known/fork", "{\"messageId\":\"u1\xff\"}", nil, 400, "invalid_input", "UTF-8", ""},
		{"answer that is not UTF-8", "POST", "/threads/known/resume", "{\"resume\":[{\"interruptId\":\"\xff\",\"status\":\"cancelled\"}]}", nil, 400, "invalid_input", "UTF-8", ""},
		{"title of blanks", "PATCH", "/threads/known", `{"title":" \t\u00a0\n"}`, nil, 400, "invalid_input", "title", ""},
		{"no title", "PATCH", "/threads/known", `{"title":""}`, nil, 400, "invalid_input", "title", ""},
		{"title too long", "PATCH", "/threads/known", `{"title":` + quote(strings.Repeat("x", 501)) + `}`, nil, 400, "invalid_input", "500 bytes", ""},
		{"compressed", "POST", "/agents/echo", "\x1f\x8b", []string{"Content-Encoding", "gzip"}, 415, "unsupported_media_type", "", ""},
		{"compressed title", "PATCH", "/threads/known", "\x1f\x8b", []string{"Content-Encoding", "br"}, 415, "unsupported_media_type", "", ""},
		{"no object", "PATCH", "/threads/known", `[]`, nil, 400, "invalid_input", "", ""},
		{"no message", "POST", "/threads/known/fork", `{}`, nil, 400, "invalid_input", "messageId", ""},
		{"unknown message", "POST", "/threads/known/fork", `{"messageId":"x"}`, nil, 404, "not_found", "", ""},
		{"unknown message before", "GET", "/threads/known?before=x", "", nil, 404, "not_found", "", ""},
		{"limit", "GET", "/threads/known?limit=0", "", nil, 400, "invalid_input", "limit", ""},
		{"limit", "GET", "/threads?limit=many", "", nil, 400, "invalid_input", "limit", ""},
		{"status", "GET", "/threads?status=dead", "", nil, 400, "invalid_input", "status", ""},
		{"search", "GET", "/threads?q=" + strings.Repeat("x", 201), "", nil, 400, "invalid_input", "q", ""},
		{"cursor", "GET", "/threads?cursor=x", "", nil, 400, "invalid_input", "cursor", ""},
		{"no answers", "POST", "/threads/known/resume", `{"resume":[]}`, nil, 400, "invalid_input", "resume", ""},
		{"bad answers", "POST", "/threads/known/resume", `{"resume":[{"interruptId":"x","status":"maybe"}]}`, nil, 400, "invalid_input", "resume[0].status", ""},
		{"no such question", "POST", "/threads/known/resume", `{"resume":[{"interruptId":"x","status":"cancelled"}]}`, nil, 409, "interrupt_not_found", "", ""},
		{"version of a reader", "GET", "/threads/known/events?protocolVersion=7.0", "", nil, 400, "unsupported_version", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := w.request(t.Context(), test.method, test.path, test.body, test.header...)
			defer response.Body.Close()
			var got errorBody
			if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.status || got.Error.Code != test.code {
				t.Errorf("%s %s = %d %q, want %d %q", test.method, test.path, response.StatusCode, got.Error.Code, test.status, test.code)
			}
			if !strings.Contains(got.Error.Message, test.says) || got.Error.Message == "" {
				t.Errorf("message %q does not say %q", got.Error.Message, test.says)
			}
			if allow := response.Header.Get("Allow"); test.allow != "" && !sameMembers(allow, test.allow) {
				t.Errorf("Allow = %q, want %q", allow, test.allow)
			}
			if got.Error.RequestID != "test" || response.Header.Get("X-Request-Id") != "test" {
				t.Errorf("request id = %q in the body, %q in the header", got.Error.RequestID, response.Header.Get("X-Request-Id"))
			}
		})
	}
}

// sameMembers compares two lists of methods; OPTIONS is everywhere.
func sameMembers(got, want string) bool {
	have := map[string]bool{}
	for _, m := range strings.Split(got, ", ") {
		have[m] = true
	}
	delete(have, "OPTIONS")
	for _, m := range strings.Split(want, ", ") {
		if !have[m] {
			return false
		}
		delete(have, m)
	}
	return len(have) == 0
}

func TestABadBodyLeavesTheThreadAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("ask", input("t", "r1", []string{"u1:Hi"}))
	before := w.thread("t")
	status, _ := w.call("POST", "/agents/ask", `{"threadId":"t","runId":"r2","messages":[{"role":"user"}]}`)
	if status != http.StatusBadRequest {
		t.Errorf("status = %d, want 400", status)
	}
	after := w.thread("t")
	if len(after.Messages) != len(before.Messages) || after.Status != before.Status || len(after.Interrupts) != 1 {
		t.Errorf("the thread was changed: %+v", after)
	}
}

func TestOriginsAndRequestIDs(t *testing.T) {
	t.Parallel()
	local := newWorld(t)
	exact := newWorld(t, func(o *gateway.Options) { o.Origins = []string{"https://app.example"} })
	all := newWorld(t, func(o *gateway.Options) { o.Origins = []string{"*"} })
	for _, test := range []struct {
		name   string
		w      *world
		origin string
		want   bool
	}{
		{"loopback", local, "http://localhost:3000", true},
		{"loopback", local, "http://127.0.0.1:5173", true},
		{"loopback", local, "http://[::1]:5173", true},
		{"stranger", local, "https://evil.example", false},
		{"nearly", local, "http://localhost.evil.example", false},
		{"null", local, "null", false},
		{"exact", exact, "https://app.example", true},
		{"exact only", exact, "http://localhost:3000", false},
		{"all", all, "https://evil.example", true},
		{"all but nobody's", all, "null", false},
	} {
		preflight := test.w.request(t.Context(), "OPTIONS", "/agents/echo", "", "Origin", test.origin,
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
		preflight.Body.Close()
		if got := preflight.Header.Get("Access-Control-Allow-Origin"); (got == test.origin) != test.want {
			t.Errorf("%s: preflight of %s allows %q", test.name, test.origin, got)
		}
		if test.want && !strings.Contains(preflight.Header.Get("Access-Control-Allow-Headers"), "content-type") {
			t.Errorf("%s: headers = %q", test.name, preflight.Header.Get("Access-Control-Allow-Headers"))
		}
		if test.want && preflight.StatusCode != http.StatusNoContent {
			t.Errorf("%s: preflight = %d, want 204", test.name, preflight.StatusCode)
		}
		if preflight.Header.Get("X-Request-Id") != "test" {
			t.Errorf("%s: the preflight has no request id", test.name)
		}
		answer := test.w.request(t.Context(), "GET", "/agents", "", "Origin", test.origin)
		answer.Body.Close()
		if got := answer.Header.Get("Access-Control-Allow-Origin"); (got == test.origin) != test.want {
			t.Errorf("%s: GET from %s allows %q", test.name, test.origin, got)
		}
	}
	for _, id := range []string{"", "with space", strings.Repeat("x", 200)} {
		answer := local.request(t.Context(), "GET", "/healthz", "", "X-Request-Id", id)
		answer.Body.Close()
		if got := answer.Header.Get("X-Request-Id"); got == "" || got == id {
			t.Errorf("X-Request-Id %q came back as %q, want one of the gateway's", id, got)
		}
	}
}

func TestUnavailableSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Runs = 1 })
	r := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	r.until("CUSTOM")
	response := w.request(t.Context(), "POST", "/agents/echo", input("u", "r1", []string{"u1:Hi"}))
	response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
		t.Errorf("over the limit of runs: %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
	w.release()
	r.rest()
	eventually(t, "there is room again", func() bool {
		status, _ := w.call("POST", "/agents/echo", input("u", "r1", []string{"u1:Hi"}))
		return status == http.StatusOK
	})
}

func TestPlainRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, says := range map[string]string{
		"/":                         "AG-UI gateway",
		"/healthz":                  `"ok"`,
		"/readyz":                   `"ready"`,
		"/agents":                   `{"id":"desk","description":"A desk","interrupts":true,"typedAnswers":false,"participants":[{"name":"clerk","description":"asks"}`,
		"/agents/desk/capabilities": `"subagents":[{"name":"clerk"`,
		"/openapi.json":             `"openapi"`,
	} {
		if status, body := w.call("GET", path, ""); status != http.StatusOK || !strings.Contains(body, says) {
			t.Errorf("GET %s = %d %s, want %s in it", path, status, body, says)
		}
	}
}
