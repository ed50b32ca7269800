package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// A wish is what a caller wants to know of a thread, beside the thread.
type wish struct {
	known  []string      // places of these messages
	tokens []string      // these tokens; the open and claimed ones come by themselves
	holds  state.FrameID // whether the log has this frame
	have   *loaded       // what the caller has already: parts that are still true are not sent
}

// loaded is a thread as one moment found it, with what was asked for. Nobody changes one.
type loaded struct {
	now    time.Time
	floor  uint64 // no thread of this name had a higher fence
	tag    string // of the step that wrote it; empty for a thread that does not exist
	born   string
	fields map[string]string // the document as stored, to see what a step changes
	queue  string            // who waits, as stored
	thread *state.Thread     // at revision 0 if there is none
	facts  *facts
	holds  bool
}

func (l *loaded) exists() bool { return l.tag != "" }

// load reads a thread in one script.
func (s *Store) load(ctx context.Context, key state.Key, w wish) (*loaded, error) {
	var a args
	have := ""
	if w.have != nil {
		have = w.have.tag
	}
	a.add(s.clock(), have, idText(w.holds))
	a.list(loadedFields)
	a.list(w.known)
	a.list(w.tokens)
	var log []part
	if !w.holds.IsZero() {
		log = []part{partLog}
	}
	r, err := s.run(ctx, loadScript, slotOf(key), a, log...)
	if err != nil {
		return nil, err
	}
	l := &loaded{now: parseMoment(r.text(0)), thread: &state.Thread{Key: key}, holds: r.number(6) > 0}
	if l.floor, err = strconv.ParseUint(r.text(1), 10, 64); err != nil {
		return nil, fmt.Errorf("redisstore: stored fence: %w", err)
	}
	l.facts = &facts{ctx: ctx, store: s, key: key, places: map[string]state.Place{}, tokens: map[string]state.Token{}}
	fields := r.list(2).pairs()
	if l.tag = fields["tag"]; l.tag == "" {
		l.facts.none = true
		return l, nil
	}
	if err := l.facts.read(w.known, r.list(3), r.list(4).pairs()); err != nil {
		return nil, err
	}
	if w.have != nil && l.tag == have {
		l.born, l.fields = w.have.born, w.have.fields
		t := *w.have.thread
		l.thread = &t
	} else {
		l.born, l.fields = fields["born"], fields
		if l.thread, err = decode(fields); err != nil {
			return nil, err
		}
	}
	l.facts.slots = l.thread.Slots
	l.thread.Key = key // JSON changes a name that is not UTF-8
	refresh(l.thread, fields, r.list(5).pairs())
	l.queue = fields[fieldQueue]
	waiters, err := parseQueue(l.queue)
	l.thread.Queue = tickets(waiters)
	return l, err
}

// facts are the [state.Facts] of a thread that was loaded. What was not asked for in advance is fetched when it is
// wanted; if that fails, err says so afterwards.
type facts struct {
	ctx   context.Context
	store *Store
	key   state.Key
	none  bool // the thread does not exist
	err   error

	places  map[string]state.Place
	unknown map[string]bool
	tokens  map[string]state.Token
	slots   int // of the conversation
}

// loadedFields are the fields of the hash that everybody looks at: all but the state.
var loadedFields = slices.Concat(documentFields, liveFields, []string{"tag", "born", "last", fieldQueue})

func (f *facts) read(ids []string, places reply, tokens map[string]string) error {
	f.unknown = map[string]bool{}
	for i, id := range ids {
		f.place(id, places.text(i))
	}
	for id, text := range tokens {
		if err := f.token(id, text); err != nil {
			return err
		}
	}
	return nil
}

func (f *facts) place(id, text string) {
	place, ok := parsePlace(text)
	if ok {
		f.places[id] = place
	} else {
		f.unknown[id] = true
	}
}

func (f *facts) token(id, text string) error {
	if text == "" {
		return nil
	}
	var token state.Token
	if err := json.Unmarshal([]byte(text), &token); err != nil {
		return fmt.Errorf("redisstore: stored token: %w", err)
	}
	f.tokens[id] = token
	return nil
}

// fetch gets one field of a hash of the thread's.
func (f *facts) fetch(p part, field string) string {
	text, err := f.store.main.HGet(f.ctx, f.store.key(slotOf(f.key), p), field).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		f.fail(fmt.Errorf("redisstore: %w", err))
	}
	return text
}

// Known looks up a message.
func (f *facts) Known(id string) (state.Place, bool) {
	if f.none || f.unknown[id] {
		return state.Place{}, false
	}
	if _, ok := f.places[id]; !ok {
		f.place(id, f.fetch(partKnown, id))
	}
	place, ok := f.places[id]
	return place, ok
}

// Token looks up a token.
func (f *facts) Token(id string) (state.Token, bool) {
	token, ok := f.tokens[id]
	if ok || f.none {
		return token, ok
	}
	f.fail(f.token(id, f.fetch(partTokens, id)))
	token, ok = f.tokens[id]
	return token, ok
}

// State returns the state at a revision.
func (f *facts) State(rev int64) json.RawMessage {
	if f.none {
		return nil
	}
	text, err := f.store.State(f.ctx, f.key, rev)
	f.fail(err)
	return text
}

// Past returns the way back to earlier states.
func (f *facts) Past() state.History {
	var past state.History
	for _, text := range f.list(partPast) {
		var mark state.Mark
		f.unmarshal("mark", text, &mark)
		past.Marks = append(past.Marks, mark)
	}
	return past
}

// Runs returns the runs before the newest.
func (f *facts) Runs() []state.Run {
	var runs []state.Run
	for _, text := range slices.Backward(f.list(partRuns)) {
		var run state.Run
		f.unmarshal("run", text, &run)
		runs = append(runs, run)
	}
	return runs
}

// list gets a list of the thread's, oldest first.
func (f *facts) list(p part) []string {
	if f.none {
		return nil
	}
	texts, err := f.store.main.LRange(f.ctx, f.store.key(slotOf(f.key), p), 1, -1).Result() // the first entry is none
	if err != nil {
		f.fail(fmt.Errorf("redisstore: %w", err))
	}
	return texts
}

func (f *facts) unmarshal(what, text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		f.fail(fmt.Errorf("redisstore: stored %s: %w", what, err))
	}
}

// fail notes that something could not be fetched.
func (f *facts) fail(err error) { f.err = errors.Join(f.err, err) }

// with returns the facts after a step that wrote tokens.
func (f *facts) with(tokens []state.Token) *facts {
	after := *f
	after.tokens = maps.Clone(f.tokens)
	for _, token := range tokens {
		after.tokens[token.Interrupt.ID] = token
	}
	return &after
}
