package gateway_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// SUBAGENT_* events are sent to who can read them: who states a protocol version, or says so.
func TestSubagentsAreToldToWhoKnowsThem(t *testing.T) {
	t.Parallel()
	const page = pages + "/agent/desk/run"
	stated := input("t", "r1", []string{"u1:Hi"}, `"tools":[]`, `"context":[]`)
	said := func(how string) string {
		return pageInput("t", "r1", []string{"u1:Hi"}, `"forwardedProps":{"gateway":{"subagents":`+how+`}}`)
	}
	before := pageInput("t", "r1", []string{"u1:Hi"})
	for _, test := range []struct {
		name, path, body, header string
		want                     bool
	}{
		{"a client of 1.0", "/agents/desk", stated, "", true},
		{"a client before 1.0", "/agents/desk", before, "", false},
		{"a page", page, before, "", false},
		{"a page of 1.0", page, stated, "", true},
		{"an older client that asks in the query", "/agents/desk?subagents=on", before, "", true},
		{"an older client that asks in a header", "/agents/desk", before, "on", true},
		{"an older client that asks in a property", "/agents/desk", said(`"on"`), "", true},
		{"a page that asks in the query", page + "?subagents=on", before, "", true},
		{"a page that asks in a header", page, before, "on", true},
		{"a page that asks in a property", page, said(`"on"`), "", true},
		{"a page with a property that is null", page, said(`null`), "", false},
		{"a client of 1.0 that wants none", "/agents/desk?subagents=off", stated, "", false},
		{"a client of 1.0 that says so in a header", "/agents/desk", stated, "off", false},
		{"the query before the header", "/agents/desk?subagents=off", stated, "on", false},
		{"the header before the property", "/agents/desk", said(`"on"`), "off", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.open(http.MethodPost, test.path, test.body, "X-Gateway-Subagents", test.header)
			r.rest()
			for _, kind := range []agui.EventType{agui.TypeSubagentStarted, agui.TypeSubagentFinished} {
				if got := slices.Contains(types(r.events), kind); got != test.want {
					t.Errorf("%s is sent: %t, want %t", kind, got, test.want)
				}
			}
		})
	}
}

// Who attaches is sent them by the same rule, and there is no body.
func TestSubagentsAreToldToWhoAttachesAndKnowsThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("desk", input("t", "r1", []string{"u1:Hi"}))
	for _, test := range []struct {
		query, header string
		want          bool
	}{
		{"", "", false},
		{"?protocolVersion=1.0", "", true},
		{"?subagents=on", "", true},
		{"", "on", true},
		{"?protocolVersion=1.0", "off", false},
	} {
		r := w.open(http.MethodGet, "/threads/t/events"+test.query, "", "Last-Event-ID", "0-0", "X-Gateway-Subagents", test.header)
		r.rest()
		if got := slices.Contains(types(r.events), agui.TypeSubagentStarted); got != test.want {
			t.Errorf("%q with header %q: sent %t, want %t", test.query, test.header, got, test.want)
		}
	}
}

// The setting is the default for requests, an agent's before the server's; POST /subgraphs is for clients that do not
// know subagents, with any setting.
func TestSubagentEventsAreASetting(t *testing.T) {
	t.Parallel()
	stated := input("t", "r1", []string{"u1:Hi"})
	before := pageInput("t", "r1", []string{"u1:Hi"})
	for _, test := range []struct {
		server, agent gateway.SubagentEvents
		path          string
		stated, older bool // are sent them
	}{
		{"", "", "/agents/desk", true, false},
		{gateway.SubagentsAuto, "", "/agents/desk", true, false},
		{gateway.SubagentsOn, "", "/agents/desk", true, true},
		{gateway.SubagentsOff, "", "/agents/desk", false, false},
		{gateway.SubagentsOff, gateway.SubagentsOn, "/agents/desk", true, true},
		{gateway.SubagentsOn, gateway.SubagentsAuto, "/agents/desk", true, false},
		{gateway.SubagentsOn, gateway.SubagentsOff, "/agents/desk", false, false},
		{gateway.SubagentsOff, "", "/agents/desk?subagents=on", true, true},
		{gateway.SubagentsOn, gateway.SubagentsOn, "/subgraphs", false, false},
		{gateway.SubagentsAuto, "", "/subgraphs?subagents=on", true, true},
	} {
		for body, want := range map[string]bool{stated: test.stated, before: test.older} {
			w := newWorld(t, func(o *gateway.Options) {
				o.SubagentEvents, o.Legacy = test.server, "desk"
				o.Agent["desk"] = gateway.AgentOptions{SubagentEvents: test.agent}
			})
			r := w.open(http.MethodPost, test.path, body)
			r.rest()
			if got := slices.Contains(types(r.events), agui.TypeSubagentStarted); got != want {
				t.Errorf("server %q, agent %q: %s %s: sent %t, want %t", test.server, test.agent, test.path, body, got, want)
			}
		}
	}
}
