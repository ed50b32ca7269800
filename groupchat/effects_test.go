package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestEffectsOfGoroutines happen once for a key, however many goroutines of a turn ask for them at once.
func TestEffectsOfGoroutines(t *testing.T) {
	t.Parallel()
	for name, effect := range map[string]func(t *Turn, n *atomic.Int32) error{
		"once": func(t *Turn, n *atomic.Int32) error {
			paid, err := Once(t, "pay", func() (int32, error) {
				time.Sleep(time.Second)
				return n.Add(1), nil
			})
			if err == nil && paid != 1 {
				err = context.Canceled
			}
			return err
		},
		"say": func(t *Turn, n *atomic.Int32) error {
			n.Store(1)
			return SayOnce(t, "hello", "Hello there.")
		},
		"call": func(t *Turn, n *atomic.Int32) error {
			n.Store(1)
			_, err := t.CallTool("c", "confirm", nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int32
				r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
					for range 4 {
						t.Go(func() error { return effect(t, &n) })
					}
					return nil
				}))
				must(t, r.say("go").err)
				calls := 0
				for _, m := range r.messages {
					calls += len(m.ToolCalls)
				}
				equal(t, "effects", []int{int(n.Load()), len(texts(r.messages)) - 1 + calls}, map[string][]int{"once": {1, 0}, "say": {1, 1}, "call": {1, 2}}[name])
			})
		})
	}
}

// TestAnEffectThatFailsIsTriedAgain by the goroutine that has waited for it.
func TestAnEffectThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	var mu sync.Mutex
	var got []int32
	r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
		for range 2 {
			t.Go(func() error {
				v, err := Once(t, "k", func() (int32, error) {
					if n.Add(1) == 1 {
						return 0, context.DeadlineExceeded
					}
					return 7, nil
				})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					got = append(got, v)
				}
				return nil
			})
		}
		return nil
	}))
	must(t, r.say("go").err)
	equal(t, "results", got, []int32{7})
}

// TestAnEffectWithoutARecordIsNotRepeated: after the result of an effect was not recorded, no goroutine of the run
// repeats it or has another effect.
func TestAnEffectWithoutARecordIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"k", "k", "k"}, {"a", "b", "c"}} {
		var n atomic.Int32
		r := newRig(t, AgentFunc(func(_ context.Context, t *Turn) error {
			var failed []error
			for _, key := range keys {
				_, err := Once(t, key, func() (int32, error) { return n.Add(1), nil })
				failed = append(failed, err)
			}
			return errors.Join(failed...)
		}))
		r.onceErr = errStore
		if err := r.say("go").err; !errors.Is(err, errStore) || n.Load() != 1 {
			t.Errorf("%v: %d effects, the run ends with %v; want 1 and %v", keys, n.Load(), err, errStore)
		}
	}
}

// TestRememberedKeysAreAnAgentsOwn: no key reaches what the package itself keeps in a turn.
func TestRememberedKeysAreAnAgentsOwn(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"contract/inputs", "once/pay", "say/hello", "u/contract/inputs"} {
		contracted := WithContract(AgentFunc(func(context.Context, *Turn) error { return nil }), Contract{Inputs: json.RawMessage(`{"type":"object","required":["must"]}`)})
		paid := 0
		r := newRig(t, AgentFunc(func(ctx context.Context, t *Turn) error {
			t.Remember(key, json.RawMessage(`true`))
			if raw, ok := t.Recall(key); !ok || string(raw) != "true" {
				return context.Canceled
			}
			if err := SayOnce(t, "hello", "Hello."); err != nil {
				return err
			}
			if _, err := Once(t, "pay", func() (bool, error) { paid++; return true, nil }); err != nil {
				return err
			}
			return contracted.Run(ctx, t)
		}))
		if err := r.say("go").err; err == nil {
			t.Errorf("%s: the contract's check did not take place", key)
		}
		equal(t, key, paid, 1)
	}
}

// TestKeysOfCallsDependOnArguments: a server that knows a key has seen the same call.
func TestKeysOfCallsDependOnArguments(t *testing.T) {
	t.Parallel()
	key := func(answer string) (key string) {
		m := newMind(t, calls("pay", `{"euros":20}`), says("Done."))
		pay := Tool{Name: "pay", Parameters: json.RawMessage(`{"type":"object"}`), Call: func(_ context.Context, c ToolCall) (tools.Result, error) {
			key = c.Key
			return tools.Result{Content: agui.TextContent("ok")}, nil
		}}
		r := newRig(t, &LLM{Model: m.model(), Tools: []Tool{pay}, Approve: tools.Approvals{All: true}})
		must(t, r.say("go").err)
		must(t, r.answer(map[string]string{"approve/llm/0/0": answer}).err)
		return key
	}
	first := key(`{"approved":true}`)
	equal(t, "the same arguments", key(`{"approved":true,"editedArgs":{"euros": 20}}`), first)
	if other := key(`{"approved":true,"editedArgs":{"euros":10}}`); other == first || other == "" {
		t.Errorf("other arguments have the key %q too", other)
	}
}

// TestACancelledQuestionDoesNotLoop cancels the question of a guesser, which then has no further turn.
func TestACancelledQuestionDoesNotLoop(t *testing.T) {
	t.Parallel()
	correct := equals("/hint", `"correct"`)
	for name, tt := range map[string]struct {
		manager func() Manager
		want    []string
	}{
		"the default is the one who guesses": {Rules("guesser", Rule{spoke("guesser"), "human"}, Rule{allOf(spoke("human"), correct), Done}), []string{"go", "5"}},
		"a rule chooses who guesses":         {Rules(Done, Rule{spoke("guesser"), "human"}, Rule{not(correct), "guesser"}), []string{"go", "5", "5"}},
		"two before the person":              {Rules("other", Rule{spoke("other"), "guesser"}, Rule{spoke("guesser"), "human"}), []string{"go", "other", "5"}},
		"a default that has not spoken yet":  {Rules("other", Rule{missing("/hint"), "human"}, Rule{spoke("other"), Done}, Rule{spoke("nobody"), "guesser"}), []string{"go", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			human := AgentFunc(func(_ context.Context, t *Turn) error {
				answer, err := t.Ask(Question{Key: "hint", Message: "Higher?", Options: []string{"higher", "correct"}})
				if err != nil {
					return err
				}
				var hint string
				if err := answer.Decode(&hint); err != nil {
					return err
				}
				return t.State().Set("/hint", hint)
			})
			parts := []Participant{{Name: "guesser", Agent: sayer("5")}, {Name: "human", Agent: human}, {Name: "other", Agent: sayer("other")}}
			if tt.want[len(tt.want)-1] == "5" && name != "two before the person" {
				parts = parts[:2]
			}
			r := newRig(t, &Chat{Manager: tt.manager, Participants: parts})
			must(t, r.say("go").err)
			must(t, r.answer(map[string]string{"hint": "cancel"}).err)
			equal(t, "said", texts(r.messages), tt.want)
			equal(t, "open", len(r.open), 0)
		})
	}
}
