package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A malformedLog is a store with frames of a version that did not validate them.
type malformedLog struct{ state.Store }

func (m malformedLog) Append(ctx context.Context, l *state.Lease, after state.FrameID, frames []state.Frame) error {
	for i := range frames {
		f := &frames[i]
		switch f.Type {
		case agui.TypeReasoningMessageStart:
			f.Data = bytes.Replace(f.Data, []byte(`"role":"reasoning"`), []byte(`"role":""`), 1)
		case agui.TypeActivitySnapshot:
			f.Data = bytes.Replace(f.Data, []byte(`"content":{}`), []byte(`"content":null`), 1)
		default:
		}
	}
	return m.Store.Append(ctx, l, after, frames)
}

// ponders is an agent that shows an activity, thinks, says something, and waits at gate.
func ponders(gate <-chan struct{}) groupchat.Agent {
	return groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		thought := rand.Text()
		for _, e := range []agui.Event{
			&agui.ActivitySnapshot{MessageID: "a", ActivityType: "P", Content: json.RawMessage("{}")},
			&agui.ReasoningMessageStart{MessageID: thought, Role: agui.RoleReasoning},
			&agui.ReasoningMessageContent{MessageID: thought, Delta: "Hm. "},
		} {
			if err := t.Emit(e); err != nil {
				return err
			}
		}
		if err := groupchat.SayOnce(t, "", "Halfway."); err != nil {
			return err
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := t.Emit(&agui.ReasoningMessageContent{MessageID: thought, Delta: "So."}); err != nil {
			return err
		}
		return groupchat.SayOnce(t, "end", "All done.")
	})
}

func pondering(t *testing.T, store state.Store) *world {
	gate := make(chan struct{}, 1)
	w := newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.NewID = store, true, nil, nil
		o.Agents = map[string]groupchat.Agent{"ponders": ponders(gate)}
		o.Agent, o.Legacy = nil, "ponders"
	})
	w.gate = gate
	return w
}

// ponder starts a run on a gateway with a store, and waits until half of it is in the log.
func ponder(t *testing.T, store state.Store) *world {
	t.Helper()
	w := pondering(t, store)
	ctx, cancel := context.WithTimeout(t.Context(), w.patience)
	t.Cleanup(cancel)
	response := w.request(ctx, http.MethodPost, "/agents/ponders?disconnect=detach", input("t", "r", []string{"u1:go"}))
	t.Cleanup(func() { _ = response.Body.Close() })
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "Halfway.") {
			return w
		}
	}
	t.Fatal("the run did not come half way")
	return nil
}

func TestWhoJoinsIsToldWhatCanBeReadOfAMalformedLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, whoJoinsIsToldWhatCanBeReadOfAMalformedLog)
}

func whoJoinsIsToldWhatCanBeReadOfAMalformedLog(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	w := ponder(t, malformedLog{shared})
	joiner := w.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer joiner.hangUp()
	joiner.until(agui.TypeMessagesSnapshot)
	w.release()
	joiner.rest()
	joiner.finished()
	// The part that the joiner did not get at first comes last.
	got, want := textOf(t, joiner.view.Messages()), textOf(t, w.thread("t").Messages)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the joiner's messages are not the thread's (-thread +joiner):\n%s", diff)
	}
}

func TestARunWithAMalformedLogGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aRunWithAMalformedLogGoesOnElsewhere)
}

func aRunWithAMalformedLogGoesOnElsewhere(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	door := newMortal(malformedLog{shared})
	defer close(door.buried) // before its gateway is closed
	ponder(t, door)
	other := pondering(t, shared)
	reader := other.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer reader.hangUp()
	reader.until(agui.TypeMessagesSnapshot)
	close(door.dead)
	other.release()
	reader.rest()
	reader.finished()
	reader.equals(other.thread("t"))
}
