package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// How a route treats two principals.
const (
	alike  = "alike"  // both get the same answer, and no threads change
	ofAll  = "ofAll"  // public, and answers without a principal too
	listed = "listed" // it lists one's own threads
	self   = "self"   // it says who one is
	asked  = "asked"  // it is about a thread: threadRoutes has requests
	allOf  = "allOf"  // it is about all that one has, and nothing of another's
)

// routesOfTwo is how each route of the description treats two principals.
var routesOfTwo = map[string]string{
	"GET /": ofAll, "GET /healthz": ofAll, "GET /readyz": ofAll, "GET /openapi.json": ofAll,

	"GET /agents": alike, "GET /agents/{agent}/capabilities": alike,
	"GET /api/copilotkit/info": alike, "GET /api/copilotkit/inspector-metadata": alike,
	"POST /api/copilotkit/agent/{agent}/suggest": alike, "POST /api/copilotkit/annotate": alike,
	"POST /api/copilotkit/transcribe": alike, "POST /api/copilotkit/threads/subscribe": alike, "POST /api/copilotkit/threads/clear": alike,

	"GET /me":        self,
	"GET /me/export": allOf, "DELETE /me": allOf, "GET /me/approvals": allOf, "DELETE /me/approvals/{approval}": allOf,

	"GET /threads": listed, "GET /api/copilotkit/threads": listed,

	"POST /agents/{agent}": asked, "POST /subgraphs": asked, "POST /api/copilotkit": asked,
	"POST /api/copilotkit/agent/{agent}/run": asked, "POST /api/copilotkit/agent/{agent}/connect": asked,
	"POST /api/copilotkit/agent/{agent}/stop/{thread}": asked,
	"GET /threads/{id}": asked, "PATCH /threads/{id}": asked, "DELETE /threads/{id}": asked,
	"GET /threads/{id}/approvals": asked, "DELETE /threads/{id}/approvals/{approval}": asked,
	"GET /threads/{id}/state": asked, "PATCH /threads/{id}/state": asked, "GET /threads/{id}/state/patches/{patch}": asked,
	"GET /threads/{id}/messages/{message}/files/{file}": asked,
	"GET /threads/{id}/runs/{run}":                      asked, "GET /threads/{id}/runs/{run}/trace": asked, "GET /threads/{id}/runs/{run}/events": asked,
	"GET /threads/{id}/events": asked, "POST /threads/{id}/resume": asked, "POST /threads/{id}/stop": asked, "POST /threads/{id}/fork": asked,
	"GET /api/copilotkit/threads/{thread}/messages": asked, "GET /api/copilotkit/threads/{thread}/events": asked,
	"GET /api/copilotkit/threads/{thread}/state": asked, "PATCH /api/copilotkit/threads/{thread}": asked,
	"DELETE /api/copilotkit/threads/{thread}": asked, "POST /api/copilotkit/threads/{thread}/archive": asked,
}

// X2: two principals do not meet, on any route, also on different replicas. The response to a request with the other's
// ids is that to unknown ids.
func TestTwoPrincipalsDoNotMeet(t *testing.T) {
	t.Parallel()
	team := func(o *gateway.Options) {
		gate := make(chan struct{})
		o.Principal = func(r *http.Request) (gateway.Principal, error) { // as keys do it
			user := r.Header.Get("X-User")
			if user == "" {
				return gateway.Principal{}, errors.New("no key")
			}
			return gateway.Principal{ID: "key:" + user, Roles: []string{"traveller", user}}, nil
		}
		o.Limits.Rate = -1 // the tests ask without a pause
		o.Agent = map[string]gateway.AgentOptions{"team": {Allow: []string{"editor", "traveller"}}}
		o.Agents["team"], o.Legacy = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
			thread, _, _ := strings.Cut(turn.Input().ThreadID, "-")
			switch {
			case turn.Principal().ID == "key:ada" && thread == "live":
				return waits(ctx, turn, gate)
			case thread == "asks":
				return asksSize(ctx, turn)
			default:
				return echoes(ctx, turn)
			}
		}), "team"
	}
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, team, quiet)
		twoPrincipals(t, w, w)
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		store, err := filestore.Open(filepath.Join(t.TempDir(), "threads.db"), filestore.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("store: Close() = %v", err)
			}
		})
		w := newWorld(t, team, quiet, func(o *gateway.Options) { o.Store, o.Now, o.NewID = store, nil, nil })
		twoPrincipals(t, w, w)
	})
	t.Run("two replicas on Redis", func(t *testing.T) {
		t.Parallel()
		a, b := twins(t, redistest.Start(t).URL(), team)
		twoPrincipals(t, a, b)
	})
}

// quiet writes no log.
func quiet(o *gateway.Options) { o.Log = slog.New(slog.DiscardHandler) }

// twoPrincipals has ada talk to the gateway of a, and eve try everything with ada's ids on that of b.
func twoPrincipals(t *testing.T, a, b *world) {
	t.Helper()
	patches := map[string]string{"live-theirs": "none"}
	for _, thread := range []string{"idle-theirs", "asks-theirs"} {
		status, stream := a.call("POST", "/agents/team", input(thread, "r1", []string{"their-u1:their words"}), "X-User", "ada")
		if status != http.StatusOK {
			t.Fatalf("POST /agents/team = %d %s", status, stream)
		}
		status, patch := a.call("PATCH", "/threads/"+thread+"/state", `{"said":"their words"}`, "X-User", "ada", "Content-Type", "application/merge-patch+json")
		patches[thread] = member(t, patch, "patch")
		if status != http.StatusOK || patches[thread] == "" {
			t.Fatalf("PATCH state = %d %s", status, patch)
		}
	}
	live := a.open("POST", "/agents/team", input("live-theirs", "r1", []string{"their-u1:their words"}), "X-User", "ada")
	live.until(agui.TypeCustom)
	before := map[string]string{}
	for _, kind := range []string{"idle", "asks", "live"} {
		thread := kind + "-theirs"
		before[thread] = a.document(thread, "ada")
		replaced := []string{"{patch}", patches[thread]}
		var doc threadDoc
		if err := json.Unmarshal([]byte(before[thread]), &struct{ *threadDoc }{&doc}); err == nil && len(doc.Interrupts) > 0 {
			replaced = append(replaced, "their-q1", doc.Interrupts[0].ID)
		}
		if kind == "asks" && len(replaced) < 4 {
			t.Fatalf("%s has no question: %s", thread, before[thread])
		}
		own := append(threadRoutes(),
			threadRoute{"POST", "/subgraphs", "", input("{thread}", "r6", []string{"their-u1:Hi"}, answerTo("their-q1", "M")), nil},
			threadRoute{"POST", "/subgraphs", "", input("{thread}", "r7", []string{"their-u1:Hi"}), nil},
			threadRoute{"HEAD", "/threads/{id}", "", "", nil},
			threadRoute{"HEAD", "/threads/{id}/events", "", "", nil},
			threadRoute{"DELETE", "/threads/{id}", "", "", nil},
			threadRoute{"HEAD", "/threads/{id}", "", "", nil},
			threadRoute{"HEAD", "/threads/{id}/events", "", "", nil},
		)
		for _, route := range own {
			theirs, none := b.asEve(route, thread, replaced), b.asEve(route, kind+"-nobody", replaced)
			if diff := cmp.Diff(none, theirs); diff != "" {
				t.Errorf("%s: %s %s%s %s (-no thread +theirs):\n%s", kind, route.method, route.path, route.query, route.body, diff)
			}
			if strings.Contains(theirs, "their words") {
				t.Errorf("%s: %s %s shows what they said: %s", kind, route.method, route.path, theirs)
			}
		}
	}
	otherRoutes(t, a, b)
	theirIDsAreUnknown(t, a, b)
	for thread, was := range before {
		if diff := cmp.Diff(was, a.document(thread, "ada")); diff != "" {
			t.Errorf("%s has changed (-before +after):\n%s", thread, diff)
		}
	}
	if status, body := a.call("POST", "/threads/live-theirs/stop", "", "X-User", "ada"); status != http.StatusOK || !strings.Contains(body, "true") {
		t.Errorf("one's own run cannot be stopped: %d %s", status, body)
	}
	live.rest()
}

// otherRoutes holds the routes that are about no thread, and that every route has a rule.
func otherRoutes(t *testing.T, a, b *world) {
	t.Helper()
	_, body := a.call("GET", "/openapi.json", "")
	var description struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &description); err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{"POST /subgraphs": true}
	for _, route := range threadRoutes() {
		tried[route.method+" "+route.path] = true
	}
	for path, methods := range description.Paths {
		for name := range methods {
			method := strings.ToUpper(name)
			if method == "PARAMETERS" {
				continue
			}
			url, sent := strings.ReplaceAll(path, "{agent}", "team"), `{}`
			if strings.HasSuffix(path, "/suggest") {
				sent = pageInput("idle-theirs", "s1", []string{"their-u1:Hi"})
			}
			switch route := method + " " + path; routesOfTwo[route] {
			case alike, ofAll:
				status, answer := b.call(method, url, sent, "X-User", "eve")
				another, other := a.call(method, url, sent, "X-User", "ada")
				if status != another || answer != other || status == http.StatusUnauthorized {
					t.Errorf("%s = %d %s for eve and %d %s for ada", route, status, answer, another, other)
				}
				public := routesOfTwo[route] == ofAll
				if status, _ := b.call(method, url, sent); (status == http.StatusUnauthorized) == public {
					t.Errorf("%s for nobody = %d", route, status)
				}
			case self:
				for user, w := range map[string]*world{"ada": a, "eve": b} {
					if status, answer := w.call(method, url, "", "X-User", user); status != http.StatusOK || !strings.Contains(answer, `"id":"key:`+user+`"`) {
						t.Errorf("%s for %s = %d %s", route, user, status, answer)
					}
				}
				if status, _ := b.call(method, url, ""); status != http.StatusUnauthorized {
					t.Errorf("%s for nobody = %d", route, status)
				}
			case listed:
				status, answer := b.call(method, url, "", "X-User", "eve")
				if !strings.Contains(answer, `"threads":[]`) || status != http.StatusOK {
					t.Errorf("%s for eve = %d %s", route, status, answer)
				}
				if _, answer := a.call(method, url, "", "X-User", "ada"); strings.Count(answer, "-theirs") != 3 {
					t.Errorf("%s for ada = %s", route, answer)
				}
			case allOf:
				if status, answer := b.call(method, url, "", "X-User", "eve"); status/100 != 2 || strings.Contains(answer, "-theirs") {
					t.Errorf("%s for eve = %d %s", route, status, answer)
				}
				if status, _ := b.call(method, url, ""); status != http.StatusUnauthorized {
					t.Errorf("%s for nobody = %d", route, status)
				}
			case asked:
				if !tried[route] {
					t.Errorf("%s is not tried with another's thread", route)
				}
			default:
				t.Errorf("%s has no rule for two principals", route)
			}
		}
	}
}

// document is a thread as its principal is shown it.
func (w *world) document(thread, user string) string {
	w.t.Helper()
	status, body := w.call("GET", "/threads/"+thread, "", "X-User", user)
	if status != http.StatusOK {
		w.t.Fatalf("GET /threads/%s = %d %s", thread, status, body)
	}
	return body
}

// member is a text that an answer has under a name.
func member(t *testing.T, answer, name string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(answer), &members); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	text, _ := members[name].(string)
	return text
}

// ownParts are the parts of two answers that differ by time, generated ids, and their threads' marks.
var ownParts = regexp.MustCompile(`\b(?:int_)?(?:id\d+|\d{13}|\d{4}-\d\d-\d\dT[0-9:.]+Z|[A-Z2-7]{26}|[0-9a-f]{8}-[0-9a-f-]{27})\b|(?m:-[0-9]{1,10}$)`)

// asEve sends a request about a thread as eve, and returns status, headers and body without the parts that differ
// between threads and times.
func (w *world) asEve(route threadRoute, thread string, replaced []string) string {
	w.t.Helper()
	replaced = append([]string{"{id}", thread, "{thread}", thread, "{agent}", "team", "{run}", "1", "{message}", "their-u1", "{file}", "1"}, replaced...)
	return strings.ReplaceAll(w.answerToEve(route, strings.NewReplacer(replaced...)), thread, "X")
}

// answerToEve sends a request as eve with the replacements of fill, and returns status, headers and body without
// generated ids.
func (w *world) answerToEve(route threadRoute, fill *strings.Replacer) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience) // a stream of what they do may have no end
	defer cancel()
	response := w.request(ctx, route.method, fill.Replace(route.path)+route.query, fill.Replace(route.body), append(route.header, "X-User", "eve")...)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("%s %s%s: %v after %s", route.method, route.path, route.query, err, body)
	}
	for _, name := range []string{"Date", "Content-Length"} { // the body is compared itself
		response.Header.Del(name)
	}
	return ownParts.ReplaceAllString(fmt.Sprint(response.StatusCode, response.Header, "\n", string(body)), "X")
}
