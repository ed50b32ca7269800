package telemetry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

func TestStepsAreToldWhenTheyBeginAndWhenTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []Record
		ctx := WithSink(t.Context(), "1.", func(r Record) { told = append(told, r) })
		began := time.Now().UnixMilli()

		ctx, turn := Begin(ctx, Record{Kind: KindTurn, Name: "team/flights", Attempt: 2})
		_, call := Begin(ctx, Record{Kind: KindModel, Name: "small"})
		time.Sleep(time.Second)
		tokens := int64(12)
		call.Update(func(r *Record) { r.Usage = &agui.TokenUsage{InputTokens: &tokens}; r.ID = "mine" })
		call.End(&errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("a text with a prompt in it")})
		call.End(nil)
		turn.End(nil)

		want := []Record{
			{ID: "1.1", Kind: KindTurn, Name: "team/flights", Attempt: 2, Start: began},
			{ID: "1.2", Parent: "1.1", Kind: KindModel, Name: "small", Start: began},
			{ID: "1.2", Parent: "1.1", Kind: KindModel, Name: "small", Start: began, End: began + 1000,
				Usage: &agui.TokenUsage{InputTokens: &tokens}, Code: errcode.ModelUnavailable},
			{ID: "1.1", Kind: KindTurn, Name: "team/flights", Attempt: 2, Start: began, End: began + 1000},
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

func TestAStepOfAnotherRunIsNoParent(t *testing.T) {
	var told []Record
	outer, _ := Begin(WithSink(context.Background(), "a", func(Record) {}), Record{Kind: KindRun})
	_, s := Begin(WithSink(outer, "b", func(r Record) { told = append(told, r) }), Record{Kind: KindRun})
	s.End(nil)
	for _, r := range told {
		if r.Parent != "" {
			t.Errorf("parent %q is a step of another run", r.Parent)
		}
	}
}

func TestNothingIsNeeded(t *testing.T) {
	var none *Step
	none.Update(func(*Record) { t.Error("there is nothing to change") })
	none.End(nil)
	ctx, s := Begin(t.Context(), Record{Kind: KindTool, Name: "search"})
	s.End(errors.New("unknown"))
	if From(ctx) == nil || With(ctx, nil) != ctx {
		t.Error("a context without telemetry has the global one")
	}
}
