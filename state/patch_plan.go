package state

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/jsonpatch"
	"github.com/agui-gateway/gateway/state/document"
)

// PlanPatch is the transition of a patch from outside, nil if nothing changes, and what became of the patch. Where
// nothing runs it is made at once, behind those that were left waiting, and the log tells of each in frames under
// fence: a separate run with one STATE_DELTA, so that every reader of the thread can follow. A live run has a state
// in the hands of its agents; the patch then waits until the owner of the run makes it part of a commit, or until the
// run is over. A request with a known ID is not applied again.
func PlanPatch(t *Thread, f Facts, r *PatchRequest, fence uint64, now time.Time) (*Transition, PatchResult, error) {
	result := t.patchResult(r.ID)
	if result.Status != PatchUnknown && !r.Known && result.Fingerprint != r.Fingerprint {
		return nil, r.refusedFor(errcode.IdempotencyKeyReused), nil
	}
	if result.Status == PatchApplied || result.Status == PatchRefused || result.Status == PatchUnknown && r.Known {
		return nil, result, nil
	}
	if t.Live != nil {
		if result.Status == PatchPending {
			return nil, result, nil
		}
		return t.queuePatch(r, now)
	}
	todo := t.Pending
	if result.Status == PatchUnknown {
		todo = append(todo[:len(todo):len(todo)], *r)
	}
	s, err := patchPlan(t, f, todo, fence, now)
	if err != nil {
		return nil, PatchResult{}, err
	}
	result = s.Thread.patchResult(r.ID)
	remember := result.Status == PatchApplied && r.Fingerprint != "" // it may be repeated when the state has changed
	if len(s.Frames)+len(t.Pending) == 0 && !remember {
		return nil, result, nil // nothing has changed, and the caller learns that
	}
	return s, result, nil
}

// PlanSettle makes the patches that wait on a thread where nothing runs any more, as [PlanPatch] does; nil if none do.
func PlanSettle(t *Thread, f Facts, fence uint64, now time.Time) (*Transition, error) {
	if t.Live != nil || len(t.Pending) == 0 {
		return nil, nil
	}
	return patchPlan(t, f, t.Pending, fence, now)
}

// queuePatch lets r wait for the turn that is going on.
func (t *Thread) queuePatch(r *PatchRequest, now time.Time) (*Transition, PatchResult, error) {
	if !r.matches(t.StateTag()) {
		return nil, r.refusedBy(nil), nil // no state has this tag ever again
	}
	size := len(r.Patch.Body)
	for _, p := range t.Pending {
		size += len(p.Patch.Body)
	}
	if len(t.Pending) >= maxPendingPatches || size > maxPendingBytes {
		return nil, r.refusedFor(errcode.PatchQueueFull), nil
	}
	s := newTransition(t, now)
	s.Thread.Pending = append(t.Pending[:len(t.Pending):len(t.Pending)], *r)
	return s, r.result(PatchPending), nil
}

// patchPlan makes patches one after another, on a thread where nothing runs.
func patchPlan(t *Thread, f Facts, todo []PatchRequest, fence uint64, now time.Time) (*Transition, error) {
	s := newTransition(t, now)
	n := s.Thread
	raw := f.State(t.StateRev)
	var undo agui.Patch
	var results []PatchResult
	for _, r := range todo {
		var made document.Change
		doc, err := document.New(raw, document.Options{
			MaxSize: r.MaxState, MaxPatchOps: r.MaxPatchOps,
			OnChange: func(c document.Change) error { made = c; return nil },
		})
		if err != nil {
			return nil, err
		}
		result, err := r.Apply(doc, n.StateTag())
		if err != nil {
			return nil, err
		}
		if len(made.Undo) > 0 {
			raw = doc.JSON()
			s.setState(raw)
			undo = append(made.Undo, undo...)
			if err := s.tellPatch(f, r.ID, made.Patch, fence, now); err != nil {
				return nil, err
			}
		}
		if result.Status == PatchApplied {
			result.Tag = n.StateTag()
		}
		results = append(results, result)
	}
	n.settled(results)
	if len(undo) > 0 {
		s.markPatched(t, undo)
	}
	return s, nil
}

// markPatched makes the state before the transition a part of the past: the one that the newest run, or a fork, left,
// the first time.
func (s *Transition) markPatched(t *Thread, undo agui.Patch) {
	s.Mark = &document.Mark{Name: "patched:" + strconv.FormatInt(s.Thread.Rev, 10), Undo: undo}
	if !t.EndMarked {
		s.Mark.Name, s.Thread.EndMarked = t.restMark(), true
	}
}

// restMark names the state that a thread where nothing runs was left in by its newest run, or by the fork that made it.
func (t *Thread) restMark() string {
	if newest := t.Run; newest != nil {
		return endMark(newest.Origin)
	}
	return forkMark
}

// tellPatch tells readers of a patch that was made where nothing runs. Clients take a STATE_DELTA in a run only.
func (s *Transition) tellPatch(f Facts, id string, p agui.Patch, fence uint64, now time.Time) error {
	n := s.Thread
	outcome := &agui.Outcome{Type: agui.OutcomeSuccess}
	open := OpenInterrupts(n, f, now)
	if len(open) > 0 {
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: open}
	}
	n.Fence = max(n.Fence, fence)
	seq := uint64(0)
	if n.Last.Fence == fence {
		seq = n.Last.Seq
	}
	for _, e := range []agui.Event{
		&agui.RunStarted{ThreadID: n.Key.ID, RunID: id, ProtocolVersion: agui.ProtocolVersion},
		&agui.StateDelta{Delta: p},
		&agui.RunFinished{ThreadID: n.Key.ID, RunID: id, Outcome: outcome},
	} {
		data, err := agui.Encode(e)
		if err != nil {
			return err
		}
		seq++
		frame := Frame{ID: FrameID{Fence: fence, Seq: seq}, Type: agui.TypeOf(e), Data: json.RawMessage(data)}
		switch e.(type) {
		case *agui.RunStarted:
			frame.Rev = n.Rev
		case *agui.RunFinished:
			frame.Ending = &Ending{ThreadID: n.Key.ID, RunID: id, Open: open}
		}
		s.Frames = append(s.Frames, frame)
		n.Last = frame.ID
	}
	s.show()
	return nil
}

// patchedBase is which state the caller last saw of a thread that was patched since its newest run ended: no message
// says whether it has got it. It is the one that theirs differs from least; in doubt the one before the patches.
func patchedBase(t *Thread, f Facts, present, theirs json.RawMessage) (json.RawMessage, error) {
	before, err := f.Past().Oldest(present, t.restMark())
	if err != nil {
		return nil, err
	}
	ours, err := jsonpatch.Parse(before)
	if err != nil {
		return nil, err
	}
	own, err := jsonpatch.Parse(theirs)
	if err != nil {
		return nil, err
	}
	now, err := jsonpatch.Parse(present)
	if err != nil {
		return nil, err
	}
	if differences(own, now) < differences(own, ours) {
		return present, nil
	}
	return before, nil
}

// differences counts the values that a client's has otherwise than ours, or lacks, or has in addition.
func differences(theirs, ours any) int {
	n := 0
	switch ours := ours.(type) {
	case map[string]any:
		theirs, ok := theirs.(map[string]any)
		if !ok {
			return 1
		}
		for name, v := range ours {
			if other, ok := theirs[name]; ok {
				n += differences(other, v)
			} else {
				n++
			}
		}
		for name := range theirs {
			if _, ok := ours[name]; !ok {
				n++
			}
		}
	case []any:
		theirs, ok := theirs.([]any)
		if !ok {
			return 1
		}
		shared := min(len(ours), len(theirs))
		n = len(ours) + len(theirs) - 2*shared
		for i := range shared {
			n += differences(theirs[i], ours[i])
		}
	default:
		if !document.SameValue(theirs, ours) {
			return 1
		}
	}
	return n
}
