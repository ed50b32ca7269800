package operations

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A query is an expression of an alert, a rule or a panel.
type query struct{ where, expr string }

// queries lists all expressions, those of panels with values instead of their variables.
func queries(t *testing.T) (list []query) {
	t.Helper()
	recording, alerts := rules(t)
	for _, r := range recording {
		list = append(list, query{r.Record, r.Expr})
	}
	for _, r := range alerts {
		list = append(list, query{r.Alert, r.Expr})
	}
	filled := strings.NewReplacer("$job", "agui-gateway", "$instance", ".*", "$agent", ".*", "$__rate_interval", "1m")
	b := readBoard(t)
	for _, p := range b.Panels {
		for _, target := range p.Targets {
			list = append(list, query{p.Title, filled.Replace(target.Expr)})
		}
	}
	for _, a := range b.Annotations.List {
		list = append(list, query{"annotations", filled.Replace(a.Expr)})
	}
	return list
}

var (
	text     = regexp.MustCompile(`"[^"]*"`)
	window   = regexp.MustCompile(`\[[^\]]*\]`)
	selector = regexp.MustCompile(`([a-z][\w:]*[_:]\w+|up|ALERTS)\b(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+) *(?:=~|!~|!=|=)`)
	grouping = regexp.MustCompile(`\b(?:by|on|group_left|without) *\(([^)]*)\)`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// functions of PromQL with names like those of metrics.
var functions = []string{"histogram_quantile", "humanize_duration", "clamp_min", "min_over_time", "sort_desc", "label_values", "group_left"}

// A use is a metric in an expression, with the labels that are asked of it.
type use struct {
	metric string
	labels []string
}

// uses lists the metrics of an expression. What it is grouped by counts for each of them that is not a record with
// other labels.
func uses(expr string) (list []use, groups []string) {
	bare := window.ReplaceAllString(text.ReplaceAllString(expr, `""`), "")
	for _, found := range grouping.FindAllStringSubmatch(bare, -1) {
		for label := range strings.SplitSeq(found[1], ",") {
			if label = strings.TrimSpace(label); label != "" {
				groups = append(groups, label)
			}
		}
	}
	bare = grouping.ReplaceAllString(bare, " ")
	for _, found := range selector.FindAllStringSubmatch(bare, -1) {
		if slices.Contains(functions, found[1]) {
			continue
		}
		u := use{metric: found[1]}
		for _, m := range matcher.FindAllStringSubmatch(found[2], -1) {
			u.labels = append(u.labels, m[1])
		}
		list = append(list, u)
	}
	return list, groups
}

// ofOthers are metrics that no instrument of the gateway makes, with their labels.
var ofOthers = map[string][]string{
	"up": {}, "ALERTS": {"alertstate"},
	"http_server_request_duration_seconds": {"http_request_method", "http_response_status_code", "http_route", "le"},
	"process_start_time_seconds":           {}, "process_resident_memory_bytes": {}, "process_cpu_seconds_total": {}, "process_open_fds": {}, "process_max_fds": {},
	"go_gc_gomemlimit_bytes": {}, "go_memstats_heap_inuse_bytes": {}, "go_goroutines": {}, "go_gc_duration_seconds": {},
}

// documented are the metrics of docs/metrics.md, those that others make, and those that the rules record, with their
// labels.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	known := map[string][]string{}
	for name, labels := range ofOthers {
		known[name] = append([]string{"job", "instance"}, labels...)
	}
	_, table, _ := strings.Cut(string(readFile(t, root, "docs", "metrics.md")), "<!-- metrics -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		name := quoted.FindStringSubmatch(cells[0])
		if name == nil {
			continue // the head
		}
		known[name[1]] = []string{"job", "instance"}
		for _, label := range quoted.FindAllStringSubmatch(cells[2], -1) {
			known[name[1]] = append(known[name[1]], label[1])
		}
		if cells[1] == "histogram" {
			known[name[1]] = append(known[name[1]], "le")
		}
	}
	recording, _ := rules(t)
	for _, r := range recording {
		_, groups := uses(r.Expr)
		known[r.Record] = groups
	}
	return known
}

// base is the name under which a metric is documented.
func base(metric string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if name, ok := strings.CutSuffix(metric, suffix); ok && strings.HasSuffix(name, "_seconds") {
			return name
		}
	}
	return metric
}

// TestQueriesNameMetricsThatExist holds what alerts, rules and the dashboard ask for to docs/metrics.md, which the
// instruments are held to.
func TestQueriesNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	known := documented(t)
	shown := map[string]bool{}
	for _, q := range queries(t) {
		list, groups := uses(q.expr)
		if len(list) == 0 && !strings.HasPrefix(q.expr, "vector(") {
			t.Errorf("%s asks for nothing: %s", q.where, q.expr)
		}
		var all []string
		for _, u := range list {
			labels, ok := known[base(u.metric)]
			if !ok {
				t.Errorf("%s asks for %s, which does not exist", q.where, u.metric)
			}
			shown[base(u.metric)] = true
			all = append(all, labels...)
			for _, label := range u.labels {
				if !slices.Contains(labels, label) {
					t.Errorf("%s asks for the label %s of %s, which has %q", q.where, label, u.metric, labels)
				}
			}
		}
		for _, label := range groups {
			if !slices.Contains(all, label) {
				t.Errorf("%s groups by %s, which none of its metrics has", q.where, label)
			}
		}
	}
	for name := range known {
		if !shown[name] {
			t.Errorf("%s is in no alert and on no panel", name)
		}
	}
}
