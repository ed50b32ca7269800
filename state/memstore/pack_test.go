package memstore

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/delta"
)

// logOf is all frames of a log.
func logOf(l *log) []state.Frame {
	var all []state.Frame
	for _, p := range l.packs {
		all = append(all, unpack(p)...)
	}
	return append(all, l.frames...)
}

// anyFrames are frames as they come in logs, and some that do not. A marker has no event.
var anyFrames = rapid.Custom(func(t *rapid.T) []state.Frame {
	id := state.FrameID{Fence: rapid.Uint64Range(1, 1<<50).Draw(t, "fence"), Seq: 1}
	texts := rapid.SliceOfN(rapid.StringMatching(`[ -~]{0,40}`), 1, 6).Draw(t, "texts")
	frames := make([]state.Frame, rapid.IntRange(1, 3*delta.PackFrames/2).Draw(t, "frames"))
	for i := range frames {
		f := &frames[i]
		f.ID, f.Type = id, agui.EventType(fmt.Sprint("TYPE_", rapid.IntRange(0, delta.MaxKinds+2).Draw(t, "type")))
		switch rapid.IntRange(0, 20).Draw(t, "kind") {
		case 0:
			f.Rev, f.At = rapid.Int64Range(1, 1<<40).Draw(t, "rev"), 1_790_000_000_000
		case 1:
			f.Data, f.Ending = json.RawMessage(`{"type":"RUN_FINISHED"}`), &state.Ending{RunID: "r"}
		case 2:
			f.Data = json.RawMessage(strings.Repeat("x", rapid.IntRange(delta.MaxEvent-1, delta.MaxEvent+1).Draw(t, "length")))
		case 3:
			f.Data = json.RawMessage(rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "bytes"))
		default:
			f.Data = fmt.Appendf(nil, `{"type":%q,"timestamp":%d,"messageId":"m1","delta":%q}`, f.Type, 1_790_000_000_000+i, rapid.SampledFrom(texts).Draw(t, "text"))
		}
		id.Seq++
		switch rapid.IntRange(0, 20).Draw(t, "step") {
		case 0:
			id.Seq += 3
		case 1:
			id = state.FrameID{Fence: id.Fence + 7, Seq: 1}
		}
	}
	return frames
})

// TestAPackIsWhatWasPacked packs frames of all kinds, and reads them from everywhere.
func TestAPackIsWhatWasPacked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		frames := anyFrames.Draw(t, "log")
		var l log
		l.append(frames)
		l.pack()
		if got := logOf(&l); !reflect.DeepEqual(got, frames) {
			t.Fatalf("packed were\n%v\nand read were\n%v", frames, got)
		}
		from := rapid.IntRange(-1, len(frames)-1).Draw(t, "from")
		var at state.FrameID
		if from >= 0 {
			if at = frames[from].ID; !l.has(at) {
				t.Fatalf("the log does not have %s", at)
			}
			missing := state.FrameID{Fence: at.Fence, Seq: at.Seq + 1}
			if want := from+1 < len(frames) && frames[from+1].ID == missing; l.has(missing) != want {
				t.Fatalf("has(%s) = %v", missing, !want)
			}
		}
		var got []state.Frame
		for more := true; more; {
			var some []state.Frame
			some, more = l.behind(at)
			got = append(got, some...)
			if len(some) > 0 {
				at = some[len(some)-1].ID
			}
		}
		if want := frames[from+1:]; len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("behind frame %d were\n%v\nand read were\n%v", from, want, got)
		}
	})
}

// spoken are the frames of an answer in so many words.
func spoken(words int) []state.Frame {
	frames := make([]state.Frame, words)
	for i := range frames {
		frames[i] = state.Frame{ID: state.FrameID{Fence: 1_790_000_000_000_000, Seq: uint64(i + 1)}, Type: agui.TypeTextMessageContent}
		frames[i].Data = fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","timestamp":%d,"messageId":"msg_0197b2c4d5e6-7f80","delta":" word%d"}`, 1_790_000_000_000+17*i, i%10)
	}
	return frames
}

// TestAPackIsSmall holds a run of 200 words to a seventh of what its frames take.
func TestAPackIsSmall(t *testing.T) {
	t.Parallel()
	var l log
	l.append(spoken(200))
	before := l.size + int64(cap(l.frames))*int64(reflect.TypeFor[state.Frame]().Size())
	l.pack()
	if l.size > before/7 {
		t.Errorf("%d bytes were packed in %d", before, l.size)
	}
	t.Logf("%d bytes were packed in %d", before, l.size)
}

// BenchmarkPack packs a run of 200 words, and reads it.
func BenchmarkPack(b *testing.B) {
	frames := spoken(200)
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			packFrames(frames)
		}
	})
	p := packFrames(frames)[0]
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			unpack(p)
		}
	})
}
