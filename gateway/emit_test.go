package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// Events that would make the readers' view differ from the server's are refused, and the run continues.
func TestAgentsDoNotSendWhatIsTheServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["forger"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			for _, e := range []agui.Event{
				&agui.RunStarted{}, &agui.RunFinished{}, &agui.RunError{Message: "x"},
				&agui.StateSnapshot{Snapshot: json.RawMessage(`{"forged":true}`)},
				&agui.StateDelta{Delta: agui.Patch{{Op: "add", Path: "/forged", Value: json.RawMessage("true")}}},
				&agui.MessagesSnapshot{}, &agui.StepStarted{StepName: "x"}, &agui.StepFinished{StepName: "x"},
				&agui.SubagentStarted{SubagentRunID: "x", Name: "x"}, &agui.SubagentFinished{SubagentRunID: "x"},
				&agui.SubagentError{SubagentRunID: "x", Message: "x"},
			} {
				if err := t.Emit(e); !errors.Is(err, run.ErrNotEmitted) {
					return errors.New(string(agui.TypeOf(e)) + " was sent")
				}
			}
			return groupchat.SayOnce(t, "done", "All refused.")
		})
	})
	r := w.post("forger", input("t", "r1", []string{"u1:Hi"}))
	r.finished()
	r.equals(w.shows("t"))
}

// An activity that an agent changes is what its readers, who joins and the stored thread have.
func TestAnActivityIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["worker"] = groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
			return errors.Join(
				t.Emit(&agui.ActivitySnapshot{
					MessageID: "plan", ActivityType: "PLAN", Content: json.RawMessage(`{"steps":[{"name":"book"}],"done":0}`),
				}),
				t.Emit(&agui.ActivityDelta{MessageID: "plan", ActivityType: "PLAN", Patch: agui.Patch{
					{Op: "test", Path: "/done", Value: json.RawMessage("0")},
					{Op: "replace", Path: "/done", Value: json.RawMessage("1")},
					{Op: "add", Path: "/steps/-", Value: json.RawMessage(`{"name":"pay"}`)},
					{Op: "copy", From: "/steps/0/name", Path: "/last"},
				}}),
				groupchat.SayOnce(t, "done", "Booked."))
		})
	})
	r := w.post("worker", input("t", "r1", []string{"u1:Go"}))
	r.finished()
	r.equals(w.shows("t"))
	i := slices.IndexFunc(r.view.Messages(), func(m agui.Message) bool { return m.ID == "plan" })
	if i < 0 {
		t.Fatal("there is no activity")
	}
	const want = `{"done":1,"last":"book","steps":[{"name":"book"},{"name":"pay"}]}`
	if content, _ := r.view.Messages()[i].Content.Object(); string(content) != want {
		t.Errorf("the activity is %s, want %s", content, want)
	}
}

// A question may name a call that does not exist. The run that answers it can still be stopped.
func TestAQuestionAboutNoCallCanBeStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) {
		o.Agents["asks"] = groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
			question := groupchat.Question{Key: "go", Reason: "tool_call", Message: "Go?", ToolCallID: "none"}
			if _, err := t.Ask(question); err != nil {
				return err
			}
			if err := groupchat.SayOnce(t, "hello", "Waiting."); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		})
	})
	question := w.post("asks", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	run := w.open("POST", "/agents/asks", input("t", "r2", []string{"u1:Hi"}, answerTo(question, "M")))
	run.until(agui.TypeTextMessageEnd)
	if status, body := w.call("POST", "/threads/t/stop", ""); status != 200 {
		t.Fatalf("stop = %d %s", status, body)
	}
	run.rest()
	if o := run.finished().Outcome; o == nil || o.Type != agui.OutcomeCancelled {
		t.Errorf("the run ended with %+v, want cancelled", o)
	}
}
