package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/groupchat/script"
	"github.com/agui-gateway/gateway/groupchat/suggest"
)

// GET /agents tells what an agent is made of: who chooses or starts, who may hand over to whom, and the teams inside.
func TestATeamIsDescribed(t *testing.T) {
	t.Parallel()
	says := &script.Agent{Description: "Says it", Steps: []script.Step{{Say: "x"}}}
	chat := func(manager func() groupchat.Manager, names ...string) *groupchat.Chat {
		c := &groupchat.Chat{Manager: manager}
		for _, name := range names {
			c.Participants = append(c.Participants, groupchat.Participant{Name: name, Agent: says})
		}
		return c
	}
	nested := chat(groupchat.Sequential(), "one")
	nested.Participants = append(nested.Participants, groupchat.Participant{Name: "team", Agent: chat(groupchat.RoundRobin(), "in"), Description: "Many"})
	fan := &groupchat.Concurrent{Participants: []groupchat.Participant{{Name: "left", Agent: says}}}
	for _, c := range []struct {
		what  string
		agent profile.Describer
		want  string
	}{
		{"an agent alone", says, `{"kind":"script"}`},
		{
			"whose supervisor chooses", nested,
			`{"kind":"chat","manager":"sequential","supervisor":"supervisor","participants":[{"name":"one","description":"Says it","kind":"script"},` +
				`{"name":"team","description":"Many","kind":"chat","manager":"round_robin","supervisor":"supervisor","participants":[{"name":"in","description":"Says it","kind":"script"}]}]}`,
		},
		{
			"who hand over along edges", chat(groupchat.Handoff(groupchat.HandoffOptions{Start: "a", Edges: map[string][]string{"a": {"b"}}}), "a", "b"),
			`{"kind":"chat","manager":"handoff","start":"a","participants":[{"name":"a","description":"Says it","handsOverTo":["b"],"kind":"script"},{"name":"b","description":"Says it","kind":"script"}]}`,
		},
		{
			"who hand over to anybody", chat(groupchat.Handoff(groupchat.HandoffOptions{Start: "b"}), "a", "b"),
			`{"kind":"chat","manager":"handoff","start":"b","participants":[{"name":"a","description":"Says it","handsOverTo":["b"],"kind":"script"},{"name":"b","description":"Says it","handsOverTo":["a"],"kind":"script"}]}`,
		},
		{"who work at the same time", fan, `{"kind":"fan","participants":[{"name":"left","description":"Says it","kind":"script"}]}`},
	} {
		got, err := json.Marshal(teamOf(c.agent.Describe()))
		if err != nil || string(got) != c.want {
			t.Errorf("a team %s is told as\n%s (%v), want\n%s", c.what, got, err, c.want)
		}
	}
}

// However large a team is, its description is bounded, and says that there is more.
func TestTheDescriptionOfATeamIsBounded(t *testing.T) {
	t.Parallel()
	large := &groupchat.Chat{Manager: groupchat.Handoff(groupchat.HandoffOptions{Start: "p0"})}
	for i := range maxTeam + 50 {
		inner := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "in", Agent: &script.Agent{}}}}
		large.Participants = append(large.Participants, groupchat.Participant{Name: fmt.Sprintf("p%d", i), Agent: inner})
	}
	doc := teamOf(large.Describe())
	participants, edges := 0, 0
	var count func(doc *teamDocument)
	count = func(doc *teamDocument) {
		for i := range doc.Participants {
			participants++
			edges += len(doc.Participants[i].HandsOverTo)
			count(&doc.Participants[i].teamDocument)
		}
	}
	count(doc)
	if participants != maxTeam || edges != maxEdges || !doc.More {
		t.Errorf("%d participants and %d handovers are told, want %d and %d; more is %v", participants, edges, maxTeam, maxEdges, doc.More)
	}
}

// GET /agents tells pages where callers may write to the state, and whether there are suggestions to ask for.
func TestWhatPagesNeedToKnowOfAnAgentIsTold(t *testing.T) {
	t.Parallel()
	says := &script.Agent{Steps: []script.Step{{Say: "x"}}}
	chat := func(client []string) *groupchat.Chat {
		return &groupchat.Chat{
			Manager: groupchat.Sequential(), State: groupchat.StateSpec{Client: client},
			Participants: []groupchat.Participant{{Name: "one", Agent: says}},
		}
	}
	suggests := suggest.New(suggest.Options{List: []groupchat.Suggestion{{Title: "Hi", Message: "Hello"}}})
	g, err := New(Options{Agents: map[string]groupchat.Agent{
		"everywhere": says, "here": groupchat.WithSuggestions(chat([]string{"/order"}), suggests), "nowhere": chat([]string{}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/agents", nil))
	type told struct {
		ID          string
		Suggestions bool
		Writable    []string
	}
	var answer struct{ Agents []told }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("GET /agents = %d %s: %v", w.Code, w.Body, err)
	}
	want := []told{{"everywhere", false, []string{""}}, {"here", true, []string{"/order"}}, {"nowhere", false, []string{}}}
	if !reflect.DeepEqual(answer.Agents, want) {
		t.Errorf("GET /agents tells %+v, want %+v", answer.Agents, want)
	}
}
