package httptool

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/telemetry"
)

// TestAnAgentsRequests are repeated with one key where the endpoint knows repeated ones, asked about where they change
// something, and made once.
func TestAnAgentsRequests(t *testing.T) {
	t.Parallel()
	for _, idempotent := range []bool{true, false} {
		var server *recorder
		server, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if len(server.requests()) == 1 {
				answers(503, "text/plain", "busy")(w, r)
				return
			}
			answers(200, "application/json", `{"paid":true}`)(w, r)
		})
		o := Options{Name: "pay", URL: base, Method: "POST", Idempotent: idempotent}
		if idempotent {
			o.Retry = tools.Retry{Times: 1, Backoff: -1}
		}
		m := modeltest.New(t, modeltest.Calls("pay", `{"n":20}`), modeltest.Text("Done."))
		th := groupchattest.NewThread(t, &groupchat.LLM{Model: m, Tools: []groupchat.Tool{made(t, o)}}, groupchattest.Options{})
		if run := th.Say("Pay."); len(run.Questions) != 1 || len(server.requests()) != 0 {
			t.Fatalf("%d questions and %d requests, want one question before any request", len(run.Questions), len(server.requests()))
		}
		th.Approve("pay")
		all, told := server.requests(), m.Requests()[1].Last()
		if !idempotent {
			if len(all) != 1 || !strings.Contains(told, "HTTP 503") || all[0].header.Get("Idempotency-Key") != "" {
				t.Errorf("%d requests, told %q, want one that has failed", len(all), told)
			}
			continue
		}
		if len(all) != 2 || told != `{"paid":true}` {
			t.Fatalf("%d requests, told %q, want two and the answer", len(all), told)
		}
		if key := all[0].header.Get("Idempotency-Key"); len(key) < 16 || key != all[1].header.Get("Idempotency-Key") {
			t.Errorf("the keys are %q and %q, want the call's twice", key, all[1].header.Get("Idempotency-Key"))
		}
	}
}

// TestAServerIsToldOfTheTrace that a call is part of.
func TestAServerIsToldOfTheTrace(t *testing.T) {
	t.Parallel()
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	server, base := serve(t, answers(200, "text/plain", "ok"))
	tool := made(t, Options{URL: base})
	for _, ctx := range []context.Context{telemetry.WithTraceparent(t.Context(), trace), t.Context()} {
		if _, err := call(ctx, tool, `{}`); err != nil {
			t.Fatal(err)
		}
	}
	all := server.requests()
	if got, other := all[0].header.Get("Traceparent"), all[1].header.Get("Traceparent"); got != trace || other != "" {
		t.Errorf("Traceparent = %q and %q, want that of the call, and none", got, other)
	}
}

// TestNothingIsAskedForTwice wherever the process dies: a request that may not be repeated is made once, or not at all,
// and one that may has its key each time.
func TestNothingIsAskedForTwice(t *testing.T) {
	t.Parallel()
	for _, idempotent := range []bool{true, false} {
		var server *recorder
		build := func(u modeltest.T) *groupchattest.Thread {
			var base string
			server, base = serve(t, answers(200, "application/json", `{"paid":true}`))
			tool := made(t, Options{Name: "pay", URL: base, Method: "POST", Idempotent: idempotent})
			m := modeltest.New(u, modeltest.Calls("pay", `{"n":20}`), modeltest.Text("Done."))
			return groupchattest.NewThread(u, &groupchat.LLM{Model: m, Tools: []groupchat.Tool{tool}}, groupchattest.Options{})
		}
		done := 0
		places := groupchattest.EachTakeover(t, build, func(th *groupchattest.Thread) {
			th.Say("Pay.")
			if run := th.Approve("pay"); run.Text != "Done." {
				t.Errorf("the agent says %q", run.Text)
			}
			all := server.requests()
			done += len(all)
			for _, r := range all[min(1, len(all)):] {
				if key := r.header.Get("Idempotency-Key"); !idempotent || key == "" || key != all[0].header.Get("Idempotency-Key") {
					t.Errorf("idempotent %v: asked %d times, the last time with the key %q", idempotent, len(all), key)
				}
			}
		})
		if places < 3 || done < places-1 {
			t.Errorf("idempotent %v: %d requests after deaths at %d places", idempotent, done, places)
		}
	}
}
