package groupchat

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// TestRow50RandomTeams runs random teams up to five deep, whose members speak, change state, ask, call tools, fail and
// panic. Whatever they do, every stream keeps to the protocol's order and every pause replays to itself, which the rig
// sees to; every answer reaches its asker; and every failure has a code.
func TestRow50RandomTeams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, drawChat(rt, 1))
		r.maxTurns = 60
		s := r.say("go")
		for range 30 {
			if t.Failed() {
				rt.Fatal("the rig found fault with the stream")
			}
			if s.err != nil {
				if code := agui.CodeOf(s.err); code != agui.CodeAgentFailed && code != agui.CodeNoProgress && code != agui.CodeNotConverged {
					rt.Fatalf("ended with %v", s.err)
				}
				return
			}
			if r.checkpoint == nil {
				return
			}
			s = answerAll(r)
		}
	})
}

// answerAll resumes with an answer to everything: each question gets its own path and key.
func answerAll(r *rig) *stream {
	s := Session{Checkpoint: r.checkpoint, Answers: map[string]state.Answer{}, Results: map[string]agui.Content{}}
	for _, i := range r.open {
		w := where(i)
		s.Answers[i.ID] = state.Answer{ID: i.ID, Status: agui.ResumeResolved, Payload: state.Canonical(fmt.Appendf(nil, "%q", w.Path+":"+w.Key))}
	}
	for _, c := range r.calls {
		s.Results[c.ID] = agui.TextContent(c.ID)
		r.messages = append(r.messages, Message{ID: "t" + r.newID(), Role: agui.RoleTool, ToolCallID: c.ID, Content: agui.TextContent(c.ID)})
	}
	return r.run(s)
}

func drawChat(rt *rapid.T, depth int) *Chat {
	c := &Chat{
		Manager:   rapid.SampledFrom([]func() Manager{RoundRobin(), Sequential()}).Draw(rt, "manager"),
		MaxRounds: rapid.IntRange(1, 4).Draw(rt, "rounds"),
		Closing:   rapid.SampledFrom([]string{"", "Enough."}).Draw(rt, "closing"),
	}
	for i := range rapid.IntRange(1, 3).Draw(rt, "participants") {
		p := Participant{
			Name:    fmt.Sprint("p", i),
			Scope:   Scoping{Kind: rapid.SampledFrom([]ScopeKind{ScopeShared, ScopeIsolated, ScopeMapped}).Draw(rt, "scope")},
			OnError: ErrorPolicy{Retries: rapid.IntRange(0, 1).Draw(rt, "retries"), Skip: rapid.Bool().Draw(rt, "skip")},
			Context: Context{Last: rapid.Bool().Draw(rt, "last")},
		}
		if p.Scope.Kind == ScopeMapped {
			p.Scope.Mapping = state.Mapping{In: map[string]string{"in": "/out"}, Out: map[string]string{"/out": "/out"}}
		}
		if depth < 5 && rapid.IntRange(0, 2).Draw(rt, "kind") == 0 {
			p.Agent = drawChat(rt, depth+1)
		} else {
			p.Agent = deeds(rapid.SliceOfN(rapid.IntRange(0, 8), 0, 4).Draw(rt, "deeds"))
		}
		c.Participants = append(c.Participants, p)
	}
	return c
}

// deeds is an agent that does a few things. What is not idempotent is done once.
func deeds(list []int) Agent {
	return AgentFunc(func(_ context.Context, t *Turn) error {
		for i, deed := range list {
			if err := do(t, deed, fmt.Sprint("k", i)); err != nil {
				return err
			}
		}
		return nil
	})
}

func do(t *Turn, deed int, key string) error {
	switch deed {
	case 0, 1:
		return Say(t, key, "%s", t.Path())
	case 2:
		return t.State().Set("/out", t.ID())
	case 3, 4:
		a, err := t.AskAll(Question{Key: key}, Question{Key: key + "b"})
		if err != nil {
			return err
		}
		for i, suffix := range []string{"", "b"} {
			if want := fmt.Sprintf("%q", t.Path()+":"+key+suffix); string(a[i].Payload) != want {
				return &agui.Error{Code: agui.CodeInternal, Err: fmt.Errorf("%s was answered %s", want, a[i].Payload)}
			}
		}
		return nil
	case 5:
		_, err := t.CallTool(key, "tool", map[string]string{"path": t.Path()})
		return err
	case 6:
		_, err := t.Text().WriteString("left open") // and said again in a replay, so only before a failure
		return errors.Join(err, errors.New("boom"))
	case 7:
		t.Go(func() error { return Say(t, key, "aside") })
		t.Go(func() error { return t.State().Set("/aside", key) })
		return nil
	default:
		panic("boom")
	}
}
