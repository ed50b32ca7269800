package telemetry

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A series is one of an instrument: a count, or a number of measurements.
type series struct {
	kind   string
	labels map[string]string
	value  float64
}

// collected returns all series by the name that Prometheus scrapes.
func collected(t *testing.T, r metric.Reader) map[string][]series {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string][]series{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			name := strings.ReplaceAll(m.Name, ".", "_")
			if m.Unit == "s" {
				name += "_seconds"
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					found[name+"_total"] = append(found[name+"_total"], series{"counter", labelsOf(p.Attributes), float64(p.Value)})
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					found[name+"_total"] = append(found[name+"_total"], series{"counter", labelsOf(p.Attributes), p.Value})
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					found[name] = append(found[name], series{"gauge", labelsOf(p.Attributes), float64(p.Value)})
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					found[name] = append(found[name], series{"histogram", labelsOf(p.Attributes), float64(p.Count)})
				}
			default:
				t.Errorf("%s is a %T", m.Name, data)
			}
		}
	}
	return found
}

func labelsOf(set attribute.Set) map[string]string {
	labels := map[string]string{}
	for _, a := range set.ToSlice() {
		labels[string(a.Key)] = a.Value.AsString()
	}
	return labels
}

// measured returns a Telemetry, and a reader of its metrics.
func measured() (*Telemetry, metric.Reader) {
	r := metric.NewManualReader()
	return New(Options{Meters: metric.NewMeterProvider(metric.WithReader(r))}), r
}

func number(n int64) *int64 { return &n }

// moveAll makes each instrument move, with every label that it may have.
func moveAll(ctx context.Context, t *Telemetry) (stop func()) {
	m, cost := t.Metrics(), 0.25
	m.RunEnded(ctx, "travel", "error", errcode.AgentFailed, time.Second)
	m.RunHandedOver(ctx, "travel")
	m.RunTakenOver(ctx, "travel")
	m.FirstEvent(ctx, "travel", time.Millisecond)
	m.FirstText(ctx, "travel", time.Millisecond)
	m.Logged(ctx, 3, 300)
	m.Sent(ctx, 6, 600)
	m.Interrupts(ctx, "travel", InterruptOpened, 2)
	m.InterruptWait(ctx, "travel", time.Hour)
	m.QueueWait(ctx, time.Second)
	m.Limit(ctx, "runs")
	m.Delivery(ctx, "delivered")
	m.TellBuild("v1", "abc")
	ctx, run := Begin(With(ctx, t), Record{Kind: KindRun, Name: "travel"})
	for _, r := range []Record{
		{Kind: KindTurn, Name: "flights"},
		{Kind: KindChoice, Name: "supervisor"},
		{Kind: KindModel, Name: "small", Provider: "openai", Model: "small", Cost: &cost, FirstToken: time.Now().UnixMilli(), Usage: &agui.TokenUsage{
			InputTokens: number(10), OutputTokens: number(5), CachedInputTokens: number(4), ReasoningTokens: number(2)}},
		{Kind: KindTool, Name: "search"},
		{Kind: KindRemote, Name: "upstream"},
		{Kind: KindQuestion},
	} {
		_, s := Begin(ctx, r)
		s.End(nil)
	}
	_, s := Begin(ctx, Record{Kind: KindStore, Name: "commit"})
	s.End(&errcode.Error{Code: errcode.StoreUnavailable})
	run.End(nil)
	return m.WatchLoad(func() Load { return Load{OpenRuns: 1, OpenReaders: 2, QueuedRuns: 3, MaxRuns: 4} })
}

// TestEveryMetricIsDocumented compares docs/metrics.md with the collected metrics: names, types and labels, both ways.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	tel, reader := measured()
	defer moveAll(t.Context(), tel)()
	got := map[string]string{}
	for name, list := range collected(t, reader) {
		var labels []string
		for label := range list[0].labels {
			labels = append(labels, label)
		}
		slices.Sort(labels)
		got[name] = list[0].kind + " " + strings.Join(labels, " ")
	}
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- metrics -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	quoted := regexp.MustCompile("`([^`]+)`")
	want := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(line, " | ")
		var labels []string
		for _, label := range quoted.FindAllStringSubmatch(cells[2], -1) {
			labels = append(labels, label[1])
		}
		slices.Sort(labels)
		want[quoted.FindStringSubmatch(cells[0])[1]] = cells[1] + " " + strings.Join(labels, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/metrics.md (-) and what is collected (+):\n%s", diff)
	}
}

// TestAStepMovesWhatIsItsKind runs each kind of step and looks for what it moved, and that it moved nothing else.
func TestAStepMovesWhatIsItsKind(t *testing.T) {
	t.Parallel()
	cost := 0.5
	away := &errcode.Error{Code: errcode.ModelUnavailable}
	for name, tt := range map[string]struct {
		record Record
		err    error
		want   map[string][]series
	}{
		"a run": {record: Record{Kind: KindRun, Name: "travel"}, want: map[string][]series{}},
		"a turn": {record: Record{Kind: KindTurn, Name: "flights"}, want: map[string][]series{
			"gateway_turns_total":           {{"counter", map[string]string{"agent": "desk", "participant": "flights", "outcome": "ok"}, 1}},
			"gateway_turn_duration_seconds": {{"histogram", map[string]string{"agent": "desk", "participant": "flights"}, 1}},
		}},
		"a model without a price that tells nothing": {record: Record{Kind: KindModel, Provider: "p", Model: "m"}, want: map[string][]series{
			"gateway_model_calls_total":      {{"counter", map[string]string{"provider": "p", "model": "m", "outcome": "ok"}, 1}},
			"gateway_model_duration_seconds": {{"histogram", map[string]string{"provider": "p", "model": "m"}, 1}},
		}},
		"a model that fails half way": {
			record: Record{Kind: KindModel, Provider: "p", Model: "m", Cost: &cost, Usage: &agui.TokenUsage{InputTokens: number(7)}}, err: away,
			want: map[string][]series{
				"gateway_model_calls_total":      {{"counter", map[string]string{"provider": "p", "model": "m", "outcome": "model_unavailable"}, 1}},
				"gateway_model_duration_seconds": {{"histogram", map[string]string{"provider": "p", "model": "m"}, 1}},
				"gateway_model_tokens_total":     {{"counter", map[string]string{"provider": "p", "model": "m", "type": "input"}, 7}},
				"gateway_model_cost_total":       {{"counter", map[string]string{"provider": "p", "model": "m"}, 0.5}},
			}},
		"a tool": {record: Record{Kind: KindTool, Name: "search"}, err: &errcode.Error{Code: errcode.ToolFailed}, want: map[string][]series{
			"gateway_tool_calls_total":      {{"counter", map[string]string{"tool": "search", "outcome": "tool_failed"}, 1}},
			"gateway_tool_duration_seconds": {{"histogram", map[string]string{"tool": "search"}, 1}},
		}},
		"a remote, with a code that nobody knows": {record: Record{Kind: KindRemote, Name: "up"}, err: &errcode.Error{Code: "made_up"}, want: map[string][]series{
			"gateway_remote_calls_total": {{"counter", map[string]string{"remote": "up", "outcome": "other"}, 1}},
		}},
		"the store, for a caller who has gone": {record: Record{Kind: KindStore, Name: "load"}, err: &errcode.Error{Code: errcode.Cancelled}, want: map[string][]series{
			"gateway_store_duration_seconds": {{"histogram", map[string]string{"operation": "load"}, 1}},
		}},
		"the store": {record: Record{Kind: KindStore, Name: "append"}, want: map[string][]series{
			"gateway_store_duration_seconds": {{"histogram", map[string]string{"operation": "append"}, 1}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tel, reader := measured()
			ctx, _ := Begin(With(t.Context(), tel), Record{Kind: KindRun, Name: "desk"})
			_, s := Begin(ctx, tt.record)
			s.End(tt.err)
			s.End(nil) // which moves nothing more
			if diff := cmp.Diff(tt.want, collected(t, reader), cmp.AllowUnexported(series{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestLabelsAreBounded uses ten thousand names, as a server with an ever-changing list of tools would.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	tel, reader := measured()
	ctx := With(t.Context(), tel)
	for i := range 10_000 {
		_, s := Begin(ctx, Record{Kind: KindTool, Name: "tool-" + strings.Repeat("x", i%200) + string(rune('a'+i%26)) + time.Duration(i).String()})
		s.End(nil)
	}
	_, s := Begin(ctx, Record{Kind: KindTool, Name: strings.Repeat("long", 100)})
	s.End(nil)
	list := collected(t, reader)["gateway_tool_calls_total"]
	if len(list) != maxLabelValues+1 {
		t.Errorf("%d series, want %d and one for all others", len(list), maxLabelValues)
	}
	for _, s := range list {
		if len(s.labels["tool"]) > maxLabelBytes {
			t.Errorf("a label has %d bytes", len(s.labels["tool"]))
		}
	}
}

func TestWhatIsNotWatchedAnyMoreIsNotObserved(t *testing.T) {
	t.Parallel()
	tel, reader := measured()
	stop := tel.Metrics().WatchLoad(func() Load { return Load{OpenRuns: 7} })
	got := collected(t, reader)
	if list := got["gateway_open_runs"]; len(list) != 1 || list[0].value != 7 {
		t.Errorf("gateway_open_runs = %v, want 7", list)
	}
	if list := got["gateway_max_runs"]; list != nil {
		t.Errorf("gateway_max_runs = %v without a limit", list)
	}
	stop()
	if got := collected(t, reader); len(got) != 0 {
		t.Errorf("collected = %v after stop", got)
	}
}
