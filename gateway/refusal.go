package gateway

import (
	"context"
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// CopilotKit's page is locked until it is loaded again when a run that answered its question ends in an error, so that
// such a run ends for it like a refusal: with the questions that are open now. Of the errors in the log that is
// [wire.Profile]'s to see to. Here are those which are not in the log: the reader loses the run, or its request was not
// even taken.

// An again follows what a page was sent of a resumed run, which has to be closed if the run is lost to it.
type again struct {
	key   state.Key
	view  *run.View
	begun bool
}

// follows makes the caller remember what it is sent of the live run of t, if it may have to be closed.
func (c *caller) follows(t *state.Thread) {
	if c.wire.AskAgain && t.Live != nil && t.Live.Intent.Resumed {
		c.again = &again{key: t.Key, view: run.NewView(nil, nil)}
	}
}

// note notes what is sent.
func (t *again) note(frames []state.Frame) {
	if t == nil {
		return
	}
	for _, f := range frames {
		e, err := decodeFrame(f.Data)
		if err != nil {
			continue // it opened nothing
		}
		t.begun = t.begun || f.Type == agui.TypeRunStarted
		// Only what it opens and closes counts.
		_ = t.view.Apply(e)
	}
}

// askAgain ends a resumed run that is lost to its reader, with what is open now.
func (c *caller) askAgain(code agui.Code) error {
	var events []framed
	if !c.again.begun {
		events = plain(c.opening(c.again.key))
	}
	events = append(events, plain(c.again.view.Closing(run.ClosingOptions{
		SubagentCode: string(code), SubagentMessage: code.Message(),
	})...)...)
	shown, outcome := c.standing(c.again.key)
	events = append(events, shown...)
	value, err := json.Marshal(map[string]string{"code": string(code), "message": code.Message()})
	if err != nil {
		return err
	}
	events = append(events, plain(&agui.Custom{Name: wire.CustomFailed, Value: value}, c.closing(c.again.key, outcome))...)
	if err := c.show(c.again.key, state.FrameID{}, events...); err != nil {
		return err
	}
	return c.stream.close()
}

// standing is the thread as it stands, if the store can say, and its current outcome. While a run is live somewhere
// else no question is open.
func (c *caller) standing(key state.Key) ([]framed, *agui.Outcome) {
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	ctx, cancel := context.WithTimeout(c.r.Context(), pingTimeout)
	defer cancel()
	s, err := c.g.store.Snapshot(ctx, key)
	if err != nil {
		return nil, outcome
	}
	if s.Thread.Live == nil && len(s.Interrupts) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: s.Interrupts}
	}
	return []framed{stateSnapshot(s.State), messagesSnapshot(s.Messages)}, outcome
}

// notTaken refuses an answer that could not be taken, as the server is leaving or full, by asking again. It reports
// false if the thread cannot be shown.
func (c *caller) notTaken(code agui.Code) (told error, ok bool) {
	if !c.wire.AskAgain || len(c.req.Answers) == 0 || c.stream != nil {
		return nil, false
	}
	t, interrupts, err := c.g.store.Load(c.r.Context(), c.req.Key)
	if err != nil {
		return nil, false
	}
	return c.refuse(&state.Begun{
		Verdict: state.Verdict{Meaning: state.Refuse, Code: code}, Thread: t, Interrupts: interrupts, Exists: true,
	}), true
}

// refuse answers a request that could not be taken: an error, or for clients that would lose their question at
// RUN_STARTED, the question once more.
func (c *caller) refuse(begun *state.Begun) error {
	code := begun.Verdict.Code
	c.g.log(c.r).Info("run: refused", "code", code, "agent", c.req.Key.Agent, "thread", c.req.Key.ID)
	if code == agui.CodeCancelled {
		return c.cancelled()
	}
	if !c.wire.AskAgain && c.wire.Dialect != wire.Legacy {
		return c.busy(code)
	}
	told := wire.Refused(code)
	switch {
	case !begun.Exists:
		return c.show(c.req.Key, state.FrameID{}, plain(
			c.opening(c.req.Key), told, c.closing(c.req.Key, &agui.Outcome{Type: agui.OutcomeSuccess}))...)
	case begun.Thread.Live != nil:
		return c.join(begun.Thread, told)
	default:
		return c.stand(begun, shown{more: begun.Verdict.Show, extra: []agui.Event{told}})
	}
}

// busy is a refusal that every client gets alike.
func (c *caller) busy(code agui.Code) error {
	return c.show(c.req.Key, state.FrameID{}, plain(
		c.opening(c.req.Key), &agui.RunError{Message: code.Message(), Code: string(code)})...)
}
