package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Timeout is the default time limit of a check.
const Timeout = 20 * time.Second

// grace is the extra time for a check to return its findings after its time limit.
const grace = 2 * time.Second

// A Check examines one part of an installation. Name is the question that it answers, the first of several.
type Check struct {
	Name, Subject string
	// Timeout limits the duration; 0 means Run's limit.
	Timeout time.Duration
	// Run returns the findings. It ends soon after ctx is done.
	Run func(ctx context.Context) []Finding
}

// check returns a check, which run gets for its findings.
func check(name, subject string, run func(ctx context.Context, c Check) []Finding) Check {
	c := Check{Name: name, Subject: subject}
	c.Run = func(ctx context.Context) []Finding { return run(ctx, c) }
	return c
}

var errTime = errors.New("it took too long")

// Run runs the checks concurrently, each within timeout unless it has a different one, and returns their findings in
// the order of Questions. A check that does not end in time, or panics, becomes a finding.
func Run(ctx context.Context, timeout time.Duration, checks ...Check) Report {
	timeout = cmp.Or(timeout, Timeout)
	var mu sync.Mutex
	var found []Finding
	var running sync.WaitGroup
	for _, c := range checks {
		running.Go(func() {
			findings := c.within(ctx, cmp.Or(c.Timeout, timeout))
			mu.Lock()
			defer mu.Unlock()
			found = append(found, findings...)
		})
	}
	running.Wait()
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a.Name), rank(b.Name)), cmp.Compare(a.Subject, b.Subject))
	})
	return Report{Verdict: worst(found), Findings: found}
}

// within runs the check. It returns slightly after timeout at the latest, and leaves a hanging check behind.
func (c Check) within(ctx context.Context, timeout time.Duration) []Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	done := make(chan []Finding, 1) // buffered: the receiver may have left
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- c.unchecked(fmt.Sprintf("The check itself failed: %v.", v), "Please report it.")
			}
		}()
		done <- c.Run(ctx)
	}()
	select {
	case findings := <-done:
		return findings
	case <-time.After(timeout + grace):
		return c.unchecked(fmt.Sprintf("The check did not end within %s.", timeout),
			"Look at what the check speaks to; it may hang.")
	}
}

func (c Check) finding(v Verdict, says, mend string) Finding {
	return Finding{Name: c.Name, Subject: c.Subject, Verdict: v, Says: says, Mend: mend}
}

// ok, warning, wrong and unchecked return a single finding.
func (c Check) ok(says string) []Finding            { return []Finding{c.finding(OK, says, "")} }
func (c Check) warning(says, mend string) []Finding { return []Finding{c.finding(Warning, says, mend)} }
func (c Check) wrong(says, mend string) []Finding   { return []Finding{c.finding(Wrong, says, mend)} }
func (c Check) unchecked(says, mend string) []Finding {
	return []Finding{c.finding(Unchecked, says, mend)}
}

// Known returns a check with a known result: an error's text, with advice.
func Known(name string, v Verdict, err error, mend string) Check {
	return check(name, "", func(_ context.Context, c Check) []Finding {
		text := strings.TrimRight(err.Error(), ". ")
		return []Finding{c.finding(v, strings.ToUpper(text[:1])+text[1:]+".", mend)}
	})
}
