package redisstore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// Load returns the thread as committed; see [state.ThreadReader].
func (s *Store) Load(ctx context.Context, key state.Key) (*state.Thread, []agui.Interrupt, error) {
	l, err := s.load(ctx, key, wish{})
	if err != nil {
		return nil, nil, err
	}
	if !l.exists() {
		return nil, nil, state.ErrUnknownThread
	}
	s.repairLive(ctx, l)
	open := state.OpenInterrupts(l.thread, l.facts, l.now)
	return l.thread, open, l.facts.err
}

// Snapshot returns the thread with what is kept beside it; see [state.ThreadReader]. It is read in pieces, anew if
// somebody wrote the thread between.
func (s *Store) Snapshot(ctx context.Context, key state.Key) (*state.Snapshot, error) {
	for try := range tries {
		l, err := s.load(ctx, key, wish{})
		if err != nil {
			return nil, err
		}
		if !l.exists() {
			return nil, state.ErrUnknownThread
		}
		list, err := s.Messages(ctx, key, -1)
		if err != nil {
			return nil, err
		}
		shown := &state.Snapshot{
			Thread: l.thread, Interrupts: state.OpenInterrupts(l.thread, l.facts, l.now), State: l.facts.State(-1),
			Messages: list, Runs: l.runs(),
		}
		now, err := s.load(ctx, key, wish{have: l})
		if err := errors.Join(err, l.facts.err); err != nil {
			return nil, err
		}
		if now.tag == l.tag {
			return shown, nil
		}
		if err := again(ctx, try); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// Runs returns the runs that are remembered; see [state.ThreadReader].
func (s *Store) Runs(ctx context.Context, key state.Key) ([]state.Run, error) {
	l, err := s.load(ctx, key, wish{})
	if err != nil {
		return nil, err
	}
	if !l.exists() {
		return nil, state.ErrUnknownThread
	}
	return l.runs(), l.facts.err
}

// runs are the newest and those before it.
func (l *loaded) runs() []state.Run {
	if l.thread.Run == nil {
		return nil
	}
	return append([]state.Run{*l.thread.Run}, l.facts.Runs()...)
}

// State returns the state at a revision; see [state.ThreadReader].
func (s *Store) State(ctx context.Context, key state.Key, rev int64) (json.RawMessage, error) {
	a := args{s.clock(), rev}
	r, err := s.run(ctx, stateScript, slotOf(key), a)
	if err == nil && r.text(0) == "replaced" { // only then the other key is named, which may not be there
		r, err = s.run(ctx, stateScript, slotOf(key), a, partOld)
	}
	switch {
	case err != nil:
		return nil, err
	case r.text(0) == didIt:
		return raw(r.text(1)), nil
	case r.text(0) == "replaced":
		return nil, state.ErrRevision
	default:
		return nil, state.ErrUnknownThread
	}
}

// How much of a log, or of a conversation, is moved at once: a connection has to manage it in time.
const (
	most      = 256     // entries
	mostBytes = 4 << 20 // unless a single entry has more
)

// A stretch is a part of a log as it was read.
type stretch struct {
	born   string // whose log it is; empty: a thread's that is gone
	marked string // whose it is by the newest marker in it; empty: there is none
	frames []state.Frame
	last   state.FrameID // the newest frame there is
	end    state.FrameID // what was read reaches up to here
	more   bool          // there was more than is read at once
	cut    state.FrameID // the newest frame that is not kept any more
}

// of reports whether the part is of the thread that was born so. One that is gone leaves its log behind, for whoever was
// reading it, or knows a run in it; in the middle of a run it is the log of that run's thread.
func (p *stretch) of(born string) bool {
	if p.born == "" {
		return len(p.frames) > 0 && (p.marked == "" || p.marked == born)
	}
	return p.born == born
}

// readLog reads what a log has behind a frame.
func (s *Store) readLog(ctx context.Context, h slot, after state.FrameID) (*stretch, error) {
	r, err := s.run(ctx, readScript, h, args{s.clock(), s.o.LogTTL.Microseconds(), idText(after), most, mostBytes})
	if err != nil {
		return nil, err
	}
	part := &stretch{born: r.text(0), end: after}
	entries := r.list(2)
	for i := range entries {
		entry := entries.list(i)
		f, ok, err := parseFrame(entry.text(0), entry.list(1).pairs())
		if err != nil {
			return nil, err
		}
		if ok {
			part.frames = append(part.frames, f)
		} else if born := entry.list(1).pairs()["d"]; born != "" {
			part.marked = born
		}
		if part.end, err = state.ParseFrameID(entry.text(0)); err != nil {
			return nil, err
		}
	}
	part.more = r.number(3) > 0
	if part.last, err = frameID(r.text(1)); err != nil {
		return nil, err
	}
	if part.cut, err = frameID(r.text(4)); err != nil {
		return nil, err
	}
	if !part.more && part.end.Less(part.last) {
		part.end = part.last // what was between is trimmed
	}
	return part, nil
}

// Holds reports whether the log still has the frame; see [state.ThreadReader].
func (s *Store) Holds(ctx context.Context, key state.Key, id state.FrameID) (bool, error) {
	r, err := s.run(ctx, holdsScript, slotOf(key), args{s.clock(), s.o.LogTTL.Microseconds(), id.String()})
	if err != nil {
		return false, err
	}
	if r.text(0) == "" {
		return false, state.ErrUnknownThread
	}
	return r.text(0) == "yes", nil
}
