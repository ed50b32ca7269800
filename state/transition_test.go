package state

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"u1 a1(c1,c2) u2":                    "u1 a1 u2",
		"u1 a1(c1,c2) u2 t2>c2 t1>c1 a3":     "u1 a1 t2 t1 u2 a3",
		"u1 t9>zz a1(c1) a2(c2) t2>c2 t1>c1": "u1 t9 a1 t1 a2 t2",
		"t1>c1 a1(c1)":                       "t1 a1", // a result never stands before its call
	} {
		var list []StoredMessage
		for _, m := range messages(in) {
			stored, err := NewStoredMessage(m)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, stored)
		}
		conversation := NewConversation(list)
		decoded, err := conversation.Messages()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(idsOf(decoded), " "); got != want {
			t.Errorf("NewConversation(%q) = %q, want %q", in, got, want)
		}
		encoded, err := agui.List[agui.Message](decoded).MarshalJSON()
		if err != nil || string(encoded) != string(conversation.JSON()) {
			t.Errorf("JSON() = %s, want %s (%v)", conversation.JSON(), encoded, err)
		}
	}
}

// TestCutAfter compares an edit, which reads the end of a conversation alone, with a cut over all of it.
func TestCutAfter(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		f := thread(conversation(random))
		all := NewConversation(f.inSlots())
		id := ""
		if random.IntN(10) > 0 {
			id = all[random.IntN(len(all))].ID
		}
		s := newTransition(&f.Thread, noon)
		s.cutAfter(id, f)

		want := newTransition(&f.Thread, noon)
		n := want.Thread
		n.Count, n.Size, n.Slots, n.LastMessage, n.LastUser = 0, 0, 0, "", ""
		cut, calls := id == "", map[string]bool{}
		for _, m := range all {
			if cut && !calls[m.ToolCallID] {
				want.Left = append(want.Left, m.ID)
				n.Left += len(m.ID) + idSize
				continue
			}
			for _, call := range m.Calls {
				calls[call] = true
			}
			n.Count++
			n.Size += len(m.Raw)
			n.Slots = max(n.Slots, m.Slot+1)
			n.LastMessage = m.ID
			if m.Role == agui.RoleUser {
				n.LastUser = m.ID
			}
			cut = cut || m.ID == id
		}
		if diff := cmp.Diff(want.Left, s.Left); diff != "" {
			t.Fatalf("cutAfter(%q) of %s (-want +got):\n%s", id, f.conversation(), diff)
		}
		if diff := cmp.Diff(n, s.Thread); diff != "" {
			t.Fatalf("cutAfter(%q) of %s (-want +got):\n%s", id, f.conversation(), diff)
		}
	}
}

// conversation returns a random one in which results of calls come late, or without a call.
func conversation(random *rand.Rand) string {
	var specs, open []string
	for i := range 1 + random.IntN(12) {
		id := strconv.Itoa(i)
		switch kind := random.IntN(5); {
		case kind == 0:
			specs = append(specs, "u"+id)
		case kind == 1:
			specs = append(specs, "a"+id+"(c"+id+",d"+id+")")
			open = append(open, "c"+id, "d"+id)
		case kind == 2 && len(open) > 0:
			at := random.IntN(len(open))
			specs = append(specs, "t"+id+">"+open[at])
			open = slices.Delete(open, at, at+1)
		case kind == 3 && random.IntN(4) == 0:
			specs = append(specs, "t"+id+">nobody")
		default:
			specs = append(specs, "a"+id)
		}
	}
	return strings.Join(specs, " ")
}

// begin makes a request's verdict come true.
func (f *fixture) begin(t *testing.T, r *Request) Verdict {
	t.Helper()
	v, s, err := Plan(&f.Thread, f, r, Claim{Attempt: "x", TTL: time.Second, Fence: NextFence(&f.Thread, time.Time{})}, noon)
	if err != nil {
		t.Fatalf("Plan() = %v", err)
	}
	if s != nil {
		f.apply(s)
	}
	return v
}

func (f *fixture) commit(t *testing.T, c Commit) {
	t.Helper()
	s, err := PlanCommit(&f.Thread, f, c, noon)
	if err != nil {
		t.Fatalf("PlanCommit() = %v", err)
	}
	f.apply(s)
}

func TestBeginStep(t *testing.T) {
	t.Parallel()
	const v1 = `{"v":"x"}`
	tests := []struct {
		name  string
		f     *fixture
		r     *Request
		want  string // conversation
		added bool
		cut   bool
		kept  bool // the checkpoint
	}{
		{"start", chat(), ask("u3"), "u1 a1 u2 a2 u3", true, false, false},
		{"edit", chat(), ask("u1 a1 u3", editing), "u1 a1 u3", true, true, false},
		{"edit of the first", chat(), ask("u3", editing), "u3", true, true, false},
		{"edit behind a call keeps its result", thread("u1 a1(c1) t1>c1 a2"), ask("u1 a1 u3", editing), "u1 a1 t1 u3", true, true, false},
		{"edit that drops an open call", called("c1"), ask("u1 a1 u3", editing), "u1 a1 u3", true, true, false},
		{"regenerate", chat(), ask("u1", regenerate), "u1", false, true, false},
		{"regenerate a turn whose call was bound", asked("q1-/b1"), ask("u1 a1 u2", regenerate), "u1 a1 u2", false, true, false},
		{"repeat", chat().failed(true), ask("u1 a1 u2"), "u1 a1 u2 a2", false, false, false},
		{"resume", asked("q1"), ask("u3", answer("q1="+v1)), "u1 a1 u2 a2 u3", true, false, true},
		{"resume with calls", called("c1", "c2").asking("q1"), ask("t2>c2", answer("q1="+v1)), "u1 a1 u2 a2 t2 new", true, false, true},
		{"calls answered", called("c1=t1", "c2"), ask("t2>c2"), "u1 a1 u2 a2 t2", true, false, true},
		{"calls not answered", called("c2"), ask("u3"), "u1 a1 u2 a2 new u3", true, false, false},
		{"questions expired", asked("q1-/b1"), ask("u3"), "u1 a1 u2 a2 new u3", true, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := test.f
			v := f.begin(t, test.r)
			if !v.Meaning.Runs() || f.Thread.Live == nil {
				t.Fatalf("admit() = %s", brief(v))
			}
			if got := f.conversation(); got != test.want {
				t.Errorf("conversation = %q, want %q", got, test.want)
			}
			intent := f.Thread.Live.Intent
			got := []bool{intent.Added, intent.Cut, f.Thread.Checkpoint != nil}
			if want := []bool{test.added, test.cut, test.kept}; !cmp.Equal(got, want) {
				t.Errorf("added, cut, checkpoint = %v, want %v", got, want)
			}
			if !test.kept && len(f.Thread.Open)+len(f.Thread.Calls) > 0 {
				t.Errorf("open = %v, calls = %v", f.Thread.Open, f.Thread.Calls)
			}
			for _, token := range f.Tokens {
				want := TokenClaimed
				if !test.kept {
					want = TokenDropped
				}
				if token.Status != want {
					t.Errorf("token %s is %s, want %s", token.Interrupt.ID, token.Status, want)
				}
			}
		})
	}
}

// TestEndings is the part of the table of endings that the store decides.
func TestEndings(t *testing.T) {
	t.Parallel()
	checkpoint := json.RawMessage(`{"v":2}`)
	question := Token{Interrupt: agui.Interrupt{ID: "q2"}, ExpiresAt: noon.Add(time.Hour), Status: TokenOpen}
	tests := []struct {
		name       string
		commits    []Commit
		status     Status
		run        RunStatus
		q1         TokenStatus
		checkpoint string
		state      string
		said       string
	}{
		{"success", []Commit{{State: json.RawMessage(`{"n":2}`), Messages: messages("a3"), End: &End{Status: RunSuccess}}},
			StatusIdle, RunSuccess, TokenUsed, "", `{"n":2}`, "u1 a1 u2 a2 a3"},
		{"interrupt", []Commit{{Checkpoint: checkpoint, Tokens: []Token{question}, End: &End{Status: RunInterrupt}}},
			StatusInterrupted, RunInterrupt, TokenUsed, `{"v":2}`, `{"n":1}`, "u1 a1 u2 a2"},
		{"stop", []Commit{{Messages: messages("a3"), End: &End{Status: RunCancelled}}},
			StatusIdle, RunCancelled, TokenUsed, "", `{"n":1}`, "u1 a1 u2 a2 a3"},
		{"error of the answers' own turn", []Commit{{KeepCheckpoint: true, Messages: messages("a3"), End: &End{Status: RunError, Reopen: true}}},
			StatusInterrupted, RunError, TokenOpen, `{"v":1}`, `{"n":1}`, "u1 a1 u2 a2 a3"},
		{"error of a later turn", []Commit{
			{State: json.RawMessage(`{"n":2}`), Messages: messages("a3"), Checkpoint: checkpoint},
			{KeepCheckpoint: true, End: &End{Status: RunError, Reopen: true}},
		}, StatusFailed, RunError, TokenUsed, `{"v":2}`, `{"n":2}`, "u1 a1 u2 a2 a3"},
		{"lost", []Commit{{KeepCheckpoint: true, End: &End{Status: RunError, Code: errcode.RunLost, Reopen: true}}},
			StatusInterrupted, RunError, TokenOpen, `{"v":1}`, `{"n":1}`, "u1 a1 u2 a2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := asked("q1").in(`{"n":1}`)
			f.begin(t, ask("", answer(`q1={"v":"x"}`)))
			for _, c := range test.commits {
				f.commit(t, c)
			}
			token, _ := f.Token("q1")
			got := []string{
				string(StatusOf(&f.Thread, f, noon)), string(f.Thread.Run.Status), string(token.Status),
				string(f.Thread.Checkpoint), f.state(), f.conversation(),
			}
			want := []string{string(test.status), string(test.run), string(test.q1), test.checkpoint, test.state, test.said}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("status, run, token, checkpoint, state, conversation (-want +got):\n%s", diff)
			}
			if answered := token.Status == TokenUsed; (token.Answer != nil) != answered {
				t.Errorf("the %s question has the answer %v", token.Status, token.Answer)
			}
			if f.Thread.Live != nil || len(f.Earlier) != 2 {
				t.Errorf("live = %v, earlier runs = %d", f.Thread.Live, len(f.Earlier))
			}
		})
	}
}

// TestCommitted holds a run to remembering whether anything of it outlived it, whatever else it commits later: one of
// which nothing did is run again by who sends its request again.
func TestCommitted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		commit Commit
		want   string
	}{
		"nothing":      {Commit{}, "repeat 10"},
		"messages":     {Commit{Messages: messages("a3")}, "show 10 failed=agent_failed"},
		"a state":      {Commit{State: json.RawMessage(`{}`)}, "show 10 failed=agent_failed"},
		"a checkpoint": {Commit{Checkpoint: json.RawMessage(`{}`)}, "show 10 failed=agent_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := chat()
			f.begin(t, ask("u1 a1 u2 a2 u3"))
			f.commit(t, test.commit)
			f.commit(t, Commit{End: &End{Status: RunError, Code: errcode.AgentFailed}})
			run := f.Thread.Run
			again := ask("u1 a1 u2 a2 u3", func(r *Request) { r.RunID, r.Hash = run.RunID, run.Hash })
			if got := brief(admit(&f.Thread, f, again, noon)); got != test.want {
				t.Errorf("the same request again: %s, want %s", got, test.want)
			}
		})
	}
}

// TestUsedQuestionsStay starts anew where a question is listed that was used: its answer is known by who sends it
// again.
func TestUsedQuestionsStay(t *testing.T) {
	t.Parallel()
	f := asked("q1")
	answered := ask("", answer(`q1={"v":"x"}`))
	f.begin(t, answered)
	f.commit(t, Commit{KeepCheckpoint: true, End: &End{Status: RunCancelled}})
	f.begin(t, ask("u3", func(r *Request) { r.RunID = "next" }))
	f.commit(t, Commit{End: &End{Status: RunSuccess}})
	if got := brief(admit(&f.Thread, f, answered, noon)); got != "show 2" {
		t.Errorf("the same answer again: %s, want show 2", got)
	}
	if token, _ := f.Token("q1"); token.Status != TokenUsed {
		t.Errorf("the question is %s, want used", token.Status)
	}
}

// TestMessagesThatComeBack commits a message with an id that left the conversation: it joins it again, at the end.
func TestMessagesThatComeBack(t *testing.T) {
	t.Parallel()
	f := chat()
	f.begin(t, ask("u1 a1 u3", editing)) // a2 leaves
	f.commit(t, Commit{Messages: messages("a3 a2"), End: &End{Status: RunSuccess}})
	if got, want := f.conversation(), "u1 a1 u3 a3 a2"; got != want {
		t.Errorf("conversation = %q, want %q", got, want)
	}
	if f.Thread.Count != 5 || f.Thread.LastMessage != "a2" {
		t.Errorf("%d messages, the last is %s", f.Thread.Count, f.Thread.LastMessage)
	}
}

// TestStates follows the state over runs, and back.
func TestStates(t *testing.T) {
	t.Parallel()
	f := thread()
	state := func(s string) json.RawMessage { return json.RawMessage(s) }
	with := func(s string) func(*Request) { return func(r *Request) { r.State, r.Hash = state(s), s } }
	f.begin(t, ask("u1", with(`{"a":1}`)))
	f.commit(t, Commit{State: state(`{"a":1,"b":1}`), Messages: messages("a1"), End: &End{Status: RunSuccess}})
	first := f.Thread.Run.Origin
	// The client has seen the end of the first run: what it changed since counts.
	f.begin(t, ask("u1 a1 u2", with(`{"a":2,"b":1}`)))
	f.commit(t, Commit{State: state(`{"a":2,"b":2}`), Messages: messages("a2(c1)"), Checkpoint: state(`{}`), Calls: []Call{{ID: "c1"}}, End: &End{Status: RunSuccess}})
	f.begin(t, ask("t1>c1", with(`{"a":9}`))) // a resume: not merged
	f.commit(t, Commit{State: state(`{"a":2,"b":3}`), Messages: messages("a3"), End: &End{Status: RunSuccess}})
	// A stale tab, which has seen the first run only: both changed b, ours counts; c is new.
	f.begin(t, ask("u1 a1 u9", with(`{"a":1,"b":7,"c":1}`)))
	if got := f.state(); got != `{"a":2,"b":3,"c":1}` {
		t.Errorf("state = %s", got)
	}
	f.commit(t, Commit{Messages: messages("a9"), End: &End{Status: RunSuccess}})
	for id, want := range map[string]string{
		"u1": `{"a":1}`, "a1": `{"a":1,"b":1}`, "u2": `{"a":2,"b":1}`, "a3": `{"a":2,"b":3}`, "u9": `{"a":2,"b":3,"c":1}`, "a9": `{"a":2,"b":3,"c":1}`,
	} {
		s, err := PlanFork(&f.Thread, f, id, Key{ID: "t2"}, noon)
		if err != nil {
			t.Fatalf("PlanFork() = %v", err)
		}
		if got := string(s.State); got != want {
			t.Errorf("PlanFork(%s) has state %s, want %s", id, got, want)
		}
	}
	v := f.begin(t, ask("u1", regenerate))
	if v.Restore != startMark(first) || f.state() != `{"a":1}` {
		t.Errorf("regenerate: %s, state %s", brief(v), f.state())
	}
}

// TestThreadJSON reads a stored thread back unchanged.
func TestThreadJSON(t *testing.T) {
	t.Parallel()
	f := called("c1=t1", "c2").asking("q1", `q2={"v":"<&>"}`, "q3-")
	f.begin(t, ask("u3 t2>c2", answer(`q1={"v":"x"}`)))
	f.Thread.Live.Memo = map[string]json.RawMessage{"k": json.RawMessage(`12345678901234567890`)}
	n := int64(3)
	f.Thread.Usage = []agui.TokenUsage{{Provider: "p", InputTokens: &n}}
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var back fixture
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(&back)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(raw), string(again)); diff != "" {
		t.Errorf("thread (-want +got):\n%s", diff)
	}
	if got, want := back.conversation(), f.conversation(); got != want {
		t.Errorf("conversation = %q, want %q", got, want)
	}
}
