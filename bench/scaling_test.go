package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

const document = "../docs/scaling.md"

// TestScalingDocument holds the tables of docs/scaling.md to the recorded unit costs and to the formulas; with UPDATE=1
// it writes them.
func TestScalingDocument(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	units, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{
		"costs": costTable(units), "sizes": sizeTable(units), "choices": choiceTable(t, units), "carries": capacityTable(t, units),
		"results": resultTable(t, units), "limits": limitTable(t, units),
	}
	text := regexp.MustCompile(`(?s)(<!-- scaling: (\w+) -->\n).*?(<!-- /scaling -->)`).ReplaceAllStringFunc(string(data), func(part string) string {
		mark, _, _ := strings.Cut(part, "\n")
		name := strings.Fields(mark)[2]
		table, ok := made[name]
		if !ok {
			t.Errorf("%s has a table %s that nobody makes, or twice", document, name)
		}
		delete(made, name)
		return mark + "\n" + table + "<!-- /scaling -->"
	})
	for name := range made {
		t.Errorf("%s has no table %s", document, name)
	}
	if text == string(data) {
		return
	}
	if os.Getenv("UPDATE") != "1" {
		t.Fatalf("%s is not what the formulas say; UPDATE=1 go test ./bench writes it", document)
	}
	if err := os.WriteFile(document, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func table(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }

func costTable(units map[string]float64) string {
	head, line := []string{"activity", "name"}, []string{"---", "---"}
	for _, c := range costs {
		head, line = append(head, c.what+", `"+c.name+"…`"), append(line, "---")
	}
	rows := []string{row(head...), row(line...)}
	for _, a := range activities {
		cells := []string{a.what, "`…" + a.name + "`"}
		for _, c := range costs {
			cells = append(cells, amount(units[c.name+a.name]))
		}
		rows = append(rows, row(cells...))
	}
	return table(rows...)
}

func sizeTable(units map[string]float64) string {
	rows := []string{row("what", "name", "size"), row("---", "---", "---")}
	for _, r := range [][2]string{
		{"bytesThread", "a finished thread of one run, without its log: bytes of Redis"}, {"bytesLog", "the log of a run that is over, packed, without its events: bytes"},
		{"bytesEvent", "an event in it: bytes"}, {"bytesQuestion", "a thread that waits for an answer, without the log of its run: bytes"},
		{"bytesOpen", "a thread with a live run that has said nothing: bytes"}, {"bytesEntry", "an entry of an index: bytes"},
		{"keysThread", "keys of a thread"}, {"redisHint", "a write of such an entry: µs of the shard that has the index"},
		{"redisSignal", "a signal: µs of each shard but the one that says it"},
	} {
		rows = append(rows, row(r[1], "`"+r[0]+"`", amount(units[r[0]])))
	}
	return table(rows...)
}

func choiceTable(t *testing.T, units map[string]float64) string {
	rows := []string{row("name", "value", "what"), row("---", "---", "---")}
	values := at(t, units, map[string]float64{"open": 1e4})
	for _, q := range choices {
		value := amount(values[q.name])
		if q.formula == "open" {
			value = "`open`"
		}
		rows = append(rows, row("`"+q.name+"`", strings.TrimSpace(value+" "+q.unit), q.what))
	}
	return table(rows...)
}

// at are all quantities for some known ones.
func at(t *testing.T, units, known map[string]float64) map[string]float64 {
	t.Helper()
	all := maps.Clone(units)
	maps.Copy(all, known)
	values, err := evaluate(all, choices, results, asQuantities(limits))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func capacityTable(t *testing.T, units map[string]float64) string {
	rows := []string{row("one core carries", "formula, for … as `gateway` or `redis`", "a gateway's", "a shard's", "a Cluster of three, used by half"), row("---", "---", "---", "---", "---")}
	for _, q := range capacities {
		cells := []string{q.what, "`" + strings.ReplaceAll(q.formula, "%[1]s", "…") + "`"}
		for _, of := range []struct {
			name  string
			times float64
		}{{"gateway", 1}, {"redis", 1}, {"redis", 1.5}} {
			values, err := evaluate(units, []quantity{{"x", fmt.Sprintf(q.formula+"%[2]s", of.name, ""), "", ""}})
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, strings.TrimSpace(amount(values["x"]*of.times)+" "+strings.Replace(q.unit, "1/s", "a second", 1)))
		}
		rows = append(rows, row(cells...))
	}
	return table(rows...)
}

var scales = []float64{1e4, 1e6, 1e8}

func resultTable(t *testing.T, units map[string]float64) string {
	rows := []string{row("name", "formula", "what", "10⁴", "10⁶", "10⁸"), row("---", "---", "---", "---", "---", "---")}
	for _, q := range results {
		cells := []string{"`" + q.name + "`", "`" + q.formula + "`", q.what + strings.TrimSuffix(", "+q.unit, ", ")}
		for _, open := range scales {
			cells = append(cells, amount(at(t, units, map[string]float64{"open": open})[q.name]))
		}
		rows = append(rows, row(cells...))
	}
	return table(rows...)
}

func limitTable(t *testing.T, units map[string]float64) string {
	rows := []string{row("name", "formula", "what, and what to turn", "most", "10⁴", "10⁶", "10⁸", "reached at", "with two replicas and one shard"), row("---", "---", "---", "---", "---", "---", "---", "---", "---")}
	small := maps.Clone(units)
	small["replicas"], small["shards"] = 2, 1
	for _, l := range limits {
		cells := []string{"`" + l.name + "`", "`" + l.formula + "`", l.what, strings.TrimSpace(amount(l.most) + " " + l.unit)}
		for _, open := range scales {
			v := at(t, units, map[string]float64{"open": open})[l.name]
			if cells = append(cells, amount(v)); v > l.most {
				cells[len(cells)-1] = "**" + amount(v) + "**"
			}
		}
		for _, known := range []map[string]float64{units, small} {
			open, err := breaksAt(known, l)
			if err != nil {
				t.Fatal(err)
			}
			cells = append(cells, amount(open))
		}
		rows = append(rows, row(cells...))
	}
	return table(rows...)
}

// TestEvaluate puts a reader's own numbers in the place of formulas, and a formula that is none.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	units, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	if got := at(t, units, map[string]float64{"open": 1e4, "lease": 5})["renewals"]; got != 6000 {
		t.Errorf("10,000 runs at a lease of 5 s make %v renewals a second, want 6,000", got)
	}
	if got := at(t, units, map[string]float64{"open": 1e4, "renewals": 7})["renewals"]; got != 7 {
		t.Errorf("renewals = %v, want the reader's 7", got)
	}
	if _, err := evaluate(units, []quantity{{"x", "nothing + 1", "", ""}}); err == nil {
		t.Error("a formula over an unknown name is evaluated")
	}
}

// TestSolve finds the costs from which measurements were made.
func TestSolve(t *testing.T) {
	t.Parallel()
	rows := []*measured{{work: []float64{0, 2, 1}}, {work: []float64{3, 0, 1}}, {work: []float64{1, 1, 1}}}
	want := []float64{10, 20, 0.5}
	got := solve(rows, func(r *measured) []float64 {
		equation := append([]float64{}, r.work...)
		return append(equation, equation[0]*want[0]+equation[1]*want[1]+equation[2]*want[2])
	})
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-9 {
			t.Errorf("costs = %v, want %v", got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0.0123: "0.012", 7: "7", 7.26: "7.3", 35.44: "35.4", 999.6: "1000", 12345: "12.3 k", 4e6: "4 M", 5.7e12: "5.7 T", math.Inf(1): "never"} {
		if got := amount(v); got != want {
			t.Errorf("amount(%v) = %q, want %q", v, got, want)
		}
	}
}
