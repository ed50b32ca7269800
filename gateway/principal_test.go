package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// byHeader takes the principal's id from the header X-User, its roles from X-Roles, and a claim from X-Tenant. Tests
// send requests faster than people do.
func byHeader(o *gateway.Options) {
	o.Limits.Rate = -1
	o.Principal = func(r *http.Request) (gateway.Principal, error) {
		p := gateway.Principal{ID: r.Header.Get("X-User")}
		if roles := r.Header.Get("X-Roles"); roles != "" {
			p.Roles = strings.Split(roles, ",")
		}
		if tenant := r.Header.Get("X-Tenant"); tenant != "" {
			p.Claims = map[string]any{"tenant": tenant, "level": 3}
		}
		return p, nil
	}
}

// panicking is a claim that cannot be encoded.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("a claim") }

// A request without a principal, or with a forbidden one, is answered in the form of its route, without a cause. The
// log has the cause, without the credentials.
func TestARequestWithoutAPrincipalIsRefused(t *testing.T) {
	t.Parallel()
	const cause, credential = "the directory is away", "pa55word-of-ada"
	long := strings.Repeat("x", 512)
	for name, test := range map[string]struct {
		id      string
		roles   []string
		claims  map[string]any
		err     error
		panics  bool
		status  int
		says    string // in the answer
		logged  string // of the cause
		nothing bool   // is logged, because the request is served
	}{
		"unauthorized":                {err: &errcode.Error{Code: errcode.Unauthorized, Err: errors.New(cause)}, status: 401, says: "Valid credentials are required.", logged: cause},
		"forbidden":                   {err: &errcode.Error{Code: errcode.Forbidden, Err: errors.New(cause)}, status: 403, says: "This is not allowed.", logged: cause},
		"forbidden, wrapped":          {err: fmt.Errorf("%s: %w", cause, &errcode.Error{Code: errcode.Forbidden}), status: 403, says: "This is not allowed.", logged: cause},
		"forbidden, with a text":      {err: &errcode.Error{Code: errcode.Forbidden, Text: "Ask your administrator.", Err: errors.New(cause)}, status: 403, says: "Ask your administrator.", logged: cause},
		"nobody can tell":             {err: &errcode.Error{Code: errcode.AuthUnavailable, Err: errors.New(cause)}, status: 503, says: "The server cannot check credentials at the moment; try again later.", logged: cause},
		"another code":                {err: &errcode.Error{Code: errcode.Overloaded, Text: cause, Err: errors.New(cause)}, status: 401, says: "Valid credentials are required.", logged: cause},
		"an error without a code":     {err: errors.New(cause), status: 401, says: "Valid credentials are required.", logged: cause},
		"an error about a field":      {err: &agui.FieldError{Path: "token", Problem: cause}, status: 401, says: "Valid credentials are required.", logged: cause},
		"a cancelled call":            {err: fmt.Errorf("%s: %w", cause, context.Canceled), status: 401, says: "Valid credentials are required.", logged: cause},
		"an error with an id":         {id: "ada", err: errors.New(cause), status: 401, says: "Valid credentials are required.", logged: cause},
		"a panic":                     {panics: true, status: 401, says: "Valid credentials are required.", logged: cause},
		"an error with the password":  {err: errors.New("no such token: " + credential), status: 401, says: "Valid credentials are required.", logged: "no such token:•••"},
		"no id":                       {status: 401, says: "Valid credentials are required.", logged: "empty"},
		"an id of 512 bytes":          {id: long, status: 200, nothing: true},
		"an id of 513 bytes":          {id: long + "x", status: 401, says: "Valid credentials are required.", logged: "513 bytes"},
		"an id with a line break":     {id: "ada\nbob", status: 401, says: "Valid credentials are required.", logged: "control"},
		"an id with a C1 control":     {id: "ada\u0085", status: 401, says: "Valid credentials are required.", logged: "control"},
		"an id that is not UTF-8":     {id: "ada\xff", status: 401, says: "Valid credentials are required.", logged: "UTF-8"},
		"the id of waiting notices":   {id: ".webhook", status: 401, says: "Valid credentials are required.", logged: "reserved"},
		"the id of approvals":         {id: ".approvals", status: 401, says: "Valid credentials are required.", logged: "reserved"},
		"64 roles":                    {id: "ada", roles: slices.Repeat([]string{"editor"}, 64), status: 200, nothing: true},
		"65 roles":                    {id: "ada", roles: slices.Repeat([]string{"editor"}, 65), status: 401, says: "Valid credentials are required.", logged: "65 roles"},
		"a role of 256 bytes":         {id: "ada", roles: []string{long[:256]}, status: 200, nothing: true},
		"a role of 257 bytes":         {id: "ada", roles: []string{"editor", long[:257]}, status: 401, says: "Valid credentials are required.", logged: "257 bytes"},
		"an empty role":               {id: "ada", roles: []string{""}, status: 401, says: "Valid credentials are required.", logged: "role is empty"},
		"a role with a line break":    {id: "ada", roles: []string{"editor\nadmin"}, status: 401, says: "Valid credentials are required.", logged: "control"},
		"claims of 8 KiB":             {id: "ada", claims: map[string]any{"c": strings.Repeat("x", 8<<10-8)}, status: 200, nothing: true},
		"claims of a byte more":       {id: "ada", claims: map[string]any{"c": strings.Repeat("x", 8<<10-7)}, status: 401, says: "Valid credentials are required.", logged: "8193 bytes"},
		"claims that are not JSON":    {id: "ada", claims: map[string]any{"c": func() {}}, status: 401, says: "Valid credentials are required.", logged: "not JSON"},
		"claims that panic":           {id: "ada", claims: map[string]any{"c": panicking{}}, status: 401, says: "Valid credentials are required.", logged: "a claim"},
		"an id in another alphabet":   {id: "Ада {Лавлейс}/*", status: 200, nothing: true},
		"the id of everybody without": {id: "local", status: 200, nothing: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) {
				o.Principal = func(*http.Request) (gateway.Principal, error) {
					if test.panics {
						panic(cause)
					}
					return gateway.Principal{ID: test.id, Roles: test.roles, Claims: test.claims}, test.err
				}
			})
			for _, path := range []string{"/threads", "/api/copilotkit/info"} {
				for _, method := range []string{http.MethodGet, http.MethodHead} {
					w.refusal(t, method, path, credential, test.status, test.says)
				}
			}
			lines := log.lines(t, "request: refused")
			if test.nothing != (len(lines) == 0) {
				t.Errorf("the log has %v", lines)
			}
			for _, line := range lines {
				if text, _ := line["error"].(string); !strings.Contains(text, test.logged) {
					t.Errorf("the log has the cause %q, want %q in it", text, test.logged)
				}
			}
			if strings.Contains(log.String(), credential) {
				t.Errorf("the log has the credentials:\n%s", &log)
			}
		})
	}
}

// refusal sends a request with a credential, and checks the status and the sentence of the refusal.
func (w *world) refusal(t *testing.T, method, path, credential string, status int, sentence string) {
	t.Helper()
	response := w.request(t.Context(), method, path, "", "Authorization", "Bearer "+credential, "Origin", "http://localhost:3000")
	defer response.Body.Close()
	challenge := ""
	if status == http.StatusUnauthorized {
		challenge = "Bearer"
	}
	if response.StatusCode != status || response.Header.Get("WWW-Authenticate") != challenge {
		t.Errorf("%s %s = %d, WWW-Authenticate %q", method, path, response.StatusCode, response.Header.Get("WWW-Authenticate"))
	}
	if response.Header.Get("Access-Control-Allow-Origin") == "" || response.Header.Get("X-Request-Id") != "test" {
		t.Errorf("%s %s: the page cannot read the answer: %v", method, path, response.Header)
	}
	if status == http.StatusOK || method == http.MethodHead {
		return
	}
	code := map[int]string{http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden", http.StatusServiceUnavailable: "auth_unavailable"}[status]
	want := map[string]any{"error": map[string]any{"code": code, "message": sentence, "requestId": "test"}}
	if strings.HasPrefix(path, pages) {
		want = map[string]any{"error": code, "code": code, "message": sentence, "requestId": "test"}
	}
	var got map[string]any
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", method, path, diff)
	}
}

// A run without a principal is not begun: no agent speaks, and the store has no new thread.
func TestARunWithoutAPrincipalStartsNothing(t *testing.T) {
	t.Parallel()
	store := closeLast(t, memstore.New(memstore.Options{}))
	var spoke atomic.Int64
	w := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Store, o.Now, o.Legacy = store, nil, "counted"
		o.Agents["counted"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			spoke.Add(1)
			return echoes(ctx, turn)
		})
	})
	body := pageInput("t", "r1", []string{"u1:Hi"})
	requests := map[string]string{
		"/agents/counted": body, "/subgraphs": body, pages + "/agent/counted/run": body,
		pages: `{"method":"agent/run","params":{"agentId":"counted"},"body":` + body + `}`,
	}
	for path, sent := range requests {
		if status, answer := w.call("POST", path, sent); status != http.StatusUnauthorized {
			t.Errorf("POST %s = %d %s", path, status, answer)
		}
	}
	for _, principal := range []string{"", "local"} {
		page, err := store.List(t.Context(), state.Query{Principal: principal, Limit: 10})
		if err != nil || len(page.Threads) > 0 || spoke.Load() > 0 {
			t.Errorf("%q has %d threads, %d turns, %v", principal, len(page.Threads), spoke.Load(), err)
		}
	}
	for path, sent := range requests {
		if status, answer := w.call("POST", path, sent, "X-User", "ada"); status != http.StatusOK {
			t.Errorf("POST %s with a principal = %d %s", path, status, answer)
		}
	}
	if spoke.Load() == 0 {
		t.Error("no agent spoke for a principal either")
	}
}

// Lines about requests, runs and threads name the principal.
func TestTheLogNamesThePrincipal(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	w := newWorld(t, problemAttrs(&log), byHeader)
	for i, user := range []string{"ada", "bob"} {
		w.call("POST", "/agents/echo", input("t", "r1", []string{"u1:Hi"}), "X-User", user)
		eventually(t, "the run has ended", func() bool { return len(log.lines(t, "run: ended")) == i+1 })
		w.call("PATCH", "/threads/t", `{"title":"T"}`, "X-User", user)
		w.call("GET", "/threads/none", "", "X-User", user)
	}
	w.call("GET", "/threads/t", "")
	for prefix, want := range map[string][]any{
		"run: started": {"ada", "bob"}, "run: ended": {"ada", "bob"}, "thread: renamed": {"ada", "bob"}, "request: refused": {"ada", "bob", nil},
	} {
		var got []any
		for _, line := range log.lines(t, prefix) {
			got = append(got, line["principal"])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", prefix, diff)
		}
	}
}

// Each header that has a credential is kept out of the log, also if the cause quotes only a part of it.
func TestACauseThatQuotesACredential(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"Authorization", "X-API-Key", "Cookie"} {
		var log lockedBuffer
		w := newWorld(t, problemAttrs(&log), func(o *gateway.Options) {
			o.Principal = func(r *http.Request) (gateway.Principal, error) {
				return gateway.Principal{}, errors.New("no such credential: " + r.Header.Get(header)[:9])
			}
		})
		response := w.request(t.Context(), http.MethodGet, "/threads", "", header, "pa55word of ada")
		defer response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized || !strings.Contains(log.String(), "no such credential: •••") || strings.Contains(log.String(), "pa55word") {
			t.Errorf("%s: %d, the log:\n%s", header, response.StatusCode, &log)
		}
	}
}
