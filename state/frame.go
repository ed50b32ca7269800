package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A FrameID is the place of a frame in a thread's log, and most of the SSE id that its readers use as their cursor. IDs
// are unique and increase along a thread, on all replicas alike. The zero FrameID is the place before every frame.
type FrameID struct {
	Fence uint64 // of the lease the frame was written under
	Seq   uint64 // within the fence
}

// errFrameID is returned for text that is not the id of a frame.
var errFrameID = errors.New("state: not a frame id")

// ParseFrameID reads what [FrameID.String] writes, and no other spelling: two spellings of one id would be two
// cursors. It fails with errFrameID.
func ParseFrameID(s string) (FrameID, error) {
	fence, seq, found := strings.Cut(s, "-")
	if !found {
		return FrameID{}, errFrameID
	}
	f, ok := parseDecimal(fence)
	n, ok2 := parseDecimal(seq)
	if !ok || !ok2 {
		return FrameID{}, errFrameID
	}
	return FrameID{Fence: f, Seq: n}, nil
}

// parseDecimal is strconv's without signs, underscores and leading zeros.
func parseDecimal(s string) (uint64, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' || (s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// String returns "<fence>-<seq>" in decimal.
func (id FrameID) String() string {
	var room [41]byte // two of the largest numbers
	return string(id.Append(room[:0]))
}

// Append appends what [FrameID.String] returns to b.
func (id FrameID) Append(b []byte) []byte {
	b = append(strconv.AppendUint(b, id.Fence, 10), '-')
	return strconv.AppendUint(b, id.Seq, 10)
}

// Compare returns -1 if id comes before other in the log, +1 if after, 0 if they are the same place.
func (id FrameID) Compare(other FrameID) int {
	return cmp.Or(cmp.Compare(id.Fence, other.Fence), cmp.Compare(id.Seq, other.Seq))
}

// Less reports whether id comes before other in the log.
func (id FrameID) Less(other FrameID) bool { return id.Compare(other) < 0 }

// IsZero reports whether id is the place before every frame.
func (id FrameID) IsZero() bool { return id == FrameID{} }

// MarshalText returns the string form, which is also the JSON form.
func (id FrameID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the string form. It fails with errFrameID.
func (id *FrameID) UnmarshalText(text []byte) error {
	parsed, err := ParseFrameID(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// A Frame is one entry of a thread's log. Its JSON form is for stores; what readers are sent is made from it.
type Frame struct {
	ID   FrameID        `json:"i"`
	Type agui.EventType `json:"t"`
	// Data is the encoded event in its canonical form; nil in a marker.
	Data json.RawMessage `json:"d,omitempty"`
	// Rev is set in a marker, which represents a MESSAGES_SNAPSHOT or STATE_SNAPSHOT: it is the revision of the thread
	// that the messages or the state for the reader are of. So a snapshot costs the log the same on a long thread as on
	// a short one. It is 0 in every other frame.
	Rev int64 `json:"r,omitempty"`
	// At is when a marker was written, in Unix milliseconds; 0 if that is not known. Every other frame has its time in
	// its event.
	At int64 `json:"a,omitempty"`
	// Ending is set in the frame that ends a run.
	Ending *Ending `json:"e,omitempty"`
}

// TypeTrace is the type of a frame that tells of a step of the run, to those who ask for it. Its event is a CUSTOM. It
// stands between the first event of a run and the last, and means nothing for what the run adds up to.
const TypeTrace agui.EventType = "gateway.trace"

// An Ending is what the frame that ends a run carries beside its event, for readers who must be shown another end
// than the stored one.
type Ending struct {
	// ThreadID and RunID are those of the run. RUN_ERROR names neither, an end that replaces it must.
	ThreadID string `json:"t,omitempty"`
	RunID    string `json:"u,omitempty"`
	// Resumed says that the run answered interrupts.
	Resumed bool `json:"r,omitempty"`
	// Open are the interrupts that are open now.
	Open []agui.Interrupt `json:"o,omitempty"`
}

// DeadLogTTL is how long the log of a deleted thread is kept for its readers.
const DeadLogTTL = time.Minute

// DeletedFrame is the last frame in the log of a thread that is deleted under its live run: its readers get that it was
// stopped, at a time in Unix milliseconds. It has no [Ending], for nothing has closed what the run has open.
func DeletedFrame(id FrameID, at int64) (Frame, error) {
	code := errcode.Cancelled
	data, err := agui.Encode(&agui.RunError{Base: agui.Base{Timestamp: at}, Message: code.Message(),
		Code: string(code)})
	return Frame{ID: id, Type: agui.TypeRunError, Data: data}, err
}

// MaxReplaced is how many bytes of replaced versions a thread keeps for the frames of its log that name a revision.
// Beyond it the log loses its oldest runs, but not the live one.
const MaxReplaced = 8 << 20
