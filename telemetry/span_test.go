package telemetry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// recorded returns a context with spans that are kept in memory.
func recorded(t *testing.T, o Options) (context.Context, *tracetest.InMemoryExporter) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	o.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	return With(t.Context(), New(o)), exporter
}

// attributesOf are the attributes of a span as text, by name.
func attributesOf(s tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// whole has a step of each kind with everything that may be known of it.
func whole(ctx context.Context) {
	ctx = WithThread(ctx, Thread{ID: "t1", RunID: "r1"})
	tokens, cost := int64(7), 0.5
	for _, r := range []Record{
		{Kind: KindRun, Name: "travel", Attempt: 2}, {Kind: KindTurn, Name: "flights", Attempt: 1, SubagentRunID: "sub_1"}, {Kind: KindChoice, Name: "supervisor"},
		{Kind: KindModel, Name: "m1", Provider: "mock", Model: "m1"}, {Kind: KindTool, Name: "price", ToolCallID: "call_1"}, {Kind: KindRemote, Name: "abroad"},
		{Kind: KindQuestion, Name: "flights", InterruptID: "int_1"}, {Kind: KindStore, Name: "commit"}, {Kind: KindWebhook, Attempt: 1},
	} {
		_, s := Begin(ctx, r)
		if r.Kind == KindRun {
			s.Outcome("error")
		}
		if r.Kind == KindRemote {
			s.Address("agents.example")
		}
		switch r.Kind {
		case KindRun, KindTurn, KindTool, KindRemote:
			_, waits := Begin(ctx, r)
			waits.Suspend()
		default:
		}
		if r.Kind == KindModel {
			s.Content(InputMessages, func() any { return "hello" })
			s.Finish("stop")
			s.Retry(&errcode.Error{Code: errcode.ModelUnavailable}, time.Second)
			s.Content(OutputMessages, func() any { return "hello" })
			s.Update(func(r *Record) {
				r.FirstToken, r.Cost, r.MessageID = r.Start+1500, &cost, "m-1"
				r.Usage = &agui.TokenUsage{InputTokens: &tokens, OutputTokens: &tokens, ReasoningTokens: &tokens, CachedInputTokens: &tokens, CacheWriteInputTokens: &tokens}
			})
		}
		if r.Kind == KindTool {
			s.Content(CallArguments, func() any { return "hello" })
			s.Content(CallResult, func() any { return "hello" })
		}
		s.Fail(errcode.ToolFailed)
	}
}

// TestSpansAreThoseOfTheDocumentation compares docs/telemetry.md with recorded spans: their names by kind, and their
// attributes.
func TestSpansAreThoseOfTheDocumentation(t *testing.T) {
	t.Parallel()
	ctx, exporter := recorded(t, Options{Content: true})
	whole(ctx)
	seen := map[string]map[string]bool{}
	for _, s := range exporter.GetSpans() {
		all := attributesOf(s)
		kind := all["agui.step"]
		if seen[kind] == nil {
			seen[kind] = map[string]bool{}
		}
		for name := range all {
			seen[kind][name] = true
		}
	}
	got := map[string]string{}
	for kind, names := range seen {
		got[kind] = strings.Join(slices.Sorted(maps.Keys(names)), " ")
	}
	text, err := os.ReadFile("../docs/telemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	rows := func(mark string) (list [][]string) {
		_, table, _ := strings.Cut(string(text), mark)
		table, _, _ = strings.Cut(table, "\n\n")
		for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
			list = append(list, strings.Split(strings.Trim(line, "| "), " | "))
		}
		return list
	}
	attributes := map[string][]string{}
	for _, row := range rows("<!-- span attributes -->\n") {
		name := quoted.FindStringSubmatch(row[0])[1]
		for _, kind := range quoted.FindAllStringSubmatch(row[1], -1) {
			attributes[kind[1]] = append(attributes[kind[1]], name)
		}
		if strings.HasPrefix(row[1], "all") {
			for kind := range got {
				attributes[kind] = append(attributes[kind], name)
			}
		}
	}
	want := map[string]string{}
	for kind, names := range attributes {
		slices.Sort(names)
		want[kind] = strings.Join(names, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes in docs/telemetry.md (-) and of spans (+):\n%s", diff)
	}
	names := map[string]string{}
	for _, row := range rows("<!-- span names -->\n") {
		if kind := quoted.FindStringSubmatch(row[1]); kind != nil {
			names[kind[1]], _, _ = strings.Cut(quoted.FindStringSubmatch(row[0])[1], " {")
		}
	}
	for _, s := range exporter.GetSpans() {
		kind := attributesOf(s)["agui.step"]
		if verb, _, _ := strings.Cut(s.Name, " "); names[kind] != verb {
			t.Errorf("a span of %s is called %q, docs/telemetry.md says %q", kind, s.Name, names[kind])
		}
	}
}

func TestASpanOfAModel(t *testing.T) {
	t.Parallel()
	ctx, exporter := recorded(t, Options{})
	whole(ctx)
	i := slices.IndexFunc(exporter.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name == "chat m1" })
	s := exporter.GetSpans()[i]
	want := map[string]string{
		"agui.step": "model", "agui.attempt": "2", "agui.cost": "0.5", "agui.message.id": "m-1", "error.type": "tool_failed", "gen_ai.conversation.id": "t1", "gen_ai.operation.name": "chat",
		"gen_ai.provider.name": "mock", "gen_ai.request.model": "m1", "gen_ai.response.finish_reasons": `["stop"]`, "gen_ai.response.time_to_first_chunk": "1.5",
		"gen_ai.usage.input_tokens": "7", "gen_ai.usage.output_tokens": "7", "gen_ai.usage.reasoning.output_tokens": "7",
		"gen_ai.usage.cache_read.input_tokens": "7", "gen_ai.usage.cache_creation.input_tokens": "7",
	}
	if diff := cmp.Diff(want, attributesOf(s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s.Status.Code != codes.Error || s.Status.Description != "" || s.SpanKind != trace.SpanKindClient {
		t.Errorf("status %+v, kind %v", s.Status, s.SpanKind)
	}
	if len(s.Events) != 1 || s.Events[0].Name != "retry" || !slices.Contains(s.Events[0].Attributes, attribute.String("error.type", "model_unavailable")) {
		t.Errorf("events = %+v", s.Events)
	}
}

// A failure has a code in its span, and nothing of its text; what no code can be is none.
func TestAFailureIsACode(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"a code":              {fmt.Errorf("secret: %w", &errcode.Error{Code: errcode.ModelAuth, Err: errors.New("secret")}), "model_auth"},
		"an agent's own":      {&errcode.Error{Code: "AGUI_FLOW_ERROR"}, "AGUI_FLOW_ERROR"},
		"no code":             {errors.New("secret"), "internal"},
		"a code of one's own": {&errcode.Error{Code: "out_of_tea"}, "out_of_tea"},
		"a sentence as code":  {&errcode.Error{Code: "The secret is 42."}, "internal"},
		"one that panics":     {panickingError{}, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, exporter := recorded(t, Options{})
			_, s := Begin(ctx, Record{Kind: KindTurn})
			s.End(tt.err)
			span := exporter.GetSpans()[0]
			if got := attributesOf(span)["error.type"]; got != tt.want {
				t.Errorf("error.type = %q, want %q", got, tt.want)
			}
			if strings.Contains(fmt.Sprintf("%+v", span), "secret") {
				t.Errorf("the span tells: %+v", span)
			}
		})
	}
}

// panickingError is an error of an agent with methods that panic.
type panickingError struct{}

func (panickingError) Error() string { panic("no") }
func (panickingError) As(any) bool   { panic("no") }

// Content is off unless it is asked for, bounded, and harmless.
func TestContentIsBounded(t *testing.T) {
	t.Parallel()
	ctx, _ := recorded(t, Options{})
	_, s := Begin(ctx, Record{Kind: KindModel})
	s.Content(InputMessages, func() any { t.Error("it is asked for"); return nil })
	s.End(nil)
	ctx, exporter := recorded(t, Options{Content: true})
	_, s = Begin(ctx, Record{Kind: KindModel})
	s.Content(InputMessages, func() any { return strings.Repeat("ä", maxContent) })
	s.Content(OutputMessages, func() any { return func() {} }) // no JSON
	s.Content(CallResult, func() any { panic("no") })
	s.End(nil)
	all := attributesOf(exporter.GetSpans()[0])
	if n := len(all[InputMessages]); n < maxContent || n > maxContent+8 {
		t.Errorf("%d bytes of content", n)
	}
	if all[OutputMessages] != "" || all[CallResult] != "" {
		t.Errorf("attributes = %v", all)
	}
}
