package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// An entry is one executed booking, as the replicas write it.
type entry struct {
	Key    string `json:"key"`
	Thread string `json:"thread"`
	Item   string `json:"item"`
	What   string `json:"what"`
}

// A ledger is what a booking service made of the replicas' calls.
type ledger struct {
	bookings map[string]map[string][]entry // thread → item → one for each key
	executed int                           // calls
	repeated int                           // of them, under a key that was executed before, saying the same
	broken   []string                      // calls under such a key that say something else
}

func readLedger(path string) (*ledger, error) {
	l := &ledger{bookings: map[string]map[string][]entry{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	byKey := map[string]entry{}
	for line := range bytes.Lines(raw) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("the ledger has the line %q: %w", line, err)
		}
		l.executed++
		// A key is unique within its thread: two threads' turns know nothing of each other.
		key := e.Thread + "\x00" + e.Key
		if had, known := byKey[key]; known {
			if l.repeated++; had != e {
				l.broken = append(l.broken, fmt.Sprintf("%+v was booked, then %+v", had, e))
			}
			continue
		}
		byKey[key] = e
		if l.bookings[e.Thread] == nil {
			l.bookings[e.Thread] = map[string][]entry{}
		}
		l.bookings[e.Thread][e.Item] = append(l.bookings[e.Thread][e.Item], e)
	}
	return l, nil
}

// check returns how many bookings of a thread's item are too many, and whether the right one is missing.
func (l *ledger) check(thread, item, what string) (duplicates int, missing bool) {
	has := l.bookings[thread][item]
	for _, e := range has {
		if e.What == what {
			return len(has) - 1, false
		}
	}
	return len(has), true
}
