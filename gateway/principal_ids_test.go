package gateway_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

// patchIDs are the ids of patches with an idempotency key, and the tags of states, which differ from thread to thread.
var patchIDs = regexp.MustCompile(`patch-[0-9a-f]{32}|Etag:\["[0-9a-z]+`)

// theirIDs are ids of another principal's thread, and their placeholders in a request.
type theirIDs struct{ cursor, question, patch, key, message, run string }

func (ids theirIDs) fill(thread string) *strings.Replacer {
	return strings.NewReplacer("{id}", thread, "{thread}", thread, "{agent}", "team", "{cursor}", ids.cursor, "{question}", ids.question,
		"{patch}", ids.patch, "{key}", ids.key, "{message}", ids.message, "{run}", ids.run)
}

// requestsWithIDs are requests about a thread of one's own, with ids that may be somebody else's.
func requestsWithIDs() []threadRoute {
	merge := func(body string) threadRoute {
		return threadRoute{"PATCH", "/threads/{id}/state", "", body, []string{"Content-Type", "application/merge-patch+json", "Idempotency-Key", `"{key}"`}}
	}
	answer := answerTo("{question}", "M")
	return []threadRoute{
		{"GET", "/threads/{id}/events", "?protocolVersion=1.0", "", []string{"Last-Event-ID", "{cursor}"}},
		{"HEAD", "/threads/{id}/events", "", "", []string{"Last-Event-ID", "{cursor}"}},
		{"GET", "/threads/{id}", "?before={message}", "", nil},
		{"GET", "/threads/{id}/state/patches/{patch}", "", "", nil},
		merge(`{"said":"their words"}`), merge(`{"said":"mine"}`), // the first is what they have sent under the key
		{"POST", "/threads/{id}/fork", "", `{"messageId":"{message}"}`, nil},
		{"POST", "/threads/{id}/resume", "", "{" + answer + "}", nil},
		{"POST", "/threads/{id}/resume", "?refusals=ask", "{" + answer + "}", []string{"Accept", "text/event-stream"}},
		{"POST", "/agents/{agent}", "", input("{thread}", "r2", nil, answer), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "{run}", nil, answer), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "{run}", []string{"u1:my words"}), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "r2", []string{"{message}:my words"}), nil},
		{"POST", "/agents/{agent}", "", input("{thread}", "r2", []string{"{message}:my words"}, `"parentRunId":"{run}"`, `"forwardedProps":{"gateway":{"regenerate":true}}`), nil},
		{"POST", "/subgraphs", "", input("{thread}", "r2", nil, `"forwardedProps":{"command":{"resume":"M","interruptEvent":{"id":"{question}"}}}`), nil},
		{"POST", "/api/copilotkit/agent/{agent}/run", "", pageInput("{thread}", "{run}", []string{"u1:my words"}, answer), nil},
		{"POST", "/api/copilotkit/agent/{agent}/connect", "", pageInput("{thread}", "{run}", nil), []string{"Last-Event-ID", "{cursor}"}},
		{"POST", "/api/copilotkit/agent/{agent}/stop/{thread}", "", `{"runId":"{run}"}`, nil},
		{"GET", "/api/copilotkit/threads/{thread}/events", "", "", []string{"Last-Event-ID", "{cursor}"}},
	}
}

// theirIDsAreUnknown has eve use ada's ids on her own threads, where each is like an unknown id.
func theirIDsAreUnknown(t *testing.T, a, b *world) {
	t.Helper()
	begin := func(w *world, user, thread string) (cursor, question string) {
		t.Helper()
		r := w.begin("POST", "/agents/team", input(thread, thread+"-run", []string{thread + "-u1:my words"}), "X-User", user)
		defer r.hangUp()
		r.rest()
		return r.records[len(r.records)-2].ID, r.interrupts()[0].ID
	}
	theirs := theirIDs{key: "their-key", message: "asks-ada-u1", run: "asks-ada-run"}
	theirs.cursor, theirs.question = begin(a, "ada", "asks-ada")
	status, patch := a.call("PATCH", "/threads/asks-ada/state", `{"said":"their words"}`, "X-User", "ada", "Content-Type", "application/merge-patch+json", "Idempotency-Key", `"their-key"`)
	if theirs.patch = member(t, patch, "patch"); status != http.StatusOK || theirs.patch == "" {
		t.Fatalf("PATCH state = %d %s", status, patch)
	}
	nobodys := theirIDs{
		cursor: "1-1-1", question: "int_AAAAAAAAAAAAAAAAAAAAAAAAAA", patch: "patch-00000000000000000000000000000000", key: "my-key", message: "asks-nil-u1", run: "asks-nil-run",
	}
	before := a.document("asks-ada", "ada")
	for i, route := range requestsWithIDs() {
		var answers [2]string
		for j, ids := range []theirIDs{nobodys, theirs} {
			thread := fmt.Sprintf("asks-%d-%d", i, j)
			begin(b, "eve", thread)
			fill := ids.fill(thread)
			sent := threadRoute{route.method, route.path, fill.Replace(route.query), route.body, nil}
			for _, value := range route.header {
				sent.header = append(sent.header, fill.Replace(value))
			}
			answers[j] = strings.NewReplacer(thread, "T", ids.message, "M", ids.run, "R", ids.patch, "P").Replace(b.answerToEve(sent, fill))
			answers[j] = patchIDs.ReplaceAllString(answers[j], "P")
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("%s %s%s %s %s (-with nobody's ids +with theirs):\n%s", route.method, route.path, route.query, route.header, route.body, diff)
		}
		if strings.Contains(answers[1], "their words") && !strings.Contains(route.body, "their words") {
			t.Errorf("%s %s shows what they said: %s", route.method, route.path, answers[1])
		}
	}
	if diff := cmp.Diff(before, a.document("asks-ada", "ada")); diff != "" {
		t.Errorf("their thread has changed (-before +after):\n%s", diff)
	}
	own := a.open("POST", "/threads/asks-ada/resume", `{`+answerTo(theirs.question, "M")+`}`, "X-User", "ada", "Accept", "text/event-stream")
	own.rest()
	if f := own.finished(); f.Outcome != nil && f.Outcome.Type != agui.OutcomeSuccess {
		t.Errorf("one's own question cannot be answered any more: %+v", f)
	}
}
