package redisstore

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

//go:embed scripts/*.lua
var scriptFiles embed.FS

// source returns the text of a script, by the name of its file.
func source(name string) string {
	text, err := scriptFiles.ReadFile("scripts/" + name + ".lua")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(text)
}

// A script is one round trip to one slot. It names only keys that exist: while a slot moves to another node of a
// cluster, Redis refuses calls that name a missing key.
type script struct {
	*redis.Script

	parts []part // in the order of KEYS; some calls append the log
}

func newScript(text string, parts ...part) script {
	return script{redis.NewScript(scriptFormat + source("prelude") + text), parts}
}

// newBareScript makes a script without the prelude, which would cost too much in one that runs often.
func newBareScript(text string, parts ...part) script {
	return script{redis.NewScript(scriptFormat + text), parts}
}

var (
	loadScript       = newScript(source("load"), threadParts...)
	transitionScript = newScript(source("transition"), threadParts...)
	appendScript     = newBareScript(source("append"), partThread, partLog)
	onceScript       = newScript(source("once"), partThread, partMemo)
	renewScript      = newScript(source("renew"), slices.Concat(threadParts, logParts)...)
	releaseScript    = newScript(source("renew"), partThread)
	signalScript     = newScript(source("signal"), partThread)
	readerScript     = newScript(source("reader"), partThread)
	packScript       = newScript(source("pack"), partThread, partLog, partPacks)
	deleteScript     = newScript(source("delete"), slices.Concat(threadParts, logParts)...)
	purgeScript      = newScript(source("purge"), partThread, partLog, partOld, partPacks)
	readScript       = newScript(source("read"), partThread, partEnds, partLog, partOld)
	unlistScript     = redis.NewScript(source("unlist")) // for an index, not a thread
	clockScript      = redis.NewScript(source("clock"))
	holdsScript      = newScript(source("holds"), partThread, partEnds, partLog, partOld)
	stateScript      = newScript(source("state"), partThread)
	queueScript      = newScript(source("queue"), partThread)
	replacedScript   = newScript(source("replaced"), partThread, partOld)
	messagesScript   = newScript(source("messages"), partThread, partMessages)
)

// The answers of scripts.
const (
	didIt    = "done"
	gap      = "gap"      // the log ends before the frame that was named
	conflict = "conflict" // the thread is not what the transition was computed from
	damaged  = "damaged"  // the thread has lost a part
	unknown  = "unknown"  // there is no such thread
	live     = "live"     // a run is live
	idle     = "idle"     // no run is live, or another one
	packed   = "packed"   // the script needs the key of the packs
)

// args are the arguments of a script, in its order. One that is an error makes the call fail with it.
type args []any

func (a *args) add(values ...any) { *a = append(*a, values...) }

// json adds a value as JSON, or the error.
func (a *args) json(v any) {
	raw, err := marshal(v)
	if err != nil {
		a.add(err)
		return
	}
	a.add(raw)
}

// flag adds a boolean: false is empty.
func (a *args) flag(set bool) {
	if set {
		a.add("1")
	} else {
		a.add("")
	}
}

// list adds texts after their number.
func (a *args) list(values []string) {
	a.add(len(values))
	for _, v := range values {
		a.add(v)
	}
}

// frames adds frames after their number. Each is the number of its arguments, its id, and the fields of its entry
// in the log. Zero fields are left out.
func (a *args) frames(frames []state.Frame) {
	a.add(len(frames))
	for _, f := range frames {
		values := len(*a)
		a.add(0, f.ID.String(), "t", string(f.Type), "d", []byte(f.Data))
		if f.Rev != 0 {
			a.add("r", f.Rev)
		}
		if f.Ending != nil {
			a.add("e")
			a.json(f.Ending)
		}
		if f.At != 0 {
			a.add("a", f.At)
		}
		(*a)[values] = len(*a) - values - 1
	}
}

// run runs a script on a thread, and returns its answer. More are additional keys.
func (s *backend) run(ctx context.Context, script script, h hashTag, a args, more ...part) (reply, error) {
	keys := append(s.keys(h, script.parts), s.keys(h, more)...)
	answer, err := script.Run(ctx, s.main, keys, a...).Result()
	if err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	return answered(answer)
}

// runPacked is run for scripts that need the packs of a log, if there are any. Only then their key is named.
func (s *backend) runPacked(ctx context.Context, script script, h hashTag, a args) (reply, error) {
	r, err := s.run(ctx, script, h, a)
	if err == nil && r.text(0) == packed {
		r, err = s.run(ctx, script, h, a, partPacks)
	}
	return r, err
}

// batch is run for small scripts, which share a round trip with others. Size is about the number of bytes of a and
// the answer.
func (s *backend) batch(ctx context.Context, script script, h hashTag, a args, size int, more ...part) (reply, error) {
	answer, err := s.batchOn(ctx, script, append(s.keys(h, script.parts), s.keys(h, more)...), a, size)
	if err != nil {
		return nil, err
	}
	return answered(answer)
}

// batchOn is batch with any keys of one slot.
func (s *backend) batchOn(ctx context.Context, script script, keys []string, a args, size int) (any, error) {
	for _, v := range a {
		if err, ok := v.(error); ok {
			return nil, err
		}
	}
	b, err := s.batcherOf(ctx, keys[0])
	if err != nil {
		return nil, err
	}
	return b.do(ctx, &call{script: script, keys: keys, args: a, size: size})
}

// size returns about the number of bytes of a.
func (a args) size() (bytes int) {
	for _, v := range a {
		switch v := v.(type) {
		case string:
			bytes += len(v)
		case []byte:
			bytes += len(v)
		}
	}
	return bytes
}

// answered reads the answer of a script.
func answered(answer any) (reply, error) {
	if text, ok := answer.(string); ok {
		return reply{text}, nil
	}
	list, ok := answer.([]any)
	if !ok {
		return nil, fmt.Errorf("redisstore: a script answered with a %T", answer)
	}
	switch reply(list).text(0) {
	case damaged:
		return nil, state.ErrDamaged
	case later:
		return nil, fmt.Errorf("redisstore: thread: %w", state.ErrLater)
	}
	return list, nil
}

// A reply is the list that a script returns. Missing values read as empty.
type reply []any

func (r reply) text(i int) string {
	if i >= len(r) {
		return ""
	}
	text, _ := r[i].(string)
	return text
}

func (r reply) list(i int) reply {
	if i >= len(r) {
		return nil
	}
	list, _ := r[i].([]any)
	return list
}

func (r reply) number(i int) int64 {
	if i >= len(r) {
		return 0
	}
	n, _ := r[i].(int64)
	return n
}

// pairs reads alternating names and values.
func (r reply) pairs() map[string]string {
	m := make(map[string]string, len(r)/2)
	for i := 0; i+1 < len(r); i += 2 {
		m[r.text(i)] = r.text(i + 1)
	}
	return m
}

// moment returns t in the encoding of scripts. Times beyond the range of nanoseconds are the first or the last.
func moment(t time.Time) string {
	switch {
	case t.Unix() < 0:
		return fmt.Sprintf("%020d", 0)
	case t.After(state.Forever):
		t = state.Forever
	}
	return fmt.Sprintf("%020d", t.UnixNano())
}

// parseMoment reads the result of moment; the zero time for another text.
func parseMoment(text string) time.Time {
	ns, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// clock returns the time for scripts; empty for the server's own.
func (s *backend) clock() string {
	if s.o.Now == nil {
		return ""
	}
	return moment(s.o.Now())
}
