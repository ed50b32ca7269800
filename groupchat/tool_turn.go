package groupchat

import (
	"context"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// work makes a call of a tool that works in the turn.
func (r *llmRun) work(ctx context.Context, tool *Tool, s *llmStep, i int, c ToolCall) (result ToolResult, err error) {
	if tool.agent != nil { // it keeps its calls apart itself, by their number in the turn
		err = protect(func() (err error) {
			result, err = tool.Turn(ctx, r.t, c)
			return err
		})
		return result, err
	}
	t, err := r.callTurn(ctx, s, i)
	if err != nil {
		return result, err
	}
	err = t.work(AgentFunc(func(ctx context.Context, t *Turn) (err error) {
		if result, err = tool.Turn(ctx, t, c); onlyCancelled(err) {
			result, err = TextResult(toolCancelled), nil
		}
		return err
	}))
	return result, err
}

// callTurn is r's turn for one call of a tool: what the tool asks, says, calls, invokes and does once, it does for this call
// alone. A person who has agreed to one call has not agreed to the next.
//
// In a checkpoint of version 1 the keys of all calls are among the turn's. The only call goes on with those. Of several nobody
// knows which of them was answered, so such a turn does not go on.
func (r *llmRun) callTurn(ctx context.Context, s *llmStep, i int) (*Turn, error) {
	key, name := s.callKey(i), model.ToolName(r.tools.real(s.reply.Calls[i].Name))
	if n := r.nth(s, i); n > 1 {
		name += "@" + strconv.Itoa(n)
	}
	t := r.t.child(name)
	t.ctx, t.as, t.out, t.scope = ctx, r.t.as, r.t.out, r.t.scope
	t.record, t.parentWriter, t.inCall, t.standsIn = r.t.record, r.t.parentWriter, true, true
	t.x.mu.Lock()
	space := r.t.keys.Tools[key]
	shared := space == nil && s.n < r.t.record.flat && r.t.keys.shared()
	if space == nil && !shared {
		space = &keySpace{}
		r.t.keys.Tools = with(r.t.keys.Tools, key, space)
	}
	t.x.mu.Unlock()
	switch {
	case !shared:
		t.keys = &turnKeys{keySpace: space, id: r.t.ID() + "/" + key, owner: t}
	case r.turnCalls() > 1:
		return nil, t.x.fatal(fail(agui.CodeCheckpointIncompatible, "%s: several calls of tools share their keys", r.t.Path()))
	default:
		t.keys = r.t.keys
	}
	return t, nil
}

// turnCalls is how many calls of tools that work in the turn the model has made so far, specialists aside.
func (r *llmRun) turnCalls() int {
	n := 0
	for _, s := range r.steps {
		for _, c := range s.reply.Calls {
			if tool := r.tools.byName[c.Name].tool; tool != nil && tool.Turn != nil && tool.agent == nil {
				n++
			}
		}
	}
	return n
}

// replies is how many replies of a model the turn has recorded.
func (f *turnRecord) replies() int {
	n := 0
	for f.Memo[onceKey+modelKey+strconv.Itoa(n)] != nil {
		n++
	}
	return n
}

// shared reports whether a tool has used the keys of the turn that called it, which has keys of its own for models' replies,
// their calls and the approvals of these. It is used with the lock held.
func (k *keySpace) shared() bool {
	for key := range k.Memo {
		rest, once := strings.CutPrefix(key, onceKey)
		if strings.HasPrefix(key, "say/") || once && !strings.HasPrefix(rest, modelKey) && !strings.HasPrefix(rest, givenKey) {
			return true
		}
	}
	return others(k.Asks, approvalKey) || others(k.Answers, approvalKey) || others(k.Calls, modelKey)
}

// others reports whether m has a key that does not begin with prefix.
func others[V any](m map[string]V, prefix string) bool {
	for key := range m {
		if !strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
