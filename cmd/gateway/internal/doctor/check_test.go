package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRun runs checks concurrently: their findings are in the order of the questions, and one that hangs, or panics,
// delays no other.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		begun := time.Now()
		report := Run(t.Context(), 10*time.Second,
			Check{Name: "clock", Run: func(context.Context) []Finding { <-end; return nil }},
			Check{Name: "model", Subject: "b", Run: func(ctx context.Context) []Finding {
				<-ctx.Done() // it notices that its time is up
				return []Finding{{Name: "model", Subject: "b", Verdict: Wrong, Says: fmt.Sprint(context.Cause(ctx))}}
			}},
			Known("model", OK, errors.New("it is there"), ""),
			Check{Name: "remote", Run: func(context.Context) []Finding { panic("no disk") }},
			Known("store", Warning, errors.New("one is strange."), "Change it."),
		)
		close(end)
		if took := time.Since(begun); took != 12*time.Second {
			t.Errorf("Run() took %v, want the time of the check that hangs and not their sum", took)
		}
		var got bytes.Buffer
		if err := report.Print(&got); err != nil {
			t.Fatal(err)
		}
		want := `warning    store: One is strange.
           → Change it.
ok         model: It is there.
wrong      model b: it took too long
unchecked  remote: The check itself failed: no disk.
           → Please report it.
unchecked  clock: The check did not end within 10s.
           → Look at what the check speaks to; it may hang.

1 wrong, 1 warnings, 2 unchecked, 1 ok
`
		if got.String() != want || report.Verdict != Wrong {
			t.Errorf("Run() = %s:\n%s\nwant wrong:\n%s", report.Verdict, &got, want)
		}
	})
}

// TestNothingFound has a list in JSON all the same.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := Run(t.Context(), 0).PrintJSON(&got); err != nil || got.String() != "{\n  \"verdict\": \"ok\",\n  \"findings\": []\n}\n" {
		t.Errorf("PrintJSON() = %q, %v", got.String(), err)
	}
}

// TestWithout masks secrets wherever they stand, the longer ones first.
func TestWithout(t *testing.T) {
	t.Parallel()
	r := Report{Findings: []Finding{{Name: "store", Subject: "a hush", Says: "It says hush-hush.", Mend: "Remove hush."}}}
	got := r.Without("hush", "", "hush-hush").Findings[0]
	if want := (Finding{Name: "store", Subject: "a •••", Says: "It says •••.", Mend: "Remove •••."}); got != want {
		t.Errorf("Without() = %+v, want %+v", got, want)
	}
	if r.Findings[0].Subject != "a hush" {
		t.Error("Without() changes the report itself")
	}
}

// TestDocumentation holds the table of docs/doctor.md to the questions: each is there, in order, and no other.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| (.+) \\|$").FindAllStringSubmatch(string(page), -1)
	var got, want []string
	for _, row := range rows {
		got = append(got, row[1]+": "+row[2])
	}
	for _, q := range Questions {
		want = append(want, q.Name+": "+q.Asks)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the table has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
