package groupchat

import (
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// resume makes the records of a checkpoint ready to go on with: every answer and result goes to who asked for it, at
// once, because the first commit of any turn uses all of them up. It fails if today's agents cannot continue these
// records. A nil participant is one that only another agent knows.
func (x *execution) resume(p *Participant, f *turnRecord) error {
	if err := p.fits(f); err != nil {
		return err
	}
	if f.Tries < 0 {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: %d tries", f.ID, f.Tries)
	}
	if x.Takeover {
		f.endInvocation()
	}
	if x.flat {
		f.flat = f.replies()
	}
	return x.resumeKeys(p, f.ID, &f.keySpace)
}

// resumeKeys is resume for what a turn of p's, or a call of a tool in it, has to remember. Id names it in errors.
func (x *execution) resumeKeys(p *Participant, id string, k *keySpace) error {
	if err := x.deliver(id, k); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(k.Tools)) {
		if k.Tools[key] == nil {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: call %q of a tool is null", id, key)
		}
		if err := x.resumeKeys(nil, id+"/"+key, k.Tools[key]); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(k.Children)) {
		if err := x.resumePart(p, id, k.Children[key]); err != nil {
			return err
		}
	}
	if k.Chat == nil {
		return nil
	}
	if k.Chat.Round < 0 {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: round %d", id, k.Chat.Round)
	}
	if k.Chat.Turn == nil {
		return nil
	}
	return x.resumePart(p, id, k.Chat.Turn)
}

// resumePart is resume for a turn in that called id, which p takes.
func (x *execution) resumePart(p *Participant, id string, part *turnRecord) error {
	if part == nil {
		return fail(agui.CodeCheckpointIncompatible, "turn %s: a turn in it is null", id)
	}
	made, known := p.agent().(composite)
	if !known || isNil(made) {
		return x.resume(nil, part) // who takes part in a turn of another kind of agent only that agent knows
	}
	for _, member := range made.parts() {
		if member.Name == part.Speaker {
			return x.resume(&member, part)
		}
	}
	return fail(agui.CodeCheckpointIncompatible, "turn %s: participant %q is gone", part.ID, part.Speaker)
}

// deliver gives k, which is that of the turn called turn, the answers and results that came for it.
func (x *execution) deliver(turn string, k *keySpace) error {
	for key, id := range k.Asks {
		if id == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a question without an id", turn)
		}
		answer, ok := x.Answers[id]
		if _, had := k.Answers[key]; ok && !had {
			k.Answers = with(k.Answers, key, answer)
		}
	}
	for key, call := range k.Calls {
		if call.ID == "" {
			return fail(agui.CodeCheckpointIncompatible, "turn %s: a call without an id", turn)
		}
		if result, ok := x.Results[call.ID]; ok && !call.Done {
			k.Calls[key] = frontendCall{ID: call.ID, Result: result, Done: true}
		}
	}
	return nil
}
