package redisstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/store"
)

// packable are the frames of a run as they come in logs, and some that do not.
var packable = rapid.Custom(func(t *rapid.T) []state.Frame {
	fence := rapid.Uint64Range(1, 1<<50).Draw(t, "fence")
	frames := make([]state.Frame, rapid.IntRange(1, 3*delta.PackFrames/2).Draw(t, "frames"))
	for i := range frames {
		f := &frames[i]
		f.ID, f.Type = state.FrameID{Fence: fence, Seq: uint64(i + 1)}, agui.EventType(fmt.Sprint("TYPE_", rapid.IntRange(0, 40).Draw(t, "type")))
		switch rapid.IntRange(0, 20).Draw(t, "kind") {
		case 0:
			f.Rev, f.At = rapid.Int64Range(1, 1<<40).Draw(t, "rev"), rapid.Int64().Draw(t, "at")
		case 1:
			f.Data, f.Ending = json.RawMessage(`{"type":"RUN_FINISHED"}`), &state.Ending{RunID: rapid.String().Draw(t, "run"), Resumed: true}
		case 2:
			f.Data = json.RawMessage(strings.Repeat("x", rapid.IntRange(1, 1<<16).Draw(t, "length")))
		default:
			f.Data = fmt.Appendf(nil, `{"type":%q,"messageId":"m1","delta":%q}`, f.Type, rapid.StringN(0, 9, -1).Draw(t, "text"))
		}
	}
	return frames
})

// packed are the packs of frames as Redis has them, each with its last id.
func packsOf(t interface{ Fatalf(string, ...any) }, frames []state.Frame) (last []string, fields []map[string]string) {
	var p packing
	p.fence = frames[0].ID.Fence
	if !p.add(frames) {
		t.Fatalf("the frames were not packed")
	}
	for _, pack := range p.packs {
		last = append(last, pack.Last.String())
		fields = append(fields, map[string]string{packFirst: pack.First.String(), packBorn: "born", packValue: string(packText(pack))})
	}
	return last, fields
}

// TestAPackIsWhatWasPacked packs frames of all kinds, and reads them from everywhere.
func TestAPackIsWhatWasPacked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		frames := packable.Draw(t, "run")
		last, packs := packsOf(t, frames)
		after, cut := rapid.IntRange(0, len(frames)).Draw(t, "after"), rapid.IntRange(0, len(frames)).Draw(t, "cut")
		page := &store.LogPage{
			End: state.FrameID{Fence: frames[0].ID.Fence, Seq: uint64(after)}, Cut: state.FrameID{Fence: frames[0].ID.Fence, Seq: uint64(cut)},
		}
		for i := range packs {
			if err := addPack(page, last[i], packs[i]); err != nil {
				t.Fatalf("addPack() = %v", err)
			}
		}
		if want := frames[max(after, cut):]; len(page.Frames) != len(want) || len(want) > 0 && !reflect.DeepEqual(page.Frames, want) {
			t.Fatalf("%d frames are behind %d, cut at %d, or they are not the %d that were packed", len(page.Frames), after, cut, len(want))
		}
		if page.End != frames[len(frames)-1].ID || page.Marker != "born" {
			t.Fatalf("the page ends at %s and is of %q", page.End, page.Marker)
		}
	})
}

// FuzzPack reads random packs: they are damaged, or have the frames between their ids.
func FuzzPack(f *testing.F) {
	frames := []state.Frame{
		{ID: state.FrameID{Fence: 7, Seq: 1}, Type: agui.TypeStateSnapshot, Rev: 3, At: 4},
		{ID: state.FrameID{Fence: 7, Seq: 2}, Type: agui.TypeCustom, Data: json.RawMessage(`{"type":"CUSTOM"}`)},
		{ID: state.FrameID{Fence: 7, Seq: 3}, Type: agui.TypeRunError, Data: json.RawMessage(`{"type":"RUN_ERROR"}`), Ending: &state.Ending{RunID: "r"}},
	}
	last, packs := packsOf(f, frames)
	f.Add(last[0], packs[0][packFirst], []byte(packs[0][packValue]))
	f.Add("7-4", "7-1", []byte(packs[0][packValue]))
	f.Add("8-3", "7-1", []byte(packs[0][packValue]))
	f.Add("7-3", "7-3", []byte{})
	f.Fuzz(func(t *testing.T, last, first string, value []byte) {
		page := &store.LogPage{}
		err := addPack(page, last, map[string]string{packFirst: first, packValue: string(value)})
		switch {
		case err != nil && !errors.Is(err, state.ErrDamaged):
			t.Fatalf("addPack() = %v", err)
		case err == nil && (len(page.Frames) == 0 || page.Frames[len(page.Frames)-1].ID.String() != last):
			t.Fatalf("%d frames were read up to %s", len(page.Frames), last)
		}
	})
}

// openPacking opens a store that packs the log of a run as soon as it is over.
func openPacking(t *testing.T, url string) (*backend, state.Store) {
	t.Helper()
	b, err := openBackend(t.Context(), url, Packing(Patient(Options{Logger: slog.New(slog.DiscardHandler)})))
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{ThreadTTL: time.Hour})
	t.Cleanup(func() { _ = s.Close() })
	return b, s
}

// TestPacksOfADeletedThread deletes a thread with a reader: its packs stay for the reader, as the rest of the log
// does, with the incarnation of the thread.
func TestPacksOfADeletedThread(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	b, s := openPacking(t, server.URL())
	key := state.Key{Principal: "ada", Agent: "a", ID: "t"}
	turn(t, s, key, 1, true)
	before, err := b.ReadLog(t.Context(), key, state.FrameID{})
	if err != nil || len(before.Frames) == 0 {
		t.Fatalf("ReadLog() = %+v, %v", before, err)
	}
	packs := b.key(hashTagOf(key), partPacks)
	if n := server.Client().LLen(t.Context(), packs).Val(); n != 2 {
		t.Fatalf("there are %d packs", n)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	after := state.FrameID{Fence: before.Frames[0].ID.Fence}
	page, err := b.ReadLog(t.Context(), key, after)
	if err != nil || page.Born != "" || page.Marker != before.Born || !reflect.DeepEqual(page.Frames, before.Frames) {
		t.Errorf("ReadLog() = %+v, %v", page, err)
	}
	if left := server.Client().PTTL(t.Context(), packs).Val(); left <= 0 || left > state.DeadLogTTL {
		t.Errorf("the packs stay for %v", left)
	}
	if err := b.Purge(t.Context(), key); err != nil || server.Client().Exists(t.Context(), packs).Val() != 0 {
		t.Errorf("Purge() = %v, and the packs are there", err)
	}
}

// TestPacksOfARunThatIsDeleted deletes a thread while its run lives, which writes no more, as notices for a webhook
// end: nothing is kept of it here.
func TestPacksOfARunThatIsDeleted(t *testing.T) {
	t.Parallel()
	b, s := openPacking(t, redistest.Start(t).URL())
	key := state.Key{Principal: "ada", Agent: "a", ID: "t"}
	turn(t, s, key, 1, false)
	if b.packer.held.Load() == 0 {
		t.Fatal("nothing is held of a live run")
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if n := b.packer.held.Load(); n != 0 || len(b.packer.live) != 0 {
		t.Errorf("%d bytes of %d runs are held", n, len(b.packer.live))
	}
}

// TestForgottenRunsAreGivenUp begins runs of which nothing more is heard, and one much later: it is all that is held.
func TestForgottenRunsAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p packer
		for n := range 100 {
			p.begin(state.Key{ID: fmt.Sprint(n)}, "born", 1)
		}
		time.Sleep(forgotten + time.Minute)
		p.begin(state.Key{ID: "last"}, "born", 1)
		if n := p.held.Load(); n != packingCost || len(p.live) != 1 {
			t.Errorf("%d bytes of %d runs are held", n, len(p.live))
		}
	})
}

// TestRunsOfAThreadArePackedInOrder ends runs of two threads: of each thread one is packed at a time.
func TestRunsOfAThreadArePackedInOrder(t *testing.T) {
	t.Parallel()
	p := packer{wake: make(chan struct{}, 1)}
	for _, id := range []string{"a", "b", "a", "a"} {
		p.later(&packing{key: state.Key{ID: id}, fence: uint64(len(p.over))})
	}
	for _, want := range []string{"[a0 b1]", "[a2]", "[a3]"} {
		runs, _ := p.due(0)
		got := make([]string, len(runs))
		for i, run := range runs {
			got[i] = fmt.Sprint(run.key.ID, run.fence)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("due are %v, want %s", got, want)
		}
	}
}

// TestPackerBounds holds what waits to be packed to its bounds, and lets go of all of it.
func TestPackerBounds(t *testing.T) {
	t.Parallel()
	p := packer{wake: make(chan struct{}, 1)}
	key := state.Key{ID: "t"}
	word := func(seq int, text string) []state.Frame {
		return []state.Frame{{
			ID: state.FrameID{Fence: 1, Seq: uint64(seq)}, Type: agui.TypeCustom, Data: fmt.Appendf(nil, `{"delta":%q}`, text),
		}}
	}
	for _, c := range []struct {
		name  string
		write func()
	}{
		{"a frame is missing", func() { p.add(key, 1, word(3, "x")) }},
		{"a frame is as large as all may be", func() { p.add(key, 1, word(2, strings.Repeat("x", packsOfRun))) }},
		{"the run goes on elsewhere", func() { p.drop(key) }},
		{"a run begins anew", func() {
			p.begin(key, "b", 2)
			p.drop(key)
		}},
		{"its end was not written", func() { p.end(key, 1, state.FrameID{Fence: 1, Seq: 9}) }},
	} {
		p.begin(key, "b", 1)
		p.add(key, 1, word(1, "hello"))
		p.add(key, 2, word(1, "of another lease"))
		if p.held.Load() <= packingCost {
			t.Errorf("%s: %d bytes are held before", c.name, p.held.Load())
		}
		c.write()
		if run := p.end(key, 1, state.FrameID{Fence: 1, Seq: 1}); run != nil || p.held.Load() != 0 || len(p.live) > 0 {
			t.Errorf("%s: %v is packed, %d bytes are held of %d runs", c.name, run, p.held.Load(), len(p.live))
		}
	}
	p.held.Store(packsOfAll - 100*packingCost) // as by the packs of other runs
	for i := range 200 {
		p.begin(state.Key{ID: fmt.Sprint(i)}, "b", 1)
	}
	if n := len(p.live); n < 100 || n > 101 {
		t.Errorf("%d runs are held, want 100 and the one that goes beyond the bound", n)
	}
	if held := p.held.Load(); held < packsOfAll || held > packsOfAll+packingCost {
		t.Errorf("%d runs hold %d bytes, of %d", len(p.live), held, packsOfAll)
	}
}
