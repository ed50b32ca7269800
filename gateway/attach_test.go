package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
)

// Whoever joins a run anywhere, with a cursor or without, and whatever it understands, ends with what the first
// reader has.
func TestAttachAtEveryPoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Readers = 1000 })
	question := w.post("desk", input("t", "r1", []string{"u1:Hi"})).interrupts()[0].ID
	first := w.open("POST", "/agents/desk", input("t", "r2", []string{"u1:Hi"},
		`"resume":[{"interruptId":`+quote(question)+`,"status":"resolved","payload":"M"}]`))
	var readers []*reader
	var from []string // where they begin
	attach := func(era, cursor string) *reader {
		r := w.open("GET", "/threads/t/events?protocolVersion="+era, "", "Last-Event-ID", cursor)
		readers, from = append(readers, r), append(from, cursor)
		return r
	}
	for {
		e, ok := first.step()
		if !ok {
			t.Fatal("the run ended early")
		}
		cut := first.records[len(first.records)-1].ID
		for _, era := range []string{"1.0", ""} {
			attach(era, "")
			if cut != "" {
				// Its view up to the cut equals that of a separate reader, stopped there.
				before := w.open("GET", "/threads/t/events?protocolVersion="+era, "")
				for len(before.records) == 0 || before.cursorID() == "" {
					if _, ok := before.step(); !ok {
						t.Fatal("a prelude without an id")
					}
				}
				id := before.cursorID()
				before.hangUp()
				r := attach(era, id)
				r.goOnFrom(before)
			}
		}
		if agui.TypeOf(e) == agui.TypeCustom {
			break // it waits
		}
	}
	// The end of a run restates everything. So they are compared where the run waits, with the first reader, who was
	// there from the beginning.
	for i, r := range readers {
		for seen := from[i]; seen != first.cursorID(); seen = r.cursorID() {
			if _, ok := r.step(); !ok {
				t.Fatalf("reader %d of %d: the stream ended at %q", i, len(readers), seen)
			}
		}
		r.hasWhat(first)
		if t.Failed() {
			t.Fatalf("reader %d of %d, in the middle", i, len(readers))
		}
	}
	w.release()
	first.rest()
	want := w.thread("t")
	late := []*reader{attach("1.0", ""), attach("", "")}
	for i, r := range readers {
		r.rest()
		r.equals(want)
		if t.Failed() {
			t.Fatalf("reader %d of %d", i, len(readers))
		}
	}
	for _, r := range late {
		if r.finished().RunID == "" {
			t.Error("a late reader was shown a run without an id")
		}
	}
	if len(readers) < 40 {
		t.Errorf("only %d readers", len(readers))
	}
}

// Every id that was ever sent is a cursor: a reader that had everything up to it, and gets what follows, has it all.
func TestEveryIDIsACursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.release()
	body := input("t", "r1", []string{"u1:Hi"})
	one := w.post("desk", body)
	question := one.interrupts()[0].ID
	answer := input("t", "r2", []string{"u1:Hi"}, `"resume":[{"interruptId":`+quote(question)+`,"status":"resolved","payload":"M"}]`)
	two := w.post("desk", answer)
	want := w.thread("t")
	all := slices.Concat(one.records, two.records)
	end := all[len(all)-1].ID
	for i, record := range all {
		if record.ID == "" || i == len(all)-1 {
			continue
		}
		r := w.open("GET", "/threads/t/events?protocolVersion=1.0&follow=1", "", "Last-Event-ID", record.ID)
		before := newFold(t, body)
		for _, had := range all[:i+1] {
			before.take(had)
		}
		r.goOnFrom(before)
		for r.cursorID() != end {
			if _, ok := r.step(); !ok {
				t.Fatalf("after %s: the stream ended at %s, want %s", record.ID, r.cursorID(), end)
			}
		}
		r.equals(want)
		r.hangUp()
	}
	if status, _ := w.call("GET", "/threads/t/events", "", "Last-Event-ID", end); status != http.StatusNoContent {
		t.Errorf("the end of an idle thread = %d, want 204", status)
	}
}

// With an invalid cursor the reader gets the whole thread again, with only the last id.
func TestWhatIsNoCursorGetsThePrelude(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	want := w.thread("t")
	for _, cursor := range []string{"", "nonsense", "1-1", "99999999999999-1", "01-1"} {
		r := w.open("GET", "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", cursor)
		r.rest()
		r.equals(want)
		for _, record := range r.records[:len(r.records)-1] {
			if record.ID != "" {
				t.Errorf("cursor %q: %s has the id %s", cursor, record.Data, record.ID)
			}
		}
	}
}

// Two runs that are over are replayed from any frame of them, the ids increase, and the end is the end.
func TestReplayOfRunsThatAreOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.post("echo", input("t", "r1", []string{"u1:One"}))
	two := w.post("echo", input("t", "r2", []string{"u1:One", "u2:Two"}))
	want := w.thread("t")
	all := append(append([]agui.Record{}, one.records...), two.records...)
	last := ""
	for i, record := range all {
		if record.ID == "" {
			continue
		}
		if last != "" && !increases(t, last, record.ID) {
			t.Errorf("id %s after %s", record.ID, last)
		}
		last = record.ID
		if i == len(all)-1 {
			break
		}
		r := w.open("GET", "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", record.ID)
		replay(t, r, one, two, i)
		r.rest()
		r.equals(want)
	}
}

// replay feeds r what the readers of the two runs saw up to record n.
func replay(t *testing.T, r, one, two *reader, n int) {
	t.Helper()
	fresh := newFold(t, input("t", "r1", []string{"u1:One"}))
	events := append(append([]agui.Event{}, one.events...), two.events...)
	for _, e := range events[:n+1] {
		if err := fresh.verifier.Next(e); err != nil {
			t.Fatal(err)
		}
		if err := fresh.view.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	fresh.stated = true
	r.goOnFrom(fresh)
}

func increases(t *testing.T, a, b string) bool {
	t.Helper()
	return frameOf(t, a).Less(frameOf(t, b))
}

// frameOf is the frame that an event's id names.
func frameOf(t *testing.T, id string) state.FrameID {
	t.Helper()
	frame, _ := splitID(t, id)
	return frame
}

// splitID returns the frame that an event's id names, and the mark of its thread.
func splitID(t *testing.T, id string) (state.FrameID, string) {
	t.Helper()
	at := max(strings.LastIndexByte(id, '-'), 0)
	frame, err := state.ParseFrameID(id[:at])
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return frame, id[at+1:]
}

func TestFollowStaysOverRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r0", []string{"u0:Zero"}))
	r := w.open("GET", "/threads/t/events?follow=1&protocolVersion=1.0", "")
	r.until(agui.TypeRunFinished)
	own := []string{"u0:Zero"}
	for i := 1; i < 4; i++ {
		own = append(own, fmt.Sprintf("u%d:Again", i))
		w.post("echo", input("t", fmt.Sprintf("r%d", i), own))
		r.until(agui.TypeRunFinished)
		r.equals(w.thread("t"))
	}
	r.hangUp()
}

func TestReadersHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Readers = 2 })
	run := w.open("POST", "/agents/slow", input("t", "r1", []string{"u1:Hi"}))
	run.until(agui.TypeCustom)
	one := w.open("GET", "/threads/t/events", "")
	one.until(agui.TypeRunStarted)
	if status := w.open("GET", "/threads/t/events", "").response.StatusCode; status != http.StatusServiceUnavailable {
		t.Errorf("a third reader = %d, want 503", status)
	}
	if status := w.open("POST", "/agents/slow", input("t", "r2", nil)).response.StatusCode; status != http.StatusServiceUnavailable {
		t.Errorf("a third who joins = %d, want 503", status)
	}
	one.hangUp()
	eventually(t, "there is room again", func() bool {
		r := w.open("GET", "/threads/t/events", "")
		defer r.hangUp()
		return r.response.StatusCode == http.StatusOK
	})
}

// The place before every frame is a cursor too: what follows it is all that the log still has, the first event of its
// oldest run included. Without any log it is answered as no cursor is.
func TestTheZeroCursorReadsTheWholeLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.post("echo", input("t", "r1", []string{"u1:One"}))
	two := w.post("echo", input("t", "r2", []string{"u1:One", "u2:Two"}))
	read := func() *reader {
		r := w.open("GET", "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0")
		r.rest()
		return r
	}
	r := read()
	var got []string
	for _, record := range r.records {
		if len(got) > 0 && !increases(t, got[len(got)-1], record.ID) {
			t.Errorf("id %s after %s", record.ID, got[len(got)-1])
		}
		got = append(got, record.ID)
	}
	if first := one.records[0].ID; got[0] != first {
		t.Errorf("the log begins with %s, want %s", got[0], first)
	}
	for _, record := range append(slices.Clone(one.records), two.records...) {
		// Frames without an id are said to one reader alone.
		if record.ID != "" && !slices.Contains(got, record.ID) {
			t.Errorf("%s is missing", record.ID)
		}
	}
	r.equals(w.thread("t"))

	w.clock.Move(2 * time.Hour)
	if r := read(); r.records[0].ID != "" {
		t.Errorf("without a log the first event is %s", r.records[0].ID)
	} else {
		r.equals(w.thread("t"))
	}
}
