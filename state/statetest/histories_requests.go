package statetest

import (
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// begin asks for a turn: a new one, an edit, another try, or nothing.
func (h *history) begin() {
	t := h.thread()
	messages := h.conversation(t)
	r := &state.Request{Key: t.key, RunID: h.id("run"), Hash: h.id("hash"), Era: agui.Era1}
	from := 0
	switch h.int(0, 5, "shape") {
	case 0: // all and a new one
	case 1, 2: // the newest and a new one
		from = max(0, len(messages)-1)
	case 3: // an edit
		messages = messages[:h.int(0, len(messages), "kept")]
		r.ListEdits = h.chance(50, "by the list")
		r.Edit = !r.ListEdits
	case 4: // a turn once more
		messages = messages[:h.int(0, len(messages), "kept")]
		r.ListRegenerates = h.chance(50, "by the list")
		r.Regenerate = !r.ListRegenerates
	case 5:
		r.NoRun = h.chance(30, "no run")
		r.Tied = h.chance(50, "tied")
	}
	r.Messages = append(r.Messages, messages[from:]...)
	if r.Regenerate || r.ListRegenerates || h.chance(90, "new message") {
		if !r.Regenerate && !r.ListRegenerates {
			r.Messages = append(r.Messages, h.message(t, 0, agui.RoleUser))
		}
	}
	if h.chance(20, "state") {
		r.State = h.object()
	}
	if h.chance(20, "wait") {
		r.Wait = &state.Wait{Ticket: h.id("ticket"), TTL: leaseTTL, Limit: 2}
		t.tickets = append(t.tickets, r.Wait.Ticket)
	}
	t.requests = append(t.requests, r)
	h.admit(t, r, h.id("attempt"))
}

// repeat makes a request once more.
func (h *history) repeat() {
	t := h.thread()
	if len(t.requests) == 0 {
		h.Skip("no request")
	}
	attempt := h.id("attempt")
	if n := len(t.leases); n > 0 && h.chance(30, "same attempt") {
		attempt = t.leases[n-1].attempt
	}
	h.admit(t, choose(h, t.requests, "request"), attempt)
}

// describe returns a request as a history reports it.
func describe(r *state.Request) string {
	ids := []string{}
	for _, m := range r.Messages {
		ids = append(ids, m.ID)
	}
	return fmt.Sprintf("%s %v answers=%s edit=%t regenerate=%t list=%t,%t", r.RunID, ids, encoded(r.Answers), r.Edit,
		r.Regenerate, r.ListEdits, r.ListRegenerates)
}

// admit begins a request at each store.
func (h *history) admit(t *subject, r *state.Request, attempt string) {
	held := &holding{attempt: attempt, leases: make([]*state.Lease, len(h.stores))}
	_, err := same(h, fmt.Sprintf("%s Begin(%s)", t, describe(r)), func(s state.Store, i int) (*state.Begun, error) {
		asked := *r
		n := 0
		asked.NewID = func() string { n++; return fmt.Sprintf("n%d-%d", h.number, n) }
		b, err := s.Begin(h.ctx, &asked, state.LeaseOptions{Attempt: attempt, TTL: leaseTTL})
		return held.take(b, i), err
	})
	h.hold(t, held, err)
}

// take keeps the lease of one store, and returns b without it.
func (x *holding) take(b *state.Begun, i int) *state.Begun {
	if b == nil {
		return nil
	}
	without := *b
	x.leases[i], without.Lease = b.Lease, nil
	if b.Thread != nil {
		x.rev = b.Thread.Rev
	}
	return &without
}

func (h *history) hold(t *subject, held *holding, err error) {
	if err != nil || held.leases[0] == nil {
		return
	}
	fences := make([]uint64, len(held.leases))
	for i, l := range held.leases {
		if l == nil {
			h.Fatalf("call %d: %s has a lease, %s has none", h.number, h.names[0], h.names[i])
		}
		fences[i] = l.Fence
		if fences[i] != fences[0] {
			h.Fatalf("call %d: the fences are %v", h.number, fences)
		}
	}
	if n := len(t.leases); n > 0 && t.leases[n-1].attempt == held.attempt {
		return
	}
	t.leases = append(t.leases, held)
}

// answer answers questions and calls.
func (h *history) answer() {
	t := h.thread()
	thread, open, err := h.stores[0].Load(h.ctx, t.key)
	if err != nil {
		h.Skip("no thread")
	}
	r := &state.Request{Key: t.key, RunID: h.id("run"), Hash: h.id("hash"), Era: agui.Era1}
	for _, q := range open {
		if h.chance(80, "answered") {
			r.Answers = append(r.Answers, h.answerTo(q.ID))
		}
	}
	if len(t.tokens) > 0 && h.chance(15, "old question") {
		r.Answers = append(r.Answers, h.answerTo(choose(h, t.tokens, "question")))
	}
	for i, c := range thread.OpenCalls() {
		if h.chance(70, "result") {
			r.Messages = append(r.Messages, result(fmt.Sprintf("r%d-%d", h.number, i), c.ID, "done"))
		}
	}
	t.requests = append(t.requests, r)
	h.admit(t, r, h.id("attempt"))
}

func (h *history) answerTo(id string) state.Answer {
	if h.chance(20, "cancelled") {
		return state.Answer{ID: id, Status: agui.ResumeCancelled}
	}
	return resolved(id, fmt.Sprint(h.int(0, 2, "answer")))
}
