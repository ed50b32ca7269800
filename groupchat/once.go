package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state"
)

// Once returns what f returns, and calls it at most once for the turn and key: after a pause, a takeover or a retry it
// returns the recorded result instead. The result is recorded before it is used, so an effect with a result that was
// lost with its process may be repeated; give it [Turn.ID] and key as an idempotency key. T must survive JSON: the
// result is returned is always read back from it, and what cannot be ends the run, because a retry would repeat the
// effect. An error of f is not recorded. A turn that calls Once has made progress.
func Once[T any](t *Turn, key string, f func() (T, error)) (T, error) {
	v, err := recorded(t, key, f)
	if err == nil {
		t.markActed()
	}
	return v, err
}

// onceKey begins the keys under which results are recorded.
const onceKey = "once/"

// recorded is Once for results that are no progress by themselves, such as a model's reply.
func recorded[T any](t *Turn, key string, f func() (T, error)) (T, error) {
	release, err := t.claimEffect(onceKey + key)
	if err != nil {
		var none T
		return none, err
	}
	defer release()
	v, ok, err := recalled[T](t, key)
	if ok || err != nil {
		return v, err
	}
	if err := t.x.failure(); err != nil { // such as that the result of this effect could not be recorded
		return v, err
	}
	if err := Fence(t.ctx); err != nil {
		return v, err
	}
	made, err := f()
	if err != nil {
		return made, err
	}
	raw, err := json.Marshal(made)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		return made, t.x.fatal(fail(errcode.AgentFailed, "%s: once %s: %w", t.Path(), key, err))
	}
	if err := t.x.Journal.Once(t.ctx, t.ID()+"/"+onceKey+key, raw); err != nil {
		return v, t.x.fatal(err)
	}
	t.remember(onceKey+key, raw)
	return v, nil
}

// claimEffect waits until no other goroutine of the turn is at work under key, and keeps others from it until release
// is called.
func (t *Turn) claimEffect(key string) (release func(), err error) {
	id, mine := t.ID()+"/"+key, make(chan struct{})
	for {
		other := t.x.claim(id, mine)
		if other == nil {
			return func() {
				t.x.release(id)
				close(mine)
			}, nil
		}
		select {
		case <-other:
		case <-t.ctx.Done():
			return nil, context.Cause(t.ctx)
		}
	}
}

// recalled returns the recorded value of key, and whether there is one.
func recalled[T any](t *Turn, key string) (v T, ok bool, err error) {
	memo := onceKey + key
	raw, ok := t.memo(memo)
	if !ok {
		raw, ok = t.x.Memo[t.ID()+"/"+memo]
	}
	if !ok {
		return v, false, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		// An agent with another result type recorded it.
		return v, false, t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: once %s: %w", t.Path(), key, err))
	}
	t.remember(memo, raw)
	return v, true, nil
}

// done calls f unless the turn has done so under key, and remembers that. Unlike Once it calls f again after a
// takeover, which goes back to the state and the conversation of the last commit.
func (t *Turn) done(key string, f func() error) error {
	release, err := t.claimEffect(key)
	if err != nil {
		return err
	}
	defer release()
	if _, ok := t.memo(key); ok {
		return nil
	}
	if err := f(); err != nil {
		return err
	}
	t.remember(key, json.RawMessage("true"))
	return nil
}

// Say says a message of text, in pieces with the session's pace between them, once per turn: a turn that is entered
// again after a pause or a failure does not repeat it. The nth message of the same text in a turn is the nth of that
// text when the turn is entered again; a text that may be another one then, such as one with the time, needs a key: see
// [SayOnce]. Unlike the effect of [Once] it is repeated after a takeover, which withdraws messages that were not
// committed. It returns the run's error if the run ends meanwhile.
func Say(t *Turn, text string) error {
	return t.done("say/"+t.nextText(state.Hash([]byte(text))), func() error { return t.say(text) })
}

// Sayf is [Say] with a text that is formatted as by [fmt.Sprintf].
func Sayf(t *Turn, format string, args ...any) error { return Say(t, fmt.Sprintf(format, args...)) }

// SayOnce is [Say] under a key: it does nothing if the turn has said a message under it before. Another text under the
// key is an error while the turn lasts.
func SayOnce(t *Turn, key, text string) error {
	if err := t.claimKey("message", key, text); err != nil {
		return err
	}
	return t.done("say/"+key, func() error { return t.say(text) })
}

func (t *Turn) say(message string) error {
	text := t.Text()
	for i, piece := range pieces(message) {
		if i > 0 {
			if err := t.Sleep(t.x.Pace); err != nil {
				return err
			}
		}
		if _, err := text.WriteString(piece); err != nil {
			return err
		}
	}
	return text.Close()
}

// Sleep waits for d, or until the run ends; then it returns why.
func (t *Turn) Sleep(d time.Duration) error {
	_ = wait.For(t.ctx, d)
	return t.ctx.Err()
}

// pieces cuts text into words, each with the white space before it, so that they add up to the text.
func pieces(text string) []string {
	var out []string
	for text != "" {
		word := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsSpace(r) })
		if word < 0 {
			return append(out, text)
		}
		end := strings.IndexFunc(text[word:], unicode.IsSpace)
		if end < 0 {
			return append(out, text)
		}
		out = append(out, text[:word+end])
		text = text[word+end:]
	}
	return out
}

// Fence returns when the run that ctx belongs to is known to be this process' still. It waits while that is not known,
// as after its store could not be reached for longer than the run's lease, and fails with the cause of ctx once another
// replica has the run. [Once], models, tools and remote agents ask it each time before they reach out. An agent that
// has effects outside of the process calls it before. Without other replicas it returns at once.
func Fence(ctx context.Context) error { return fence.Ask(ctx) }
