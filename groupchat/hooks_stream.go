package groupchat

import (
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// What people see of a turn passes the filters of its hooks once: each turn that is announced in the conversation of
// the run has separate filters. A turn in a private conversation has none; its calls are shown by the turn above, which
// has, and its last words pass when they are said there.

// filteredWriters are the writers that filters were put before in one try of a turn, the innermost last. All copies of
// the turn share them.
type filteredWriters struct {
	mu   sync.Mutex
	list []run.Writer
}

// through lets what w writes pass the filters that hooks make for t.
func (t *Turn) through(w run.Writer, hooks []Hooks) run.Writer {
	before := w
	for i := range hooks { // the innermost one sees an event first
		if f := t.filterOf(&hooks[i]); f != nil {
			w = w.Through(f)
		}
	}
	if w != before && t.filtered != nil {
		t.filtered.mu.Lock()
		t.filtered.list = append(t.filtered.list, w)
		t.filtered.mu.Unlock()
	}
	return w
}

// filterOf is the filter that h makes for t, or nil.
func (t *Turn) filterOf(h *Hooks) run.Filter {
	if h.Stream == nil {
		return nil
	}
	var f run.Filter
	err := h.guarded(func() error {
		f = h.Stream(t)
		return nil
	})
	if err != nil {
		return func(agui.Event, run.Emit) error { return err }
	}
	if f == nil {
		return nil
	}
	return func(e agui.Event, next run.Emit) error { return h.guarded(func() error { return f(e, next) }) }
}

// filter passes the events of t for people through the filters of hooks from now on. Unfilter ends open messages before
// them.
func (t *Turn) filter(hooks []Hooks) (unfilter func() error) {
	before := t.clientWriter
	t.clientWriter = t.through(before, hooks)
	if t.clientWriter == before {
		return func() error { return nil }
	}
	if t.run == t.x.Run {
		t.out = t.clientWriter
	}
	w := t.clientWriter
	return func() error { return t.endFiltered(w) }
}

// endFiltered flushes the writer of an agent that has ended well, and removes it.
func (t *Turn) endFiltered(w run.Writer) error {
	if err := w.Flush(); err != nil || t.filtered == nil {
		return err
	}
	t.filtered.mu.Lock()
	defer t.filtered.mu.Unlock()
	t.filtered.list = slices.DeleteFunc(t.filtered.list, func(other run.Writer) bool { return other == w })
	return nil
}

// closeOpen closes what the turn has open when its agent has ended with err, and sends what its filters hold back. What
// a filter does not let pass then fails the turn. A failure tells which messages are not complete.
func (t *Turn) closeOpen(err error) error {
	failed := err != nil && ask.PauseOf(err) == nil
	var complete map[string]bool
	if failed {
		complete = completeMessages(t.run)
	}
	t.filtered.mu.Lock()
	writers := t.filtered.list
	t.filtered.mu.Unlock()
	var flushErr error
	for _, w := range slices.Backward(writers) {
		if err := w.Flush(); flushErr == nil {
			flushErr = err
		}
	}
	if flushErr != nil && !failed {
		err, failed, complete = failure.Coded(flushErr), true, completeMessages(t.run)
	}
	own := []run.Writer{t.out}
	if t.output.ownConversation() {
		own = append(own, t.parentWriter)
	}
	for _, w := range own {
		if err := w.Unfiltered().CloseOpen(); err != nil {
			return err
		}
	}
	if failed {
		return leftOpen(t.run, t.out, err, complete)
	}
	return err
}

// completeMessages are the messages of a conversation that are closed.
func completeMessages(r *run.Run) map[string]bool {
	closed := map[string]bool{}
	r.Inspect(func(v *run.View) {
		for _, m := range v.Closed() {
			closed[m.ID] = true
		}
	})
	return closed
}

// leftOpen adds to a turn's failure which messages that it wrote with w were not complete.
func leftOpen(r *run.Run, w run.Writer, err error, complete map[string]bool) error {
	var ids []string
	for _, m := range messages(r) {
		if m.SubagentRunID == w.SubagentRunID() && !complete[m.ID] && len(m.ToolCalls) == 0 {
			ids = append(ids, m.ID)
		}
	}
	if ids == nil {
		return err
	}
	return &openMessagesError{err, ids}
}

// innerHooks are the hooks of the agents that a is made of, the outermost first.
func innerHooks(a Agent) []Hooks {
	var all []Hooks
	for _, w := range wrappersOf(a) {
		if h, ok := w.(*hooked); ok {
			all = append(all, h.hooks...)
		}
	}
	return all
}

// sayLast adds the last words of an agent, which ran in a private conversation, to the conversation r with w. If r is
// public, the words pass the hooks of the agent.
func (t *Turn) sayLast(r *run.Run, w run.Writer, hooks []Hooks, o run.TextOptions, words string) error {
	before := w
	if r == t.x.Run {
		w = t.through(w, hooks)
	}
	err := sayWhole(w, o, words)
	if err == nil && w != before {
		err = t.endFiltered(w)
	}
	if err == nil || t.x.endCause() != nil {
		return err
	}
	complete := completeMessages(r)
	if closeErr := w.Unfiltered().CloseOpen(); closeErr != nil {
		return closeErr
	}
	return leftOpen(r, w, failure.Coded(err), complete)
}
