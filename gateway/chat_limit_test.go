package gateway_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/telemetry"
)

// TestAChatThatUsesUpItsTurnsSaysSo in the run's result, its trace, the log and the metrics, at any depth in the team;
// a chat that is expected to end so does not.
func TestAChatThatUsesUpItsTurnsSaysSo(t *testing.T) {
	t.Parallel()
	talker := groupchat.Participant{Name: "a", Agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
		return groupchat.SayOnce(t, "x", "again")
	})}
	endless := func(rounds int) *groupchat.Chat {
		return &groupchat.Chat{Manager: groupchat.Rules("a"), MaxRounds: rounds, Participants: []groupchat.Participant{talker}}
	}
	m := newMeter(t)
	log := &lockedBuffer{}
	w := newWorld(t, func(o *gateway.Options) {
		o.Log = slog.New(slog.NewJSONHandler(log, nil))
		o.Agents = map[string]groupchat.Agent{
			"endless": endless(2),
			"deep": &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
				{Name: "one", Agent: endless(2)}, {Name: "two", Agent: endless(1)},
			}},
			"meant": &groupchat.Chat{Manager: groupchat.RoundRobin(), MaxRounds: 2, Participants: []groupchat.Participant{talker}},
		}
		o.Agent = map[string]gateway.AgentOptions{}
		m.options(o)
	})
	for agent, want := range map[string]string{
		"endless": `{"chats":[""],"reason":"max_rounds"}`,
		"deep":    `{"chats":["one","two"],"reason":"max_rounds"}`,
		"meant":   "",
	} {
		if got := string(w.post(agent, input(agent, "r", []string{"u:go"})).finished().Result); got != want {
			t.Errorf("%s: the result is %s, want %s", agent, got, want)
		}
		limits := 0
		for _, s := range w.trace(agent, 1).Steps {
			if s.Kind == telemetry.KindChoice && s.Limit == "max_rounds" {
				limits++
			}
		}
		if want := map[string]int{"endless": 1, "deep": 2}[agent]; limits != want {
			t.Errorf("%s: the trace has %d steps with the limit, want %d", agent, limits, want)
		}
	}
	m.settled(w)
	if got := m.read()["limits{limit=max_rounds}"]; got != 3 {
		t.Errorf("the limit is counted %v times, want 3: %v", got, m.read())
	}
	var ended []string
	for _, line := range log.lines(t, "run: ended") {
		if line["limit"] == "max_rounds" {
			ended = append(ended, line["agent"].(string))
		}
	}
	slices.Sort(ended)
	if got := strings.Join(ended, " "); got != "deep endless" {
		t.Errorf("the log names the limit of %q", got)
	}
}
