package state

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// noon is the store's clock in these tests.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// A fixture is a thread with what is kept beside it.
type fixture struct {
	Thread  Thread                    `json:"thread"`
	Said    []saying                  `json:"messages"`
	Tokens  []Token                   `json:"tokens,omitempty"`
	Earlier []Run                     `json:"earlier,omitempty"`
	States  map[int64]json.RawMessage `json:"states,omitempty"` // by the revision that brought them
	Back    History                   `json:"past,omitzero"`
}

// A saying is a message the thread has or had. The slot of one that is written down is its place in the list.
type saying struct {
	Message agui.Message `json:"message"`
	Slot    int          `json:"slot,omitempty"`
	Added   int64        `json:"added"`
	Left    int64        `json:"left,omitempty"`
	Run     uint64       `json:"run"`
}

func (s saying) stored() StoredMessage {
	m, err := NewStoredMessage(s.Message)
	if err != nil {
		panic(err)
	}
	m.Slot, m.Added, m.Run = s.Slot, s.Added, s.Run
	return m
}

// UnmarshalJSON reads a fixture as it is written down.
func (f *fixture) UnmarshalJSON(data []byte) error {
	type plain fixture
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return err
	}
	if f.Thread.Slots == 0 {
		for i := range f.Said {
			f.Said[i].Slot = i
		}
		f.Thread.Slots = len(f.Said)
	}
	return nil
}

func (f *fixture) Runs() []Run { return f.Earlier }

func (f *fixture) Past() History { return f.Back }

func (f *fixture) State(rev int64) json.RawMessage {
	for ; rev > 0; rev-- {
		if s, ok := f.States[rev]; ok {
			return s
		}
	}
	return nil
}

// in sets the state that the thread is in.
func (f *fixture) in(state string) *fixture {
	f.Thread.StateRev = max(f.Thread.Rev, 1)
	f.States = map[int64]json.RawMessage{f.Thread.StateRev: json.RawMessage(state)}
	return f
}

// state is the one that the thread is in.
func (f *fixture) state() string { return string(f.State(f.Thread.StateRev)) }

func (f *fixture) Messages() iter.Seq[StoredMessage] {
	return func(yield func(StoredMessage) bool) {
		for _, m := range slices.Backward(f.inSlots()) {
			if !yield(m) {
				return
			}
		}
	}
}

// inSlots is the conversation in the order of its slots.
func (f *fixture) inSlots() []StoredMessage {
	var list []StoredMessage
	for _, m := range f.Said {
		if m.Left == 0 {
			list = append(list, m.stored())
		}
	}
	slices.SortFunc(list, func(a, b StoredMessage) int { return cmp.Compare(a.Slot, b.Slot) })
	return list
}

func (f *fixture) Known(id string) (Place, bool) {
	var place Place
	found := false
	for _, m := range f.Said {
		if m.Message.ID == id {
			stored := m.stored()
			place, found = stored.Place(), true
			place.Left = m.Left != 0
		}
	}
	return place, found
}

func (f *fixture) Token(id string) (Token, bool) {
	for _, token := range f.Tokens {
		if token.Interrupt.ID == id {
			return token, true
		}
	}
	return Token{}, false
}

// apply is what a store does with a transition.
func (f *fixture) apply(s *Transition) {
	for _, id := range s.Left {
		for i := range f.Said {
			if f.Said[i].Message.ID == id && f.Said[i].Left == 0 {
				f.Said[i].Left = s.Thread.Rev
			}
		}
	}
	for _, m := range s.Append {
		for i := range f.Said {
			if f.Said[i].Slot == m.Slot && f.Said[i].Left == 0 {
				f.Said[i].Left = s.Thread.Rev
			}
		}
		message, err := m.Message()
		if err != nil {
			panic(err)
		}
		f.Said = append(f.Said, saying{Message: message, Slot: m.Slot, Added: m.Added, Run: m.Run})
	}
	for _, token := range s.Tokens {
		found := false
		for i := range f.Tokens {
			if f.Tokens[i].Interrupt.ID == token.Interrupt.ID {
				f.Tokens[i], found = token, true
			}
		}
		if !found {
			f.Tokens = append(f.Tokens, token)
		}
	}
	if s.State != nil {
		f.States = maps.Clone(f.States)
		if f.States == nil {
			f.States = map[int64]json.RawMessage{}
		}
		f.States[s.Thread.StateRev] = s.State
	}
	if s.Mark != nil {
		f.Back = f.Back.With(s.Mark.Name, s.Mark.Undo)
	}
	if s.Ended != nil {
		f.Earlier = slices.Concat([]Run{*s.Ended}, f.Earlier)
	}
	f.Thread = *s.Thread
}

func (f *fixture) conversation() string {
	var ids []string
	for _, m := range NewConversation(f.inSlots()) {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

// message reads "u1" as a user's message, "a1" as an assistant's, "s1", "d1", "r1", "x1" as a system, developer,
// reasoning or activity message; "a1(c1,c2)" makes calls, "t1>c1" answers one.
func message(spec string) agui.Message {
	roles := map[byte]agui.Role{
		'u': agui.RoleUser, 'a': agui.RoleAssistant, 's': agui.RoleSystem, 'd': agui.RoleDeveloper,
		't': agui.RoleTool, 'r': agui.RoleReasoning, 'x': agui.RoleActivity,
	}
	m := agui.Message{ID: spec, Role: roles[spec[0]], Content: agui.TextContent(spec)}
	if id, call, ok := strings.Cut(spec, ">"); ok {
		m.ID, m.ToolCallID = id, call
	}
	if id, calls, ok := strings.Cut(strings.TrimSuffix(spec, ")"), "("); ok {
		m.ID = id
		for call := range strings.SplitSeq(calls, ",") {
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: call, Type: "function", Function: agui.FunctionCall{Name: "show", Arguments: "{}"}})
		}
	}
	return m
}

func messages(specs string) []agui.Message {
	var list []agui.Message
	for spec := range strings.FieldsSeq(specs) {
		list = append(list, message(spec))
	}
	return list
}

// thread is one whose runs brought these messages: run 10 the first list, run 20 the second, and so on.
func thread(runs ...string) *fixture {
	f := &fixture{Thread: Thread{Key: Key{Principal: "local", Agent: "travel", ID: "t1"}}}
	for i, specs := range runs {
		origin := uint64(10 * (i + 1))
		s := newTransition(&f.Thread, noon.Add(-time.Hour))
		s.add(origin, messages(specs)...)
		s.Thread.Fence = origin
		run := Run{RunID: fmt.Sprintf("run%d", i+1), Hash: fmt.Sprintf("hash%d", i+1), Origin: origin, Status: RunSuccess, Committed: true, LastMessage: s.Thread.LastMessage}
		s.Ended, s.Thread.Run = s.Thread.Run, &run
		f.apply(s)
	}
	return f
}

func (f *fixture) failed(committed bool) *fixture {
	f.Thread.Failed = true
	f.Thread.Run.Status, f.Thread.Run.Code, f.Thread.Run.Committed = RunError, agui.CodeAgentFailed, committed
	return f
}

func (f *fixture) stopped() *fixture {
	f.Thread.Run.Status, f.Thread.Run.Code = RunCancelled, agui.CodeCancelled
	return f
}

// asking adds open questions: "q1" open, "q1-" expired, "q1=payload" used with an answer, "q1~payload" claimed,
// "q1!" dropped; "/call" behind the name binds it to a call. Their schema wants {"v": …} with v a string.
func (f *fixture) asking(specs ...string) *fixture {
	f.Thread.Checkpoint, f.Thread.Run.Status = json.RawMessage(`{"v":1}`), RunInterrupt
	for _, spec := range specs {
		token := Token{ExpiresAt: noon.Add(time.Hour), Status: TokenOpen}
		var call string
		spec, call, _ = strings.Cut(spec, "/")
		id, payload, used := strings.Cut(spec, "=")
		id, claimedPayload, claimed := strings.Cut(id, "~")
		if used || claimed {
			token.Status, payload = TokenUsed, payload+claimedPayload
			token.Answer = &Answer{ID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
			if payload == "cancelled" {
				token.Answer = &Answer{ID: id, Status: agui.ResumeCancelled}
			}
		}
		if claimed {
			token.Status = TokenClaimed
		}
		if cut, ok := strings.CutSuffix(id, "-"); ok {
			id, token.ExpiresAt = cut, noon
		}
		if cut, ok := strings.CutSuffix(id, "!"); ok {
			id, token.Status = cut, TokenDropped
		}
		token.Interrupt = agui.Interrupt{ID: id, Reason: "input_required", ToolCallID: call}
		token.Interrupt.ResponseSchema = json.RawMessage(`{"type":"object","required":["v"],"properties":{"v":{"type":"string"}}}`)
		f.Tokens = append(f.Tokens, token)
		if token.Status == TokenOpen || token.Status == TokenClaimed {
			f.Thread.Open = append(f.Thread.Open, id)
		}
	}
	return f
}

// calling adds frontend calls: "c1" open, "c1=t1" answered.
func (f *fixture) calling(specs ...string) *fixture {
	f.Thread.Checkpoint = json.RawMessage(`{"v":1}`)
	for _, spec := range specs {
		id, by, answered := strings.Cut(spec, "=")
		call := Call{ID: id, Name: "show"}
		if answered {
			m := message(by + ">" + id)
			call.Answer = &m
		}
		f.Thread.Calls = append(f.Thread.Calls, call)
	}
	return f
}

// without takes the checkpoint away.
func (f *fixture) without() *fixture {
	f.Thread.Checkpoint = nil
	return f
}

func (f *fixture) live() *fixture {
	f.Thread.Run.Status = RunRunning
	f.Thread.Live = &Live{Attempt: "x", Fence: f.Thread.Fence, Until: noon.Add(time.Second), Intent: Intent{Origin: f.Thread.Fence}}
	return f
}

func (f *fixture) tied(hungUp bool) *fixture {
	f.live().Thread.Live.Tied, f.Thread.Live.HungUp = true, hungUp
	return f
}

func (f *fixture) left(ids ...string) *fixture {
	for i := range f.Said {
		for _, id := range ids {
			if f.Said[i].Message.ID == id {
				f.Said[i].Left = f.Thread.Rev
			}
		}
	}
	t := &f.Thread
	t.Count, t.Size, t.LastMessage, t.LastUser = 0, 0, "", ""
	for _, m := range NewConversation(f.inSlots()) {
		t.Count++
		t.Size += len(m.Raw)
		t.LastMessage = m.ID
		if m.Role == agui.RoleUser {
			t.LastUser = m.ID
		}
	}
	return f
}

// queue lets tickets wait; that of "w1-" has expired.
func (f *fixture) queue(tickets ...string) *fixture {
	for _, id := range tickets {
		id, expired := strings.CutSuffix(id, "-")
		until := noon.Add(time.Second)
		if expired {
			until = noon
		}
		f.Thread.Queue = append(f.Thread.Queue, Ticket{ID: id, Until: until})
	}
	return f
}

// ask is a request with these messages.
func ask(specs string, with ...func(*Request)) *Request {
	r := &Request{RunID: "run", Hash: "hash", Era: agui.Era1, Messages: messages(specs), NewID: func() string { return "new" }}
	for _, set := range with {
		set(r)
	}
	return r
}

// answer adds answers: "q1=payload" resolved, "q1!" cancelled, "=payload" bare.
func answer(specs ...string) func(*Request) {
	return func(r *Request) {
		for _, spec := range specs {
			if id, ok := strings.CutSuffix(spec, "!"); ok {
				r.Answers = append(r.Answers, Answer{ID: id, Status: agui.ResumeCancelled})
				continue
			}
			id, payload, _ := strings.Cut(spec, "=")
			r.Answers = append(r.Answers, Answer{ID: id, Status: agui.ResumeResolved, Payload: Canonical(json.RawMessage(payload))})
		}
	}
}

func old(r *Request)        { r.Era = agui.Era0 }
func editing(r *Request)    { r.Edit = true }
func regenerate(r *Request) { r.Regenerate = true }

func listEdits(r *Request)       { r.ListEdits = true }
func listRegenerates(r *Request) { r.ListRegenerates = true }

// waiting lets the request wait, with two others.
func waiting(ticket string) func(*Request) {
	return func(r *Request) { r.Wait = &Wait{Ticket: ticket, TTL: time.Second, Most: 3} }
}

// since says that the request has been waiting for the thread that was made then.
func since(at time.Time) func(*Request) { return func(r *Request) { r.Since = at } }

// retry makes the request the one that run i was started with.
func retry(i int) func(*Request) {
	return func(r *Request) { r.RunID, r.Hash = fmt.Sprintf("run%d", i), fmt.Sprintf("hash%d", i) }
}

// brief is a verdict in one line.
func brief(v Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", v.Meaning, v.Row)
	say := func(name string, ids ...string) {
		if len(ids) > 0 {
			fmt.Fprintf(&b, " %s=%s", name, strings.Join(ids, ","))
		}
	}
	if v.Code != "" {
		say("code", string(v.Code))
	}
	say("append", idsOf(v.Append)...)
	if v.CutAfter != "" {
		say("cut", v.CutAfter)
	}
	if v.CutAll {
		say("cut", "all")
	}
	for _, c := range v.Claims {
		text := c.ID + ":" + string(c.Payload)
		if c.Status == agui.ResumeCancelled {
			text = c.ID + ":cancelled"
		}
		if c.TimedOut {
			text += ":timedout"
		}
		say("claim", text)
	}
	for _, c := range v.CallAnswers {
		say("call", c.Message.ID+">"+c.Call)
	}
	say("unanswered", v.NotAnswered...)
	if v.Forget {
		b.WriteString(" forget")
	}
	if v.Restore != "" {
		say("restore", v.Restore)
	}
	if v.Failed != nil {
		say("failed", string(v.Failed.Code))
	}
	say("show", idsOf(v.Show)...)
	if len(v.Warnings) > 0 {
		fmt.Fprintf(&b, " warnings=%d", len(v.Warnings))
	}
	return b.String()
}

func idsOf(list []agui.Message) []string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}
