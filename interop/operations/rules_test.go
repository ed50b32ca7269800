// Package operations holds what operators are given to what the gateway does: the rules of Prometheus, the dashboard,
// and the commands of docs/operations.md, with real servers.
package operations

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

var (
	root       = filepath.Join("..", "..")
	prometheus = filepath.Join(root, "deploy", "prometheus")
)

// A ruleFile is as much of a file of rules as its promises are about.
type ruleFile struct {
	Groups []struct {
		Name  string `yaml:"name"`
		Rules []rule `yaml:"rules"`
	} `yaml:"groups"`
}

type rule struct {
	Alert       string            `yaml:"alert"`
	Record      string            `yaml:"record"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// A ruleTest is a file of promtool's.
type ruleTest struct {
	Tests []struct {
		Alerts []struct {
			Name     string `yaml:"alertname"`
			Expected []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	} `yaml:"tests"`
}

// readYAML reads the files that match the pattern below deploy/prometheus.
func readYAML[T any](t *testing.T, pattern string) (list []T) {
	t.Helper()
	for _, path := range matches(t, pattern) {
		var v T
		if err := yaml.Unmarshal(readFile(t, path), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, v)
	}
	return list
}

// matches lists the files below deploy/prometheus, of which there has to be one.
func matches(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(prometheus, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file is %s: %v", pattern, err)
	}
	return paths
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rules lists all rules, those that record first.
func rules(t *testing.T) (recording, alerts []rule) {
	t.Helper()
	for _, file := range readYAML[ruleFile](t, "rules/*.yml") {
		for _, group := range file.Groups {
			for _, r := range group.Rules {
				if r.Alert != "" {
					alerts = append(alerts, r)
				} else {
					recording = append(recording, r)
				}
			}
		}
	}
	return recording, alerts
}

// TestPromtool has Prometheus' own tool check what it will be given, and play the cases of tests/.
func TestPromtool(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"check", "config", "--lint-fatal", filepath.Join(prometheus, "prometheus.yml")},
		append([]string{"check", "rules", "--lint-fatal"}, matches(t, "rules/*.yml")...),
		append([]string{"test", "rules"}, matches(t, "tests/*.yml")...),
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			t.Parallel()
			if out, err := exec.CommandContext(t.Context(), "promtool", args...).CombinedOutput(); err != nil {
				t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
}

// TestEveryAlertIsTried wants a case in which each alert fires, and one in which it does not.
func TestEveryAlertIsTried(t *testing.T) {
	t.Parallel()
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, file := range readYAML[ruleTest](t, "tests/*.yml") {
		for _, test := range file.Tests {
			for _, alert := range test.Alerts {
				if len(alert.Expected) > 0 {
					fires[alert.Name] = true
				} else {
					quiet[alert.Name] = true
				}
			}
		}
	}
	_, alerts := rules(t)
	for _, alert := range alerts {
		if !fires[alert.Alert] || !quiet[alert.Alert] {
			t.Errorf("%s: a case where it fires: %t, one where it does not: %t", alert.Alert, fires[alert.Alert], quiet[alert.Alert])
		}
		delete(fires, alert.Alert)
		delete(quiet, alert.Alert)
	}
	if len(fires)+len(quiet) > 0 {
		t.Errorf("cases of alerts that do not exist: %v %v", fires, quiet)
	}
}

// TestEveryRecordIsTriedAndUsed wants each recorded value in a case, and in an alert or on the dashboard.
func TestEveryRecordIsTriedAndUsed(t *testing.T) {
	t.Parallel()
	recording, alerts := rules(t)
	tests := string(readFile(t, prometheus, "tests", "recording.yml"))
	use := string(readFile(t, dashboard))
	for _, alert := range alerts {
		use += alert.Expr + "\n"
	}
	for _, r := range recording {
		if !strings.Contains(tests, r.Record) {
			t.Errorf("tests/recording.yml does not try %s", r.Record)
		}
		if !strings.Contains(use, r.Record) {
			t.Errorf("%s is in no alert and not on the dashboard", r.Record)
		}
	}
}

// anchor is a heading of an alert in docs/alerts.md.
var anchor = regexp.MustCompile(`(?m)^## (Gateway\w+)\n\n(.+)`)

// TestEveryAlertSaysWhatToDo holds the alerts to docs/alerts.md, both ways: each alert links to its instructions.
func TestEveryAlertSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const runbook = "https://github.com/agui-gateway/gateway/blob/main/docs/alerts.md#"
	var documented []string
	for _, entry := range anchor.FindAllStringSubmatch(string(readFile(t, root, "docs", "alerts.md")), -1) {
		documented = append(documented, entry[1])
	}
	var names []string
	_, alerts := rules(t)
	for _, alert := range alerts {
		names = append(names, alert.Alert)
		if s := alert.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q", alert.Alert, s)
		}
		if alert.Annotations["summary"] == "" || alert.Annotations["description"] == "" {
			t.Errorf("%s has no summary or no description", alert.Alert)
		}
		if got, want := alert.Annotations["runbook_url"], runbook+strings.ToLower(alert.Alert); got != want {
			t.Errorf("%s leads to %s, want %s", alert.Alert, got, want)
		}
	}
	slices.Sort(names)
	slices.Sort(documented)
	if !slices.Equal(names, documented) {
		t.Errorf("alerts are %q\ndocs/alerts.md has %q", names, documented)
	}
}

// pages are those that operators read when something is wrong.
var pages = []string{"operations.md", "alerts.md", "outages.md"}

// pageLink is a link within a page, or to another page of docs.
var pageLink = regexp.MustCompile(`\]\(([a-z]+\.md)?(#[^)]+)?\)`)

// TestLinksOfOperationsLeadSomewhere follows the links to headings, because who follows one at night has no time to
// search.
func TestLinksOfOperationsLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, from := range pages {
		for _, found := range pageLink.FindAllStringSubmatch(string(readFile(t, root, "docs", from)), -1) {
			page := found[1]
			if page == "" {
				page = from
			}
			anchors := headings(string(readFile(t, root, "docs", page)))
			if found[2] != "" && !slices.Contains(anchors, strings.TrimPrefix(found[2], "#")) {
				t.Errorf("docs/%s has no heading %s, only %q", page, found[2], anchors)
			}
		}
	}
}

// headings lists the anchors of a page as GitHub makes them.
func headings(page string) (anchors []string) {
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			title = strings.ToLower(strings.TrimSpace(title))
			anchors = append(anchors, strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(title, ""), " ", "-"))
		}
	}
	return anchors
}
