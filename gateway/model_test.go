package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A thinker is a model's server: it calls the tool in its request, and mentions the result. It fails on request. Each
// reply uses 10 input tokens and 2 output tokens.
type thinker struct {
	network *network
	asked   atomic.Int64
	url     string
	model   *openai.Model
}

func newThinker(t *testing.T) *thinker {
	t.Helper()
	return newThinkerOn(t, nil)
}

// newThinkerOn is newThinker on a network.
func newThinkerOn(t *testing.T, n *network) *thinker {
	t.Helper()
	m := &thinker{network: n}
	server := n.serve(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	m.model = m.priced(t, nil)
	return m
}

// priced is the model with a price.
func (m *thinker) priced(t *testing.T, p *model.Price) *openai.Model {
	t.Helper()
	priced, err := openai.New(openai.Options{Provider: "mock", BaseURL: m.url, Name: "m1", Retries: -1, Price: p, HTTP: m.network.http()})
	if err != nil {
		t.Fatal(err)
	}
	return priced
}

func (m *thinker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.asked.Add(1)
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	last := in.Messages[len(in.Messages)-1]
	delta, reason := `"content":"Here you are."`, "stop"
	switch {
	case strings.Contains(string(last.Content), "fail"):
		http.Error(w, "{}", http.StatusInternalServerError)
		return
	case last.Role != "tool" && len(in.Tools) > 0:
		delta, reason = fmt.Sprintf(`"tool_calls":[{"index":0,"id":"x","function":{"name":%q,"arguments":"{}"}}]`, in.Tools[0].Function.Name), "tool_calls"
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n"+
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}}\n\ndata: [DONE]\n\n", delta, reason)
}

// tokens is the usage of so many answers.
func tokens(answers int64) []agui.TokenUsage {
	n := func(i int64) *int64 { i *= answers; return &i }
	return []agui.TokenUsage{{Provider: "mock", Model: "m1", InputTokens: n(10), OutputTokens: n(2), TotalTokens: n(12)}}
}

// used compares a run's usage, or a thread's.
func used(t *testing.T, what string, got, want []agui.TokenUsage) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s used (-want +got):\n%s", what, diff)
	}
}

// usage is what GET /threads/{id} says the thread has used.
func (w *world) usage(id string) []agui.TokenUsage {
	w.t.Helper()
	_, body := w.call(http.MethodGet, "/threads/"+id, "")
	var doc struct{ Usage []agui.TokenUsage }
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		w.t.Fatal(err)
	}
	return doc.Usage
}

// thinking is a gateway with an agent that has one tool, which calls do.
func thinking(t *testing.T, do func(context.Context) (string, error), approve tools.Approval) (*world, *thinker) {
	t.Helper()
	m := newThinker(t)
	tool := groupchat.NewTool("look", "Looks", func(ctx context.Context, _ groupchat.ToolCall, _ struct{}) (string, error) { return do(ctx) })
	tool.Approve = approve
	return newWorld(t, func(o *gateway.Options) {
		o.Agents["desk"] = &groupchat.LLM{Model: m.model, Tools: []groupchat.Tool{tool}}
	}), m
}

func looks(context.Context) (string, error) { return "seen", nil }

func TestUsageOfRunsAndThreads(t *testing.T) {
	t.Parallel()
	w, _ := thinking(t, looks, tools.ApproveByAgent)
	used(t, "the first run", w.post("desk", input("t", "r1", []string{"u1:go"})).finished().Usage, tokens(2))
	used(t, "the thread", w.usage("t"), tokens(2))
	used(t, "the second run", w.post("desk", input("t", "r2", []string{"u1:go", "u2:again"})).finished().Usage, tokens(2))
	used(t, "the thread", w.usage("t"), tokens(4))
	w.shows("t")
}

func TestUsageOfARunThatFails(t *testing.T) {
	t.Parallel()
	w, _ := thinking(t, func(context.Context) (string, error) { return "fail", nil }, tools.ApproveByAgent)
	r := w.post("desk", input("t", "r1", []string{"u1:go"}))
	failed, ok := r.last().(*agui.RunError)
	if !ok || failed.Code != string(errcode.ModelUnavailable) {
		t.Fatalf("ended with %s", r.lines(0))
	}
	used(t, "the run", failed.Usage, tokens(1))
	used(t, "the thread", w.usage("t"), tokens(1))
}

func TestUsageOfARunThatIsStopped(t *testing.T) {
	t.Parallel()
	looking := make(chan struct{})
	w, _ := thinking(t, func(ctx context.Context) (string, error) {
		close(looking)
		<-ctx.Done()
		return "", ctx.Err()
	}, tools.ApproveByAgent)
	r := w.begin(http.MethodPost, "/agents/desk", input("t", "r1", []string{"u1:go"}))
	defer r.hangUp()
	receive(t, "the tool works", looking)
	w.call(http.MethodPost, "/threads/t/stop", "")
	r.rest()
	used(t, "the run", r.finished().Usage, tokens(1))
	used(t, "the thread", w.usage("t"), tokens(1))
	w.shows("t")
}

// TestRow129ApprovalOverTheWire asks before a tool runs, and counts what each of the two runs uses.
func TestRow129ApprovalOverTheWire(t *testing.T) {
	t.Parallel()
	var looked atomic.Int64
	w, m := thinking(t, func(context.Context) (string, error) { looked.Add(1); return "seen", nil }, tools.ApproveAlways)
	first := w.post("desk", input("t", "r1", []string{"u1:go"}))
	asked := first.interrupts()
	if len(asked) != 1 || asked[0].Reason != "tool_call" || asked[0].ToolCallID == "" || looked.Load() != 0 {
		t.Fatalf("asked %+v, looked %d times", asked, looked.Load())
	}
	used(t, "the first run", first.finished().Usage, tokens(1))
	w.shows("t")
	// CopilotKit makes up a tool message of the answer: it is not the result.
	body := strings.Replace(input("t", "r2", []string{"u1:go"}, `"resume":[{"interruptId":`+quote(asked[0].ID)+`,"status":"resolved","payload":"{\"approved\":true}"}]`),
		`"messages":[`, `"messages":[{"id":"made-up","role":"tool","toolCallId":`+quote(asked[0].ToolCallID)+`,"content":"approved"},`, 1)
	second := w.post("desk", body)
	if looked.Load() != 1 || m.asked.Load() != 2 {
		t.Errorf("looked %d times, asked %d times", looked.Load(), m.asked.Load())
	}
	results := 0
	for _, e := range second.events {
		switch e := e.(type) {
		case *agui.ToolCallStart, *agui.ToolCallArgs, *agui.ToolCallEnd:
			t.Errorf("the resumed run sent %s", agui.TypeOf(e))
		case *agui.ToolCallResult:
			results++
			if e.ToolCallID != asked[0].ToolCallID || e.Content.Text() != "seen" {
				t.Errorf("result %+v", e)
			}
		}
	}
	if results != 1 {
		t.Errorf("%d results", results)
	}
	used(t, "the second run", second.finished().Usage, tokens(1))
	used(t, "the thread", w.usage("t"), tokens(2))
	w.shows("t")
}

// TestApprovedOnce has a model fail after a call that a person approved. The call was made: its result is used, and the
// next message continues from it.
func TestApprovedOnce(t *testing.T) {
	t.Parallel()
	var looked atomic.Int64
	w, m := thinking(t, func(context.Context) (string, error) { looked.Add(1); return "fail", nil }, tools.ApproveAlways)
	asked := w.post("desk", input("t", "r1", []string{"u1:go"})).interrupts()
	resume := `"resume":[{"interruptId":` + quote(asked[0].ID) + `,"status":"resolved","payload":{"approved":true}}]`
	r := w.post("desk", input("t", "r2", []string{"u1:go"}, resume))
	if failed, ok := r.last().(*agui.RunError); !ok || failed.Code != string(errcode.ModelUnavailable) {
		t.Fatalf("ended with %s", r.lines(0))
	}
	w.post("desk", input("t", "r3", []string{"u1:go"}, resume)).finished() // the same click again
	if looked.Load() != 1 || m.asked.Load() != 2 {
		t.Errorf("looked %d times, asked %d times", looked.Load(), m.asked.Load())
	}
	_, body := w.call(http.MethodGet, "/threads/t", "")
	var doc struct {
		Status     string
		Messages   []agui.Message
		Interrupts []agui.Interrupt
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Status != "failed" || len(doc.Interrupts) != 0 || doc.Messages[len(doc.Messages)-1].Content.Text() != "fail" {
		t.Errorf("thread %s", body)
	}
}

// TestUsageOverATakeover counts what the dead replica used, of turns that were committed and of the one that was not,
// and asks the model nothing again.
func TestUsageOverATakeover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, usageOverATakeover)
}

func usageOverATakeover(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	m := newThinkerOn(t, newNetwork())
	priced := m.priced(t, &model.Price{Input: 3, Output: 10})
	var looked atomic.Int64
	server := func(store state.Store, gate chan struct{}) *world {
		look := groupchat.Tool{Name: "look", Call: func(ctx context.Context, _ groupchat.ToolCall) (tools.Result, error) {
			looked.Add(1)
			select {
			case <-gate:
				return tools.Text("seen"), nil
			case <-ctx.Done():
				return tools.Result{}, ctx.Err()
			}
		}}
		return newBubbleWorld(t, func(o *gateway.Options) {
			o.Store, o.Shared, o.Now, o.NewID, o.Agent, o.Legacy = store, true, nil, nil, nil, "team"
			o.Agents = map[string]groupchat.Agent{"team": &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
				{Name: "ann", Agent: &groupchat.LLM{Model: priced}},
				{Name: "bob", Agent: &groupchat.LLM{Model: priced, Tools: []groupchat.Tool{look}}},
			}}}
		})
	}
	door := newMortal(shared)
	defer close(door.buried)
	gate := make(chan struct{}, 1)
	a, b := server(door, make(chan struct{})), server(shared, gate)
	owner := a.begin(http.MethodPost, "/agents/team?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer owner.hangUp()
	owner.until(agui.TypeToolCallEnd)
	eventually(t, "the tool works", func() bool { return looked.Load() == 1 })
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.until(agui.TypeToolCallStart)
	close(door.dead)
	gate <- struct{}{}
	watcher.rest()
	results := map[string]int{}
	for _, e := range watcher.events {
		switch e := e.(type) {
		case *agui.ToolCallStart:
			results[e.ToolCallID] += 0
		case *agui.ToolCallResult:
			results[e.ToolCallID]++
		}
	}
	for call, n := range results { // that of the dead replica has the error that its run moved
		if n != 1 || len(results) != 2 {
			t.Errorf("of %d calls %s has %d results, want one of each of 2", len(results), call, n)
		}
	}
	used(t, "the run", watcher.finished().Usage, tokens(3))
	used(t, "the thread", b.usage("t"), tokens(3))
	if thread, runs := b.costs("t"); !is(thread, 0.00015) || !is(runs[0], 0.00015) {
		t.Errorf("costs = %v %v, want 0.00015", thread, runs)
	}
	if m.asked.Load() != 3 || looked.Load() != 2 {
		t.Errorf("asked %d times, looked %d times", m.asked.Load(), looked.Load())
	}
	b.shows("t")
}

// TestWordsOfAModelThatBroke lets a member of a team say a whole message, and another break off in the middle of one.
func TestWordsOfAModelThatBroke(t *testing.T) {
	t.Parallel()
	half := make(chan struct{}, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Half a\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		half <- struct{}{}
		if strings.HasPrefix(r.URL.Path, "/waits") {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	team := func(path string) groupchat.Agent {
		m, err := openai.New(openai.Options{BaseURL: server.URL + path, Name: "m", Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		whole := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.SayOnce(t, "say", "Whole.") })
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
			{Name: "ann", Agent: whole}, {Name: "bob", Agent: &groupchat.LLM{Model: m}},
		}}
	}
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["breaks"], o.Agents["waits"] = team("/breaks"), team("/waits")
	})
	r := w.post("breaks", input("t", "r1", []string{"u1:go"}))
	if r.code() != string(errcode.ModelResponse) {
		t.Errorf("code = %q", r.code())
	}
	if said := w.said("t"); said != "go|Whole." {
		t.Errorf("the thread says %q", said)
	}
	w.shows("t")

	receive(t, "the model speaks", half)
	stopped := w.begin(http.MethodPost, "/agents/waits", input("s", "r1", []string{"u1:go"}))
	defer stopped.hangUp()
	stopped.hears("Half a")
	w.call(http.MethodPost, "/threads/s/stop", "")
	stopped.rest()
	if stopped.finished().Outcome.Type != agui.OutcomeCancelled {
		t.Errorf("outcome = %+v", stopped.finished().Outcome)
	}
	if said := w.said("s"); said != "go|Whole.|Half a" {
		t.Errorf("the stopped thread says %q", said)
	}
	w.shows("s")
}

// said is what the messages of a thread say.
func (w *world) said(id string) string {
	w.t.Helper()
	var said []string
	for _, m := range w.thread(id).Messages {
		said = append(said, m.Content.Text())
	}
	return strings.Join(said, "|")
}
