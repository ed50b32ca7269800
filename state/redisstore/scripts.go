package redisstore

import (
	"context"
	_ "embed" // the scripts
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

//go:embed scripts/prelude.lua
var prelude string

//go:embed scripts/load.lua
var loadSource string

//go:embed scripts/transition.lua
var transitionSource string

//go:embed scripts/append.lua
var appendSource string

//go:embed scripts/once.lua
var onceSource string

//go:embed scripts/renew.lua
var renewSource string

//go:embed scripts/signal.lua
var signalSource string

//go:embed scripts/reader.lua
var readerSource string

//go:embed scripts/pack.lua
var packSource string

//go:embed scripts/delete.lua
var deleteSource string

//go:embed scripts/purge.lua
var purgeSource string

//go:embed scripts/read.lua
var readSource string

//go:embed scripts/holds.lua
var holdsSource string

//go:embed scripts/queue.lua
var queueSource string

//go:embed scripts/messages.lua
var messagesSource string

//go:embed scripts/unlist.lua
var unlistSource string

//go:embed scripts/replaced.lua
var replacedSource string

//go:embed scripts/state.lua
var stateSource string

//go:embed scripts/clock.lua
var clockSource string

// A script is one round trip and touches one slot. It names the keys that it uses and no other: while a slot moves to
// another node of a cluster, Redis serves no call that names a key which is not there.
type script struct {
	*redis.Script

	parts []part // in its order of KEYS; some calls add the log and what goes with it behind them
}

func newScript(source string, parts ...part) script {
	return script{redis.NewScript(scriptFormat + prelude + source), parts}
}

// newBareScript makes a script that is run so often that what it shares with the others would cost too much.
func newBareScript(source string, parts ...part) script {
	return script{redis.NewScript(scriptFormat + source), parts}
}

var (
	loadScript       = newScript(loadSource, threadParts...)
	transitionScript = newScript(transitionSource, threadParts...)
	appendScript     = newBareScript(appendSource, partThread, partLog)
	onceScript       = newScript(onceSource, partThread, partMemo)
	renewScript      = newScript(renewSource, slices.Concat(threadParts, logParts)...)
	releaseScript    = newScript(renewSource, partThread)
	signalScript     = newScript(signalSource, partThread)
	readerScript     = newScript(readerSource, partThread)
	packScript       = newScript(packSource, partThread, partLog, partPacks)
	deleteScript     = newScript(deleteSource, slices.Concat(threadParts, logParts)...)
	purgeScript      = newScript(purgeSource, partThread, partLog, partOld, partPacks)
	readScript       = newScript(readSource, partThread, partEnds, partLog, partOld)
	unlistScript     = redis.NewScript(unlistSource) // of an index, not of a thread
	clockScript      = redis.NewScript(clockSource)
	holdsScript      = newScript(holdsSource, partThread, partEnds, partLog, partOld)
	stateScript      = newScript(stateSource, partThread)
	queueScript      = newScript(queueSource, partThread)
	replacedScript   = newScript(replacedSource, partThread, partOld)
	messagesScript   = newScript(messagesSource, partThread, partMessages)
)

// What scripts answer.
const (
	didIt    = "done"
	gap      = "gap"      // the log ends before the frame that was named
	conflict = "conflict" // the thread is not what the transition was computed from
	damaged  = "damaged"  // the thread has lost a part
	unknown  = "unknown"  // there is no such thread
	live     = "live"     // a run is live
	idle     = "idle"     // none is, or not the one that is meant
	packed   = "packed"   // the script has to be told where the packs are
)

// args are the arguments of a script, in the order it takes them.
type args []any

func (a *args) add(values ...any) { *a = append(*a, values...) }

// flag adds a truth value: a script takes empty for false.
func (a *args) flag(set bool) {
	if set {
		a.add("1")
	} else {
		a.add("")
	}
}

// list adds texts behind their number.
func (a *args) list(values []string) {
	a.add(len(values))
	for _, v := range values {
		a.add(v)
	}
}

// frames adds frames behind their number: each is the number of what follows, its id, and the fields of its entry in the log. What
// a frame has not is no field.
func (a *args) frames(frames []state.Frame) error {
	a.add(len(frames))
	for _, f := range frames {
		values := len(*a)
		a.add(0, f.ID.String(), "t", string(f.Type), "d", []byte(f.Data))
		if f.Rev != 0 {
			a.add("r", f.Rev)
		}
		if f.Ending != nil {
			ending, err := marshal(f.Ending)
			if err != nil {
				return err
			}
			a.add("e", ending)
		}
		if f.At != 0 {
			a.add("a", f.At)
		}
		(*a)[values] = len(*a) - values - 1
	}
	return nil
}

// run runs a script on a thread, and returns its answer. More are parts that this call uses beside the script's own.
func (s *backend) run(ctx context.Context, script script, h hashTag, a args, more ...part) (reply, error) {
	keys := append(s.keys(h, script.parts), s.keys(h, more)...)
	answer, err := script.Run(ctx, s.main, keys, a...).Result()
	if err != nil {
		return nil, fmt.Errorf("redisstore: %w", err)
	}
	return answered(answer)
}

// runPacked is run for scripts that use the packs of a log if it has any: only then they are named.
func (s *backend) runPacked(ctx context.Context, script script, h hashTag, a args) (reply, error) {
	r, err := s.run(ctx, script, h, a)
	if err == nil && r.text(0) == packed {
		r, err = s.run(ctx, script, h, a, partPacks)
	}
	return r, err
}

// batch is run for scripts that are many and small: those of several threads go together. Size is how many bytes a and the answer have about.
func (s *backend) batch(ctx context.Context, script script, h hashTag, a args, size int, more ...part) (reply, error) {
	answer, err := s.batchOn(ctx, script, append(s.keys(h, script.parts), s.keys(h, more)...), a, size)
	if err != nil {
		return nil, err
	}
	return answered(answer)
}

// batchOn is batch on keys that are of any kind, in one slot.
func (s *backend) batchOn(ctx context.Context, script script, keys []string, a args, size int) (any, error) {
	b, err := s.batcherOf(ctx, keys[0])
	if err != nil {
		return nil, err
	}
	return b.do(ctx, &call{script: script, keys: keys, args: a, size: size})
}

// size is about how many bytes a has.
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

// A reply is the list a script answers with. What is not there reads as empty.
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

// pairs reads names and values that take turns.
func (r reply) pairs() map[string]string {
	m := make(map[string]string, len(r)/2)
	for i := 0; i+1 < len(r); i += 2 {
		m[r.text(i)] = r.text(i + 1)
	}
	return m
}

// moment is t as scripts compare it: a time that no number of nanoseconds tells is the first or the last.
func moment(t time.Time) string {
	switch {
	case t.Unix() < 0:
		return fmt.Sprintf("%020d", 0)
	case t.After(state.Forever):
		t = state.Forever
	}
	return fmt.Sprintf("%020d", t.UnixNano())
}

// parseMoment reads what moment writes; the zero time if it is not one.
func parseMoment(text string) time.Time {
	ns, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// clock is what scripts are told of the time: nothing, if the server's counts.
func (s *backend) clock() string {
	if s.o.Now == nil {
		return ""
	}
	return moment(s.o.Now())
}
