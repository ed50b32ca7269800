package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// existing reads a thread that there is.
func (s *store) existing(ctx context.Context, key state.Key, o ReadOptions) (*Record, error) {
	r, err := s.backend.Read(ctx, key, o)
	if err == nil && !r.Exists() {
		err = state.ErrUnknownThread
	}
	return r, err
}

// Load returns the thread as committed; see [state.ThreadReader].
func (s *store) Load(ctx context.Context, key state.Key) (*state.Thread, []agui.Interrupt, error) {
	var open []agui.Interrupt
	t, err := call(ctx, s, "load", func(ctx context.Context) (*state.Thread, error) {
		r, err := s.existing(ctx, key, ReadOptions{})
		if err != nil {
			return nil, err
		}
		open = state.OpenInterrupts(r.Thread, r.Facts, r.Now)
		return r.Thread, r.Facts.Err()
	})
	return t, open, err
}

// Snapshot returns the thread with its related records; see [state.ThreadReader]. It is read in pieces, anew if another
// process wrote the thread between.
func (s *store) Snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	return call(ctx, s, "snapshot", func(ctx context.Context) (*state.Snapshot, error) {
		return s.snapshot(ctx, key)
	})
}

// snapshot is one try.
func (s *store) snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	r, err := s.existing(ctx, key, ReadOptions{})
	if err != nil {
		return nil, err
	}
	open := state.OpenInterrupts(r.Thread, r.Facts, r.Now)
	shown := &state.Snapshot{Thread: r.Thread, Interrupts: open, Runs: runsOf(r)}
	if shown.Messages, err = s.backend.Messages(ctx, key, -1); err != nil {
		return nil, err
	}
	if shown.State, err = s.backend.State(ctx, key, -1); err != nil {
		return nil, err
	}
	now, err := s.backend.Read(ctx, key, ReadOptions{Have: r, Tokens: answeredIDs(r.Thread)})
	if err := errors.Join(err, r.Facts.Err()); err != nil {
		return nil, err
	}
	if now.Tag != r.Tag {
		return nil, ErrConflict
	}
	shown.Answered = state.AnsweredTokens(now.Thread, now.Facts)
	return shown, now.Facts.Err()
}

// answeredIDs are the ids of the tokens of a thread's answered questions.
func answeredIDs(t *state.Thread) []string {
	ids := make([]string, len(t.Answered))
	for i, a := range t.Answered {
		ids[i] = a.ID
	}
	return ids
}

// Runs returns the runs that are remembered; see [state.ThreadReader].
func (s *store) Runs(ctx context.Context, key state.Key) ([]state.Run, error) {
	return call(ctx, s, "runs", func(ctx context.Context) ([]state.Run, error) {
		r, err := s.existing(ctx, key, ReadOptions{})
		if err != nil {
			return nil, err
		}
		runs := runsOf(r)
		return runs, r.Facts.Err()
	})
}

// runsOf are the newest run and those before it.
func runsOf(r *Record) []state.Run {
	if r.Thread.Run == nil {
		return nil
	}
	return append([]state.Run{*r.Thread.Run}, r.Facts.Runs()...)
}

// State returns the state at a revision; see [state.ThreadReader].
func (s *store) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	return call(ctx, s, "state", func(ctx context.Context) (json.RawMessage, error) {
		return s.backend.State(ctx, key, rev)
	})
}

// Messages returns the conversation at a revision; see [state.ThreadReader].
func (s *store) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	return call(ctx, s, "messages", func(ctx context.Context) (state.Conversation, error) {
		return s.backend.Messages(ctx, key, rev)
	})
}

// Holds reports whether the log still has the frame; see [state.ThreadReader].
func (s *store) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	return call(ctx, s, "holds", func(ctx context.Context) (bool, error) { return s.backend.Holds(ctx, key, id) })
}

// Find returns the threads with an id; see [state.Directory].
func (s *store) Find(ctx context.Context, principal, id string) ([]state.Key, error) {
	return call(ctx, s, "find", func(ctx context.Context) ([]state.Key, error) {
		return s.backend.Find(ctx, principal, id)
	})
}

// Rename sets the title; see [state.Directory].
func (s *store) Rename(ctx context.Context, key state.Key, title string) error {
	return s.run(ctx, "rename", func(ctx context.Context) error {
		base, err := s.existing(ctx, key, ReadOptions{})
		if err != nil {
			return err
		}
		_, _, err = s.write(ctx, &Write{Base: base, Transition: state.PlanRename(base.Thread, title, base.Now)})
		return err
	})
}

// Fork makes a thread of another's beginning; see [state.Directory].
func (s *store) Fork(
	ctx context.Context, from state.Key, messageID, id string, maxStored int64,
) (*state.Thread, error) {
	return call(ctx, s, "fork", func(ctx context.Context) (*state.Thread, error) {
		return s.fork(ctx, from, messageID, id, maxStored)
	})
}

// fork is one try.
func (s *store) fork(
	ctx context.Context, from state.Key, messageID, id string, maxStored int64,
) (*state.Thread, error) {
	transition, err := s.planFork(ctx, from, messageID, id)
	if err != nil {
		return nil, err
	}
	key := transition.Thread.Key
	base, err := s.backend.Read(ctx, key, ReadOptions{})
	if err != nil {
		return nil, err
	}
	if base.Exists() {
		return nil, state.ErrThreadExists
	}
	if err := s.affords(ctx, key.Principal, maxStored, transition); err != nil {
		return nil, err
	}
	after, _, err := s.write(ctx, &Write{Base: base, Transition: transition})
	if errors.Is(err, ErrConflict) { // or it is done, its reply was lost, and somebody has used it since
		now, err := s.backend.Read(ctx, key, ReadOptions{})
		if err == nil && now.Born != after.Born {
			err = state.ErrThreadExists
		}
		if err != nil {
			return nil, err
		}
		return now.Thread, nil
	}
	if err != nil {
		return nil, err
	}
	return after.Thread, nil
}

func (s *store) planFork(ctx context.Context, from state.Key, messageID, id string) (*state.Transition, error) {
	r, err := s.existing(ctx, from, ReadOptions{Messages: []string{messageID}})
	if err != nil {
		return nil, err
	}
	if len(r.Thread.Answered) > 0 { // one look-up instead of one for each
		if r, err = s.existing(ctx, from,
			ReadOptions{Messages: []string{messageID}, Tokens: answeredIDs(r.Thread)}); err != nil {
			return nil, err
		}
	}
	key := state.Key{Principal: from.Principal, Agent: from.Agent, ID: id}
	transition, err := state.PlanFork(r.Thread, r.Facts, messageID, key, r.Now)
	return transition, errors.Join(r.Facts.Err(), err)
}

// Delete forgets the thread; see [state.Directory].
func (s *store) Delete(ctx context.Context, key state.Key) error {
	return s.run(ctx, "delete", func(ctx context.Context) error {
		fence, err := s.backend.Delete(ctx, key)
		if err != nil {
			return err
		}
		thread := key.Digest()
		s.lookAgain(ctx, thread)
		s.deliverSignal(attemptKey{thread, fence}, state.SignalStop)
		// its attempt may have nothing to write by which it would learn that
		s.disown(&state.Lease{Key: key, Fence: fence, Thread: thread})
		s.dropUnread(thread)
		s.notify(Event{Kind: EventTurn, Thread: thread})
		return nil
	})
}

// Purge removes what a deletion has left; see [state.Directory].
func (s *store) Purge(ctx context.Context, key state.Key) error {
	return s.run(ctx, "purge", func(ctx context.Context) error {
		err := s.backend.Purge(ctx, key)
		if err == nil {
			s.lookAgain(ctx, key.Digest())
		}
		return err
	})
}
