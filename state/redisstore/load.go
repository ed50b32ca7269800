package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/store"
)

// stored is what a backend keeps with a record for the next transition.
type stored struct {
	fields map[string]string // the stored document, to find what a transition changes
	queue  string            // the stored queue
}

// loadedBytes is the size of a large, but not the largest, thread without its conversation.
const loadedBytes = 64 << 10

// storedOf returns the stored value of a record; zero without a thread.
func storedOf(r *store.Record) stored {
	if r == nil {
		return stored{}
	}
	s, _ := r.Private.(stored)
	return s
}

// Read reads a thread in one script; see [store.Backend].
func (s *backend) Read(ctx context.Context, key state.Key, o store.ReadOptions) (*store.Record, error) {
	var a args
	have := ""
	if o.Have != nil {
		have = o.Have.Tag
	}
	a.add(s.clock(), have, idText(o.Frame))
	a.list(loadedFields)
	a.list(o.Messages)
	a.list(o.Tokens)
	var log []part
	if !o.Frame.IsZero() {
		log = []part{partLog}
	}
	reply, err := s.batch(ctx, loadScript, hashTagOf(key), a, loadedBytes, log...)
	if err != nil {
		return nil, err
	}
	hasFrame := reply.number(6) > 0
	if reply.number(6) < 0 { // its frame is packed
		if hasFrame, err = s.Holds(ctx, key, o.Frame); err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return nil, err
		}
	}
	f := &facts{ctx: ctx, backend: s, key: key, places: map[string]state.Place{}, tokens: map[string]state.Token{}}
	r := &store.Record{
		Thread: &state.Thread{Key: key}, Now: parseMoment(reply.text(0)), HasFrame: hasFrame, Facts: f,
	}
	if r.Floor, err = strconv.ParseUint(reply.text(1), 10, 64); err != nil {
		return nil, undecodable("fence", err)
	}
	fields := reply.list(2).pairs()
	if r.Tag = fields["tag"]; r.Tag == "" {
		f.none = true
		return r, nil
	}
	if err := f.read(o.Messages, reply.list(3), reply.list(4).pairs()); err != nil {
		return nil, err
	}
	f.tag = r.Tag
	known := stored{fields: fields, queue: fields[fieldQueue]}
	if o.Have != nil && r.Tag == have {
		r.Born, known.fields = o.Have.Born, storedOf(o.Have).fields
		t := *o.Have.Thread
		r.Thread = &t
	} else {
		r.Born = fields["born"]
		if r.Thread, err = decode(fields); err != nil {
			return nil, err
		}
	}
	r.Private = known
	f.slots = r.Thread.Slots
	r.Thread.Key = key // JSON changes a name that is not UTF-8
	refresh(r.Thread, fields, reply.list(5).pairs())
	waiters, err := parseQueue(known.queue)
	r.Thread.Queue = tickets(waiters)
	if !o.Take && r.Thread.Overdue(r.Now) { // index an overdue run, so that its reader gets it taken over
		s.hintLive(ctx, key, r.Thread.Live.Fence, r.Thread.Live.Until)
	}
	return r, err
}

// facts are the [state.Facts] of a thread. Lookups that were not prefetched read Redis. Err returns their error.
type facts struct {
	ctx     context.Context
	backend *backend
	key     state.Key
	none    bool   // the thread does not exist
	tag     string // of the thread when it was loaded
	err     error

	places  map[string]state.Place
	unknown map[string]bool
	tokens  map[string]state.Token
	slots   int // of the conversation
}

// loadedFields are the fields of the hash that every reader needs: all but the state.
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
		return undecodable("token", err)
	}
	f.tokens[id] = token
	return nil
}

// fetch reads one field of a hash of the thread.
func (f *facts) fetch(p part, field string) string {
	var text *redis.StringCmd
	f.sameTag(func(pipe redis.Pipeliner) { text = pipe.HGet(f.ctx, f.backend.key(hashTagOf(f.key), p), field) })
	return text.Val()
}

// sameTag reads something, and then the thread's tag: if it is unchanged, so is the thread.
func (f *facts) sameTag(read func(redis.Pipeliner)) {
	pipe := f.backend.main.Pipeline()
	read(pipe)
	tag := pipe.HGet(f.ctx, f.backend.key(hashTagOf(f.key), partThread), "tag")
	if _, err := pipe.Exec(f.ctx); err != nil && !errors.Is(err, redis.Nil) {
		f.fail(fmt.Errorf("redisstore: %w", err))
		return
	}
	f.still(tag.Val())
}

// still sets a conflict if the thread has another tag by now.
func (f *facts) still(tag string) {
	if tag != f.tag {
		f.fail(store.ErrConflict)
	}
}

// Err returns the error of the lookups.
func (f *facts) Err() error { return f.err }

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
	text, tag, err := f.backend.stateAt(f.ctx, f.key, rev)
	if err == nil {
		f.still(tag)
	}
	f.fail(err)
	return text
}

// Past returns the way back to earlier states.
func (f *facts) Past() document.History {
	var past document.History
	for _, text := range f.list(partPast) {
		var mark document.Mark
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

// list reads a list of the thread, oldest first.
func (f *facts) list(p part) []string {
	if f.none {
		return nil
	}
	var texts *redis.StringSliceCmd
	f.sameTag(func(pipe redis.Pipeliner) {
		texts = pipe.LRange(f.ctx, f.backend.key(hashTagOf(f.key), p), 1, -1) // the first entry is a placeholder
	})
	return texts.Val()
}

func (f *facts) unmarshal(what, text string, v any) {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		f.fail(undecodable(what, err))
	}
}

// fail adds an error of a lookup.
func (f *facts) fail(err error) { f.err = errors.Join(f.err, err) }
