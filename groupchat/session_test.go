package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
)

// TestExecuteReturnsNoResultOfAFailedRun checks that a failed run returns no pause.
func TestExecuteReturnsNoResultOfAFailedRun(t *testing.T) {
	t.Parallel()
	result, err := Execute(t.Context(), nil, &Session{})
	if errcode.Of(err) != errcode.Internal || !reflect.DeepEqual(result, Result{}) {
		t.Errorf("Execute() of nothing = %+v, %v, want an error alone", result, err)
	}
}

func TestOpenMessagesOfJoinedAndWrappedFailures(t *testing.T) {
	t.Parallel()
	open := func(err error, ids ...string) error { return &openMessagesError{err, ids} }
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

func (forwarder) Run(context.Context, *Turn) error { return nil }

func (f forwarder) Forwards() []string { return []string{f.header} }

func TestForwardsOfATeamAreThoseOfItsMembers(t *testing.T) {
	t.Parallel()
	inner := &Chat{Participants: []Participant{
		{Name: "b", Agent: forwarder{"X-B"}}, {Name: "a", Agent: Sub(forwarder{"X-A"}, SubOptions{})},
	}}
	team := &Chat{Participants: []Participant{{Name: "in", Agent: inner}, {Name: "again", Agent: forwarder{"X-A"}}}}
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
