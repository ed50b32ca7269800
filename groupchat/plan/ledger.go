package plan

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/agui-gateway/gateway/internal/clip"
)

// The bounds of a ledger. What a model writes beyond them is cut off; a person's plan beyond them is asked for again.
const (
	MaxEntries    = 40       // of each list
	MaxEntryBytes = 1000     // of each entry
	maxTask       = 4 << 10  // bytes of the task
	MaxLedger     = 32 << 10 // bytes of all lists together
)

// A Ledger is what a manager knows of its task. Its JSON is what Options.Store has.
type Ledger struct {
	Status   Status    `json:"status"`
	Task     string    `json:"task"`
	Facts    Facts     `json:"facts"`
	Plan     []string  `json:"plan"`               // the steps, in order
	Progress *Progress `json:"progress,omitempty"` // nil before the first turn of this plan
	// Stalls counts the judgements in a row, as far as progress has not made up for them, that saw none. Resets counts
	// the plans that were made because there were too many.
	Stalls int `json:"stalls"`
	Resets int `json:"resets"`
}

// A Status says what a manager is at.
type Status string

// The states of a task.
const (
	Planning  Status = "planning"  // the plan is being made, or waits for a person
	Working   Status = "working"   // the participants work
	Answering Status = "answering" // the result is being summed up
	Done      Status = "done"
	Denied    Status = "denied"   // a person did not want it
	GivenUp   Status = "given_up" // the work has stalled too often; what there is is being summed up, or was
)

// Facts are the known and unknown facts of a task.
type Facts struct {
	Given    []string `json:"given"`      // said by the user, or seen in the work
	ToLookUp []string `json:"to_look_up"` // somebody has to find out
	ToDerive []string `json:"to_derive"`  // follows by thinking or computing
	Guesses  []string `json:"guesses"`    // likely, and not certain
}

// Progress is a judgement after a turn.
type Progress struct {
	Satisfied   bool   `json:"satisfied"` // the task is done
	Looping     bool   `json:"looping"`   // words or actions repeat
	Advancing   bool   `json:"advancing"` // the last turns have brought the task on
	NextSpeaker string `json:"next_speaker"`
	Instruction string `json:"instruction"` // for that speaker
	Reason      string `json:"reason"`
}

func (l *Ledger) clip() {
	l.Task = clip.Bytes(l.Task, maxTask)
	left := MaxLedger
	for _, list := range []*[]string{&l.Plan, &l.Facts.Given, &l.Facts.ToLookUp, &l.Facts.ToDerive, &l.Facts.Guesses} {
		kept := []string{}
		for _, entry := range *list {
			entry = clip.Bytes(strings.TrimSpace(entry), MaxEntryBytes)
			if entry == "" {
				continue
			}
			if len(kept) == MaxEntries || len(entry) > left {
				break
			}
			left -= len(entry)
			kept = append(kept, entry)
		}
		*list = kept
	}
}

// stepNumber is what a step of a numbered list begins with.
var stepNumber = regexp.MustCompile(`^\d{1,3}[.)]\s+`)

// steps are the lines of a plan that a person wrote, without their numbers.
func steps(text string) ([]string, error) {
	var plan []string
	bytes := 0
	for line := range strings.Lines(text) {
		step := strings.TrimSpace(stepNumber.ReplaceAllString(strings.TrimSpace(line), ""))
		if step == "" {
			continue
		}
		if len(step) > MaxEntryBytes {
			return nil, errTooLong
		}
		plan = append(plan, step)
		bytes += len(step)
	}
	if len(plan) == 0 || len(plan) > MaxEntries || bytes > MaxLedger {
		return nil, errTooLong
	}
	return plan, nil
}

var errTooLong = fmt.Errorf("plan: a plan has 1 to %d steps of at most %d bytes", MaxEntries, MaxEntryBytes)

// numbered are the steps as people and models read them.
func numbered(plan []string) string {
	var b strings.Builder
	for i, step := range plan {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f Facts) text() string {
	var b strings.Builder
	for _, part := range []struct {
		name string
		list []string
	}{{"Given", f.Given}, {"To look up", f.ToLookUp}, {"To derive", f.ToDerive}, {"Guesses", f.Guesses}} {
		for _, fact := range part.list {
			fmt.Fprintf(&b, "- %s: %s\n", part.name, fact)
		}
	}
	return b.String()
}
