package statetest

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
)

// calls are what a history consists of. Frequent ones are there several times.
func (h *history) calls() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":               h.check,
		"begin":          h.counted(h.begin),
		"begin again":    h.counted(h.begin),
		"begin a turn":   h.counted(h.begin),
		"the same":       h.counted(h.repeat),
		"append":         h.counted(h.append),
		"append more":    h.counted(h.append),
		"commit":         h.counted(h.commit),
		"commit more":    h.counted(h.commit),
		"end":            h.counted(h.end),
		"end a run":      h.counted(h.end),
		"ask":            h.counted(h.ask),
		"answer":         h.counted(h.answer),
		"answer a call":  h.counted(h.answer),
		"note":           h.counted(h.note),
		"take":           h.counted(h.take),
		"signal":         h.counted(h.signal),
		"queue":          h.counted(h.queue),
		"patch":          h.counted(h.patch),
		"fork":           h.counted(h.fork),
		"rename":         h.counted(h.rename),
		"delete":         h.counted(h.delete),
		"approve":        h.counted(h.approve),
		"move the clock": h.counted(h.move),
	}
}

func (h *history) counted(call func()) func(*rapid.T) {
	return func(*rapid.T) {
		h.step()
		call()
	}
}

func (h *history) int(from, to int, what string) int { return rapid.IntRange(from, to).Draw(h.T, what) }

func (h *history) chance(percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(h.T, what) >= 100-percent
}

// choose draws an element of a list, mostly one of the newest.
func choose[T any](h *history, list []T, what string) T {
	back := h.int(0, len(list)-1, what)
	return list[len(list)-1-back]
}

func (h *history) thread() *subject { return h.threads[h.int(0, len(h.threads)-1, "thread")] }

// running draws a thread with a lease, and one of its newest leases.
func (h *history) running() (*subject, *holding) {
	var all []*subject
	for _, t := range h.threads {
		if len(t.leases) > 0 {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		h.Skip("nothing runs")
	}
	t := choose(h, all, "thread")
	back := 0
	if len(t.leases) > 1 && h.chance(15, "old lease") {
		back = 1
	}
	return t, t.leases[len(t.leases)-1-back]
}

// message draws a message with an id that is new, or mostly new.
func (h *history) message(t *subject, i int, role agui.Role) agui.Message {
	id := fmt.Sprintf("m%d-%d", h.number, i)
	if len(t.ids) > 0 && h.chance(25, "known message") {
		id = choose(h, t.ids, "message")
	}
	m := agui.Message{ID: id, Role: role, Content: agui.TextContent(fmt.Sprintf("say %d", h.number))}
	if role == agui.RoleAssistant && h.chance(20, "call") {
		m.ToolCalls = []agui.ToolCall{{ID: h.id("call"), Type: "function",
			Function: agui.FunctionCall{Name: "book", Arguments: "{}"}}}
	}
	return m
}

// conversation returns the messages of a thread as the first store has them.
func (h *history) conversation(t *subject) []agui.Message {
	list, err := h.stores[0].Messages(h.ctx, t.key, -1)
	if err != nil {
		return nil
	}
	messages, err := list.Messages()
	if err != nil {
		h.Fatal(err)
	}
	return messages
}

// frame makes a frame of a lease; a marker names a revision.
func (x *holding) frame(seq uint64, rev int64) state.Frame {
	f := state.Frame{ID: state.FrameID{Fence: x.leases[0].Fence, Seq: seq}, Type: agui.TypeStateSnapshot, Rev: rev}
	if rev == 0 {
		f.Type = agui.TypeCustom
		f.Data = json.RawMessage(fmt.Sprintf(`{"type":"CUSTOM","name":"n","value":%d}`, seq))
	}
	return f
}

// append appends frames, some of them again, or behind a gap.
func (h *history) append() {
	t, x := h.running()
	after := x.last
	if h.chance(10, "from the beginning") {
		after = state.FrameID{}
	}
	if h.chance(10, "gap") {
		after = state.FrameID{Fence: x.leases[0].Fence, Seq: after.Seq + 3}
	}
	var list []state.Frame
	for i := range h.int(1, 4, "frames") {
		rev := int64(0)
		if i == 0 && h.chance(30, "marker") {
			rev = x.rev
		}
		list = append(list, x.frame(after.Seq+1+uint64(i), rev))
	}
	_ = h.does(fmt.Sprintf("%s Append(%s, after %s, %s)", t, x.attempt, after, encoded(list)),
		func(s state.Store, i int) error { return s.Append(h.ctx, x.leases[i], after, list) })
	h.follow(t, x)
}

// object draws a state.
func (h *history) object() json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"a":%d,"b":{"c":[%d]}}`, h.int(0, 3, "a"), h.int(0, 3, "c")))
}

// commit writes a turn boundary.
func (h *history) commit() {
	t, x := h.running()
	c := h.kept(t, x)
	if h.chance(50, "checkpoint") {
		c.Checkpoint = json.RawMessage(`{"v":1}`)
	}
	h.commits(t, x, c)
}

// kept draws the parts that each commit may have.
func (h *history) kept(t *subject, x *holding) state.Commit {
	x.commits++
	c := state.Commit{Number: x.commits, After: x.last}
	if x.commits > 1 && h.chance(10, "the same number") {
		c.Number--
	}
	for i := range h.int(0, 3, "messages") {
		c.Messages = append(c.Messages, h.message(t, i, agui.RoleAssistant))
	}
	if n := len(c.Messages); n > 0 && h.chance(20, "doubled") {
		double := h.message(t, n, agui.RoleAssistant)
		double.ID = choose(h, c.Messages, "of").ID
		c.Messages = append(c.Messages, double)
	}
	if h.chance(30, "state") {
		c.State = h.object()
	}
	if h.chance(30, "frame") {
		c.Frames = []state.Frame{x.frame(x.last.Seq+1, state.ThisRev)}
	}
	if h.chance(10, "notes") {
		c.Notes = json.RawMessage(fmt.Sprintf(`{"n":%d}`, h.number))
	}
	for _, p := range h.pending(t) {
		c.Patched = append(c.Patched,
			state.PatchResult{ID: p.ID, Fingerprint: p.Fingerprint, Status: state.PatchApplied})
	}
	return c
}

// pending returns the patches that wait for a commit.
func (h *history) pending(t *subject) []state.PatchRequest {
	thread, _, err := h.stores[0].Load(h.ctx, t.key)
	if err != nil || !h.chance(50, "patches") {
		return nil
	}
	return thread.Pending
}

// end ends a run.
func (h *history) end() {
	t, x := h.running()
	c := h.kept(t, x)
	c.Frames = append(c.Frames, x.frame(x.last.Seq+1+uint64(len(c.Frames)), 0))
	e := &state.End{Status: rapid.SampledFrom([]state.RunStatus{state.RunSuccess, state.RunSuccess, state.RunCancelled,
		state.RunError}).Draw(h.T, "status")}
	if e.Status == state.RunError {
		e.Code = errcode.AgentFailed
		e.Reopen = h.chance(50, "reopen")
		c.KeepCheckpoint = e.Reopen
		if e.Reopen && h.chance(50, "effects") {
			e.Effects = map[string]json.RawMessage{"k": json.RawMessage(`1`)}
		}
	}
	c.End = e
	h.commits(t, x, c)
}

// ask ends a run with questions, or with calls of the client.
func (h *history) ask() {
	t, x := h.running()
	c := h.kept(t, x)
	c.Checkpoint = json.RawMessage(`{"v":1}`)
	c.Frames = append(c.Frames, x.frame(x.last.Seq+1+uint64(len(c.Frames)), 0))
	c.End = &state.End{Status: state.RunInterrupt}
	for i := range h.int(0, 2, "questions") {
		token := state.Token{
			Interrupt: agui.Interrupt{ID: fmt.Sprintf("q%d-%d", h.number, i), Reason: "input_required"},
			Status:    state.TokenOpen, AskedAt: h.clock.Now(),
		}
		if h.chance(70, "expires") {
			token.ExpiresAt = h.clock.Now().Add(rapid.SampledFrom([]time.Duration{time.Minute, day, 40 * day,
				200000 * time.Hour}).Draw(h.T, "for"))
		}
		c.Tokens = append(c.Tokens, token)
		t.tokens = append(t.tokens, token.Interrupt.ID)
	}
	if len(c.Tokens) == 0 || h.chance(30, "calls") {
		call := fmt.Sprintf("call%d-c", h.number)
		c.Messages = append(c.Messages, agui.Message{
			ID: h.id("caller"), Role: agui.RoleAssistant,
			ToolCalls: []agui.ToolCall{{ID: call, Type: "function",
				Function: agui.FunctionCall{Name: "pick", Arguments: "{}"}}},
		})
		c.Calls = append(c.Calls, state.Call{ID: call, Name: "pick"})
	}
	h.commits(t, x, c)
}

// commits makes a commit at each store.
func (h *history) commits(t *subject, x *holding, c state.Commit) {
	_, _ = same(h, fmt.Sprintf("%s Commit(%s, %s)", t, x.attempt, encoded(c)),
		func(s state.Store, i int) (*state.Thread, error) {
			thread, err := s.Commit(h.ctx, x.leases[i], c)
			return withoutMemo(thread), err
		})
	for _, m := range c.Messages {
		t.learn(m.ID)
	}
	h.follow(t, x)
}

// withoutMemo returns t without the effects of its attempt. A store may leave out effects that were recorded between a
// commit and its repetition.
func withoutMemo(t *state.Thread) *state.Thread {
	if t == nil || t.Live == nil {
		return t
	}
	thread, live := *t, *t.Live
	live.Memo = nil
	thread.Live = &live
	return &thread
}

// follow notes the newest frame of a lease, and the revision that its markers may name.
func (h *history) follow(t *subject, x *holding) {
	thread, _, err := h.stores[0].Load(h.ctx, t.key)
	if err == nil && thread.Last.Fence == x.leases[0].Fence {
		x.last, x.rev = thread.Last, thread.Shown
	}
}
