package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Report has the findings of checks. Verdict is the worst of them.
type Report struct {
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`
}

// mark replaces secrets.
const mark = "•••"

// Without returns the report with each of the secrets replaced by a mark.
func (r Report) Without(secrets ...string) Report {
	var pairs []string
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	for _, s := range secrets {
		if s != "" {
			pairs = append(pairs, s, mark)
		}
	}
	masked := strings.NewReplacer(pairs...)
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Subject, f.Says, f.Mend = masked.Replace(f.Subject), masked.Replace(f.Says), masked.Replace(f.Mend)
	}
	return r
}

// Print writes the report for people: a line for each finding, and under it what to do.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	counts := map[Verdict]int{}
	for _, f := range r.Findings {
		counts[f.Verdict]++
		name := strings.TrimSpace(f.Name + " " + f.Subject)
		fmt.Fprintf(&b, "%-9s  %s: %s\n", f.Verdict, name, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%-9s  → %s\n", "", f.Mend)
		}
	}
	fmt.Fprintf(&b, "\n%d wrong, %d warnings, %d unchecked, %d ok\n", counts[Wrong], counts[Warning], counts[Unchecked],
		counts[OK])
	_, err := io.WriteString(w, b.String())
	return err
}

// PrintJSON writes the report for programs.
func (r Report) PrintJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	return e.Encode(r)
}
