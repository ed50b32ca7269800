package filestore

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// The kinds of replaced values. A key of their table is the kind, the revision that replaced the value, and a number.
const (
	replacedState   = 's'
	replacedMessage = 'm'
)

// replacedName returns the first key of the values replaced at a revision.
func replacedName(kind byte, rev int64) []byte {
	return append([]byte{kind}, number8(uint64(max(rev, 0)))...)
}

// past writes the state, and what the transition adds to the past.
func (s *applier) past() {
	step := s.w.Transition
	if step.State != nil {
		s.keep(replacedState, s.was.StateRev, s.value(stateRecord))
		s.setValue(stateRecord, step.State)
	}
	for _, mark := range step.Past {
		s.mark(mark)
	}
	if step.Mark != nil {
		s.mark(*step.Mark)
	}
	if step.Ended == nil {
		return
	}
	raw, err := marshal(step.Ended)
	s.fail(err)
	if t, n := s.push(runsTable, raw); n > state.MaxRuns-1 {
		t.shift()
	}
}

// mark stores a patch to an earlier state. The oldest are removed when there are too many, or too large ones.
func (s *applier) mark(mark document.Mark) {
	raw, err := marshal(mark)
	s.fail(err)
	t, n := s.push(pastTable, raw)
	s.doc.Past += len(raw)
	for ; n > document.MaxMarks || n > 2 && s.doc.Past > document.MaxPast; n-- {
		s.doc.Past -= t.shift()
	}
}

// push appends a value to a table, and returns the number of values.
func (l *loaded) push(name, value []byte) (t table, n int) {
	t = l.table.make(name)
	first := numberOf(t.first())
	next := numberOf(t.last()) + 1
	if first == 0 {
		first = next
	}
	t.put(number8(next), value)
	return t, int(next - first + 1)
}

// keep stores a replaced value if frames of the log name it.
func (s *applier) keep(kind byte, from int64, value []byte) {
	if shown := s.was.Shown; from > shown || shown <= s.doc.Trimmed {
		s.drop(kind, s.next.Rev)
		return
	}
	t := s.table.make(replacedTable)
	key := append(replacedName(kind, s.next.Rev), number8(t.sequence())...)
	t.put(key, append(number8(uint64(from)), value...))
	s.doc.Replaced += len(value)
	for s.doc.Replaced > state.MaxReplaced && s.err == nil {
		end, ok := s.oldestEnd()
		if !ok {
			return
		}
		s.dropRun(end)
		s.forgetReplaced()
	}
}

// drop records that a value replaced at a revision is not kept.
func (l *loaded) drop(kind byte, rev int64) {
	if kind == replacedMessage {
		l.doc.Dropped = max(l.doc.Dropped, rev)
	}
}

// forgetReplaced removes the replaced values that no frame of the log names any more.
func (l *loaded) forgetReplaced() {
	t := l.table.sub(replacedTable)
	for _, kind := range []byte{replacedState, replacedMessage} {
		for {
			var key []byte
			var size int
			t.each([]byte{kind}, func(k, value []byte) bool {
				if k[0] == kind && int64(numberOf(k[1:])) <= l.doc.Trimmed+1 {
					key, size = slices.Clone(k), len(value)-8
				}
				return false
			})
			if key == nil || t.err != nil {
				break
			}
			t.delete(key)
			l.doc.Replaced -= size
			l.drop(kind, int64(numberOf(key[1:])))
		}
	}
}

// replaced calls f for the values replaced after a revision until f returns false. From is the revision that
// brought the value.
func (l *loaded) replaced(kind byte, rev, trimmed int64, f func(from int64, value []byte) bool) {
	rev = max(rev, trimmed+1)
	l.table.sub(replacedTable).each(replacedName(kind, rev+1), func(key, value []byte) bool {
		return key[0] == kind && len(value) >= 8 && f(int64(numberOf(value)), value[8:])
	})
}

// State returns the state at a revision; see [store.Backend].
func (b *backend) State(ctx context.Context, key state.Key, rev int64) (found json.RawMessage, err error) {
	err = b.existing(ctx, key, func(l *loaded) { found = l.stateAt(rev, b.trimmedAt(l)) })
	return found, err
}

// trimmedAt returns a function that computes the revision up to which the log is trimmed for readers.
func (b *backend) trimmedAt(l *loaded) func() int64 {
	return func() int64 {
		_, trimmed := l.kept(b.o.Now().Add(-b.o.LogTTL))
		return trimmed
	}
}

func (l *loaded) stateAt(rev int64, trimmedAt func() int64) json.RawMessage {
	if rev < 0 || rev >= l.doc.Thread.StateRev {
		return l.value(stateRecord)
	}
	var found json.RawMessage
	kept := false
	l.replaced(replacedState, rev, trimmedAt(), func(from int64, value []byte) bool {
		if kept = from <= rev; kept && len(value) > 0 {
			found = slices.Clone(value)
		}
		return false
	})
	if !kept {
		l.table.fail(state.ErrRevision)
	}
	return found
}
