package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state/memstore"
)

// TestATypedAnswerIsReadOnce by the replica that dies. The other one continues with the model's reply, without a second
// call.
func TestATypedAnswerIsReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aTypedAnswerIsReadOnce)
}

func aTypedAnswerIsReadOnce(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	door := newMortal(shared)
	defer close(door.buried)
	var asked atomic.Int64
	reader := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		tokens := int64(11)
		used := agui.TokenUsage{Provider: "test", Model: "reader", InputTokens: &tokens}
		return model.Reply{Text: fmt.Sprintf(`{"answer":%d,"reply":null}`, asked.Add(1)), Usage: used}, nil
	})
	typed := func(o *gateway.Options) {
		o.Agent = map[string]gateway.AgentOptions{"crew": {TypedAnswers: &gateway.TypedAnswers{Model: reader}}}
	}
	clerk := func(gate <-chan struct{}) *groupchat.Chat {
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
			{Name: "clerk", Agent: groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
				answer, err := t.Ask(sizes())
				if err != nil {
					return err
				}
				text := t.Text()
				if _, err := text.WriteString("Half"); err != nil {
					return err
				}
				select {
				case <-gate:
				case <-ctx.Done():
					return ctx.Err()
				}
				return t.State().Set("/size", answer.Payload)
			})},
		}}
	}
	a, b := replicaOf(t, door, 3, clerk, typed), replicaOf(t, shared, 3, clerk, typed)
	first := b.begin(http.MethodPost, "/agents/crew", input("t", "r1", []string{"u1:go"}))
	first.rest()
	first.hangUp()
	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r2", []string{"u1:go", "u2:the biggest"}))
	defer owner.hangUp()
	owner.hears("Half")
	close(door.dead)
	b.gate <- struct{}{}
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.rest()
	watcher.equals(b.thread("t"))
	if asked.Load() != 1 {
		t.Errorf("the model was asked %d times", asked.Load())
	}
	if got := canonical(t, b.thread("t").State); got != `{"size":{"value":"S"}}` {
		t.Errorf("the state is %s, want the answer that the model found first", got)
	}
	usage := watcher.finished().Usage
	if len(usage) != 1 || *usage[0].InputTokens != 11 {
		t.Errorf("usage = %+v, want that of one call", usage)
	}
}

// TestATypedAnswerIsReadElsewhere if the replica dies that reads it, and the right to answer goes with the run.
func TestATypedAnswerIsReadElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aTypedAnswerIsReadElsewhere)
}

func aTypedAnswerIsReadElsewhere(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	door := newMortal(shared)
	defer close(door.buried)
	typed := func(m model.Model) func(*gateway.Options) {
		return func(o *gateway.Options) {
			o.Agent = map[string]gateway.AgentOptions{"crew": {TypedAnswers: &gateway.TypedAnswers{Model: m}}}
		}
	}
	asks := func(<-chan struct{}) *groupchat.Chat {
		return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "clerk", Agent: groupchat.AgentFunc(asksSize)}}}
	}
	thinking := make(chan struct{})
	a := replicaOf(t, door, 3, asks, typed(model.Func(func(ctx context.Context, _ model.Request, _ model.Deltas) (model.Reply, error) {
		close(thinking)
		<-ctx.Done()
		return model.Reply{}, context.Cause(ctx)
	})))
	b := replicaOf(t, shared, 3, asks, typed(model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		return model.Reply{Text: `{"answer":3,"reply":null}`}, nil
	})))
	first := b.begin(http.MethodPost, "/agents/crew", input("t", "r1", []string{"u1:go"}))
	first.rest()
	first.hangUp()
	said := b.thread("t").Messages[1]
	body := input("t", "r2", []string{"u1:go", "u2:the biggest"})
	body = strings.Replace(body, `"messages":[`, `"messages":[{"id":`+quote(said.ID)+`,"role":"assistant","content":"x"},`, 1)
	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", body)
	defer owner.hangUp()
	<-thinking
	close(door.dead)
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.rest()
	d := b.thread("t")
	watcher.equals(d)
	if got := canonical(t, d.State); got != `{"size":"L"}` || d.Status != "idle" {
		t.Errorf("the thread is %s with %s, want it idle with the answer", d.Status, got)
	}
}
