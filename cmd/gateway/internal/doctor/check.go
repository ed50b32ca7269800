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

// Timeout is how long a check may take if nobody says.
const Timeout = 20 * time.Second

// grace is how much longer a check is waited for whose time is up: it has something to say, as a rule.
const grace = 2 * time.Second

// A Check looks at one part of an installation. Name is the question that it answers, the first one if it answers several.
type Check struct {
	Name, Subject string
	// Timeout is how long it may take; 0 leaves that to Run.
	Timeout time.Duration
	// Run returns what was found. It ends soon after ctx does.
	Run func(ctx context.Context) []Finding
}

// errTime is why a check was ended.
var errTime = errors.New("it took too long")

// Run makes the checks side by side, each within timeout unless it has one of its own, and returns what they found in the order of Questions. A check that does not
// end in time, or panics, is a finding of its own and keeps nobody waiting.
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

// within makes the check. It returns at the latest a little after timeout, with a check that hangs left behind.
func (c Check) within(ctx context.Context, timeout time.Duration) []Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTime)
	defer cancel()
	done := make(chan []Finding, 1) // buffered: nobody may wait for it any more
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- []Finding{c.finding(Unchecked, fmt.Sprintf("The check itself failed: %v.", v), "Please report it.")}
			}
		}()
		done <- c.Run(ctx)
	}()
	select {
	case findings := <-done:
		return findings
	case <-time.After(timeout + grace):
		return []Finding{c.finding(Unchecked, fmt.Sprintf("The check did not end within %s.", timeout), "Look at what the check speaks to; it may hang.")}
	}
}

// finding is one about what the check looks at.
func (c Check) finding(v Verdict, says, mend string) Finding {
	return Finding{Name: c.Name, Subject: c.Subject, Verdict: v, Says: says, Mend: mend}
}

// Known is a check of which the answer is known already: an error's text, with what to do about it.
func Known(name string, v Verdict, said error, mend string) Check {
	c := Check{Name: name}
	c.Run = func(context.Context) []Finding {
		text := strings.TrimRight(said.Error(), ". ")
		return []Finding{c.finding(v, strings.ToUpper(text[:1])+text[1:]+".", mend)}
	}
	return c
}
