package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
	"github.com/agui-gateway/gateway/state"
)

// forgetting remembers nothing.
type forgetting struct{}

func (forgetting) Covers(context.Context, string, state.ApprovalSubject, []state.ApprovalScope) (state.Approval, bool, error) {
	return state.Approval{}, false, nil
}

func (forgetting) Remember(context.Context, state.Approval) error { return nil }

// TestExecuteGetsTheWholeSession fills each field of a session, and looks for all of them where agents are executed.
func TestExecuteGetsTheWholeSession(t *testing.T) {
	var got *hosting.Session
	var in *groupchat.Input
	var hooks []groupchat.Hooks
	pause, closing := &groupchat.Pause{}, &agui.StepFinished{StepName: "s"}
	was := execute
	defer func() { execute = was }()
	execute = func(_ context.Context, _ groupchat.Agent, i *groupchat.Input, s *hosting.Session, h []groupchat.Hooks) (
		*groupchat.Pause, json.RawMessage, []agui.Event, error) {
		got, in, hooks = s, i, h
		return pause, json.RawMessage("{}"), []agui.Event{closing}, nil
	}
	s := Session{
		Run: &run.Run{}, State: &state.Document{}, Journal: ignoring{}, Input: groupchat.Input{ThreadID: "t"},
		Fence: func(context.Context) error { return nil }, Checkpoint: json.RawMessage("1"),
		Answers: map[string]state.Answer{"a": {}}, Results: map[string]agui.Content{"r": {}}, Takeover: true,
		Memo: map[string]json.RawMessage{"m": nil}, Origin: "o", NewID: func() string { return "" }, Pace: 1,
		Usage: &Usage{}, Notes: &Notes{}, MaxTurns: 1, AtLimit: func(string) {}, Log: slog.New(slog.DiscardHandler), Approvals: forgetting{}, Hooks: []groupchat.Hooks{{Name: "h"}},
	}
	given := reflect.ValueOf(s)
	for i := range given.NumField() {
		if given.Field(i).IsZero() {
			t.Fatalf("this test does not fill %s", given.Type().Field(i).Name)
		}
	}
	result, err := Execute(t.Context(), nil, &s)
	if err != nil || result.Pause != pause || string(result.Checkpoint) != "{}" || !slices.Equal(result.Closings, []agui.Event{closing}) {
		t.Errorf("Execute() = %+v, %v, want what the execution returned", result, err)
	}
	if in.ThreadID != "t" {
		t.Errorf("the input is %+v", in)
	}
	if len(hooks) != 1 {
		t.Errorf("%d hooks have arrived", len(hooks))
	}
	arrived := reflect.ValueOf(*got)
	if arrived.NumField() != given.NumField()-2 {
		t.Errorf("a session has %d fields here and %d there, want the input and the hooks less", given.NumField(), arrived.NumField())
	}
	for i := range arrived.NumField() {
		if arrived.Field(i).IsZero() {
			t.Errorf("%s has not arrived", arrived.Type().Field(i).Name)
		}
	}
	got.Usage.Add(agui.TokenUsage{Provider: "p"})
	if len(s.Usage.Total()) != 1 {
		t.Error("usage is not counted in the session's")
	}
}

// TestExecuteReturnsNoResultOfAFailedRun keeps a pause from being taken for a run's that failed.
func TestExecuteReturnsNoResultOfAFailedRun(t *testing.T) {
	t.Parallel()
	result, err := Execute(t.Context(), nil, &Session{})
	if errcode.Of(err) != errcode.Internal || !reflect.DeepEqual(result, Result{}) {
		t.Errorf("Execute() of nothing = %+v, %v, want an error alone", result, err)
	}
}

func TestOpenMessagesOfJoinedAndWrappedFailures(t *testing.T) {
	t.Parallel()
	open := func(err error, ids ...string) error { return &hosting.OpenMessagesError{Err: err, IDs: ids} }
	cause := errors.New("no")
	for _, test := range []struct {
		name string
		err  error
		want []string
	}{
		{"nothing failed", nil, nil},
		{"nothing was open", cause, nil},
		{"one", open(cause, "a", "b"), []string{"a", "b"}},
		{"wrapped", fmt.Errorf("turn: %w", open(cause, "a")), []string{"a"}},
		{"within another", open(fmt.Errorf("inner: %w", open(cause, "a")), "b"), []string{"a", "b"}},
		{"several at once", errors.Join(open(cause, "a"), cause, open(cause, "b")), []string{"a", "b"}},
	} {
		if got := OpenMessages(test.err); !slices.Equal(got, test.want) {
			t.Errorf("OpenMessages() of %s = %q, want %q", test.name, got, test.want)
		}
	}
}

// A forwarder passes on one header.
type forwarder struct{ header string }

func (forwarder) Run(context.Context, *groupchat.Turn) error { return nil }

func (f forwarder) Forwards() []string { return []string{f.header} }

func TestForwardsOfATeamAreThoseOfItsMembers(t *testing.T) {
	t.Parallel()
	inner := &groupchat.Chat{Participants: []groupchat.Participant{
		{Name: "b", Agent: forwarder{"X-B"}}, {Name: "a", Agent: groupchat.Sub(forwarder{"X-A"}, groupchat.SubOptions{})},
	}}
	team := &groupchat.Chat{Participants: []groupchat.Participant{{Name: "in", Agent: inner}, {Name: "again", Agent: forwarder{"X-A"}}}}
	if got := ForwardsOf(team); !slices.Equal(got, []string{"X-A", "X-B"}) {
		t.Errorf("ForwardsOf() = %q, want each header once, sorted", got)
	}
	if got := ForwardsOf(nil); got != nil {
		t.Errorf("ForwardsOf(nil) = %q", got)
	}
}

func TestEarlierUsageIsThatOfTheRunsOrigin(t *testing.T) {
	t.Parallel()
	checkpoint := json.RawMessage(`{"v":2,"root":{"id":"1","memo":{"usage":{"origin":"1","usage":[{"provider":"p","model":"m","inputTokens":3}],"cost":0.3}}}}`)
	memo := map[string]json.RawMessage{
		"1/a@1/once/llm/0": json.RawMessage(`{"usage":{"provider":"p","model":"m","inputTokens":4},"cost":0.4}`),
		"1/a@1/once/price": json.RawMessage(`{"usage":{"provider":"p","model":"m","inputTokens":50}}`),
	}
	for origin, want := range map[string]int64{"1": 7, "2": 4} {
		got, cost := EarlierUsage(checkpoint, memo, origin)
		if len(got) != 1 || *got[0].InputTokens != want || cost == nil || *cost != float64(want)/10 {
			t.Errorf("EarlierUsage() of origin %s = %+v, %v, want %d tokens, each for a tenth", origin, got, cost, want)
		}
	}
	if got, cost := EarlierUsage(nil, nil, "1"); got != nil || cost != nil {
		t.Errorf("EarlierUsage() of nothing = %+v, %v", got, cost)
	}
}

// An ignoring journal keeps nothing.
type ignoring struct{}

func (ignoring) Commit(context.Context, json.RawMessage) error       { return nil }
func (ignoring) Once(context.Context, string, json.RawMessage) error { return nil }
