package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A metricRow is a metric as docs/metrics.md or a scrape has it.
type metricRow struct {
	kind   string
	labels []string
}

var (
	inBackticks = regexp.MustCompile("`([^`]+)`")
	typeLine    = regexp.MustCompile(`^# TYPE (gateway_\S+) (\S+)$`)
	sampleLine  = regexp.MustCompile(`^(gateway_[a-z_]+)(?:\{(.*)\})? \S+$`)
	labelName   = regexp.MustCompile(`([a-z_]+)="`)
)

// documentedMetrics is the table of docs/metrics.md.
func documentedMetrics(t *testing.T) map[string]metricRow {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "<!-- metrics -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string]metricRow{}
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(line, " | ")
		row := metricRow{kind: cells[1]}
		for _, label := range inBackticks.FindAllStringSubmatch(cells[2], -1) {
			row.labels = append(row.labels, label[1])
		}
		slices.Sort(row.labels)
		rows[inBackticks.FindStringSubmatch(cells[0])[1]] = row
	}
	return rows
}

// scrapedMetrics are the gateway's own in a scrape.
func scrapedMetrics(text string) map[string]metricRow {
	rows := map[string]metricRow{}
	for line := range strings.SplitSeq(text, "\n") {
		if m := typeLine.FindStringSubmatch(line); m != nil {
			rows[m[1]] = metricRow{kind: m[2]}
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if whole, ok := strings.CutSuffix(name, part); ok && rows[whole].kind == "histogram" {
				name = whole
			}
		}
		row := rows[name]
		for _, label := range labelName.FindAllStringSubmatch(m[2], -1) {
			if label[1] != "le" && !slices.Contains(row.labels, label[1]) {
				row.labels = append(row.labels, label[1])
			}
		}
		slices.Sort(row.labels)
		rows[name] = row
	}
	return rows
}

// TestWhatIsScrapedIsDocumented compares a scrape of the binary with docs/metrics.md: names, types and labels. Package
// telemetry tests that each metric of the table exists, because all of them can be moved there. The model has a price,
// by the setting.
func TestWhatIsScrapedIsDocumented(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Here."},"finish_reason":"stop"}]}`+"\n\n"+
			`data: {"choices":[],"usage":{"prompt_tokens":2000,"completion_tokens":500,"prompt_tokens_details":{"cached_tokens":1000},"completion_tokens_details":{"reasoning_tokens":100}}}`+
			"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	team := writeFile(t, "team.yaml", "version: 1\nmodels: { default: { base_url: \""+model.URL+"\", model: m1 } }\nagents:\n  desk:\n    type: groupchat\n    manager: { type: sequential }\n"+
		"    participants: [ { name: clerk, type: llm } ]\n  asks: { type: script, steps: [ { ask: { key: size, message: Which size? } } ] }\n")
	p, admin := startAdminProcess(t, builtGateway(t), nil, "-admin-addr", "127.0.0.1:0", "-config", team,
		"-model-price", "input=0.40,output=1.60,cached_input=0.10")
	for _, agent := range []string{"desk", "asks"} {
		if status, body := get(t, http.MethodPost, p.url+"/agents/"+agent, input(agent)); status != http.StatusOK {
			t.Fatalf("a run of %s = %d, %s", agent, status, body)
		}
	}
	if _, body := get(t, http.MethodGet, p.url+"/threads/desk", ""); !strings.Contains(body, `"cost":0.0013`) {
		t.Errorf("the thread has another cost than 0.0013: %s", body)
	}
	status, _, text := ask(t, admin+"/metrics")
	if status != http.StatusOK {
		t.Fatalf("GET /metrics = %d, %s", status, text)
	}
	documented, scraped := documentedMetrics(t), scrapedMetrics(text)
	for _, name := range slices.Sorted(maps.Keys(scraped)) {
		got, want := scraped[name], documented[name]
		if got.kind != want.kind || len(got.labels) > 0 && !slices.Equal(got.labels, want.labels) {
			t.Errorf("%s is scraped as %+v, and documented as %+v", name, got, want)
		}
	}
	for _, name := range []string{"gateway_build_info", "gateway_interrupts_total", "gateway_model_cost_total", "gateway_open_runs", "gateway_turns_total"} {
		if len(scraped[name].kind) == 0 {
			t.Errorf("/metrics has no %s", name)
		}
	}
	if !regexp.MustCompile(`(?m)^gateway_model_cost_total\{model="m1",provider="127\.0\.0\.1[^"]*"\} 0\.0013$`).MatchString(text) {
		t.Error("/metrics does not have what the model cost")
	}
	p.signal(t, syscall.SIGTERM)
	p.wantExit(t, exitOK)
}
