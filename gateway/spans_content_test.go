package gateway_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/telemetry"
)

// words are texts of people, models, tools and servers in an observed conversation. Each is a unique word.
var words = struct{ prompt, message, state, context, props, reply, arguments, result, answer, fault, title string }{
	"MarkPrompt", "MarkMessage", "MarkState", "MarkContext", "MarkProps", "MarkReply", "MarkArguments", "MarkResult", "MarkAnswer", "MarkFault", "MarkTitle",
}

// hidden are texts that must never be reported, with any setting.
var hidden = []string{farSecret, modelSecret, hookSecret, "MarkHeader", "MarkCookie", "MarkQuery"}

// An observedTeam is a wired team with all of its telemetry.
type observedTeam struct {
	*wiredTeam
	metrics *sdkmetric.ManualReader
	log     *lockedBuffer
}

// sayEverything plays a conversation with all kinds of content: it asks and answers questions, calls a tool and a
// remote agent, and in the end the model's server refuses with a sentence.
func sayEverything(t *testing.T, content bool) *observedTeam {
	t.Helper()
	told := &observedTeam{metrics: sdkmetric.NewManualReader(), log: &lockedBuffer{}}
	answers := []openaitest.Answer{
		openaitest.Calls("price", `{"of":"`+words.arguments+`"}`), openaitest.Text(words.reply),
		{Status: http.StatusServiceUnavailable, Header: map[string]string{"Retry-After": "0"}, Body: `{"error":{"message":"` + words.fault + ` ` + words.prompt + `"}}`},
		{Status: http.StatusBadRequest, Body: `{"error":{"message":"` + words.fault + ` ` + words.prompt + `"}}`},
	}
	o := telemetry.Options{Meters: sdkmetric.NewMeterProvider(sdkmetric.WithReader(told.metrics)), Content: content}
	told.wiredTeam = newWiredTeam(t, o, words.result, answers, func(o *gateway.Options) {
		o.Log = slog.New(telemetry.LogHandler(slog.NewJSONHandler(told.log, nil)))
	})
	more := []string{`"state":{"note":"` + words.state + `"}`, `"context":[{"description":"c","value":"` + words.context + `"}]`, `"forwardedProps":{"p":"` + words.props + `"}`}
	headers := []string{"Authorization", "Bearer MarkHeader", "Cookie", "session=MarkCookie"}
	told.post("desk?token=MarkQuery", input("t", "r1", []string{"u1:" + words.prompt}, more...), headers...)
	question := told.thread("t").Interrupts[0].ID
	told.post("desk", input("t", "r2", nil, `"resume":[{"interruptId":`+quote(question)+`,"status":"resolved","payload":"`+words.answer+`"}]`), headers...)
	told.call(http.MethodPatch, "/threads/t", `{"title":"`+words.title+`"}`, headers...)
	failed := told.post("desk", input("t", "r3", []string{"u2:" + words.message}), headers...)
	if last := failed.events[len(failed.events)-1]; agui.TypeOf(last) != agui.TypeRunError {
		t.Fatalf("the last run ended with %s", agui.TypeOf(last))
	}
	eventually(t, "the spans", func() bool { return len(runSpans(told.spans)) == 3 })
	return told
}

// everything is all telemetry, by source.
func (told *observedTeam) everything() map[string]string {
	told.t.Helper()
	var collected metricdata.ResourceMetrics
	if err := told.metrics.Collect(told.t.Context(), &collected); err != nil {
		told.t.Fatal(err)
	}
	spans := ""
	for _, s := range told.spans.GetSpans() {
		raw, err := json.Marshal(s)
		if err != nil {
			told.t.Fatal(err)
		}
		spans += fmt.Sprintf("%s %+v\n", raw, s)
	}
	steps := ""
	for run := 1; run <= 3; run++ {
		_, trace := told.call(http.MethodGet, fmt.Sprintf("/threads/t/runs/%d/trace", run), "")
		steps += trace
	}
	return map[string]string{"spans": spans, "metrics": fmt.Sprintf("%+v", collected), "the log": told.log.String(), "the traces of runs": steps}
}

// TestTelemetryHasNoContent searches all telemetry for the content of the conversation.
func TestTelemetryHasNoContent(t *testing.T) {
	t.Parallel()
	told := sayEverything(t, false)
	marks := append(slices.Clone(hidden), words.prompt, words.message, words.state, words.context, words.props, words.reply, words.arguments, words.result, words.answer, words.fault, words.title)
	for where, text := range told.everything() {
		for _, word := range marks {
			if where == "the log" && word == words.fault {
				continue // it contains errors of other servers, without their inputs
			}
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%s tell %q: …%s…", where, word, text[max(0, i-300):min(len(text), i+100)])
			}
		}
	}
	for where, word := range map[string]string{"spans": "model_request", "metrics": "gateway.runs", "the log": "run: ended", "the traces of runs": `"kind":"tool"`} {
		if !strings.Contains(told.everything()[where], word) {
			t.Errorf("%s do not tell of %q: was anything looked at?", where, word)
		}
	}
}

// TestContentIsToldWhenAsked has prompts, replies, arguments and results in spans when the operator enables that, and
// nowhere else. Secrets stay out of them.
func TestContentIsToldWhenAsked(t *testing.T) {
	t.Parallel()
	all := sayEverything(t, true).everything()
	for _, word := range []string{words.prompt, words.reply, words.arguments, words.result} {
		if !strings.Contains(all["spans"], word) {
			t.Errorf("no span tells %q", word)
		}
	}
	for where, text := range all {
		for _, word := range hidden {
			if strings.Contains(text, word) {
				t.Errorf("%s tell %q", where, word)
			}
		}
		if where != "spans" && strings.Contains(text, words.prompt) {
			t.Errorf("%s tell the prompt", where)
		}
	}
}

// TestTheLinesOfARunNameItsSpan as those of a request name the request's.
func TestTheLinesOfARunNameItsSpan(t *testing.T) {
	t.Parallel()
	told := sayEverything(t, false)
	seen := 0
	for line := range strings.Lines(told.log.String()) {
		var l struct {
			Msg     string
			RunID   string `json:"run_id"`
			TraceID string `json:"trace_id"`
			SpanID  string `json:"span_id"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.RunID == "" {
			continue
		}
		seen++
		if !slices.ContainsFunc(runSpans(told.spans), func(s tracetest.SpanStub) bool { return s.SpanContext.TraceID().String() == l.TraceID }) || l.SpanID == "" {
			t.Errorf("%s of run %s: trace %q, span %q", l.Msg, l.RunID, l.TraceID, l.SpanID)
		}
	}
	if seen < 6 {
		t.Errorf("%d lines of runs", seen)
	}
}
