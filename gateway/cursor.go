package gateway

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// Two threads that begin in the same millisecond have the same fence, so the id of a frame does not tell whose log it is of. What readers
// are sent as an event's id, and send back as their cursor, therefore ends with a number that stands for the thread: <fence>-<seq>-<thread>.

// threadMark is the number that stands for a thread, of its principal and agent as well, so that clients cannot choose it.
func threadMark(key state.Key) string {
	sum := sha256.Sum256([]byte("cursor " + key.Digest()))
	return strconv.FormatUint(uint64(binary.BigEndian.Uint32(sum[:4])), 10)
}

// idBytes is how many bytes an event's id mostly has, without the mark: a fence is a time, and few runs have more than 99,999 events.
const idBytes = len("1234567890123-12345-")

// writeEventID writes the id of an event, in the stream of a thread with this mark.
func writeEventID(to *strings.Builder, id state.FrameID, mark string) {
	var room [64]byte
	_, _ = to.Write(append(id.Append(room[:0]), '-')) // it returns no error
	_, _ = to.WriteString(mark)
}

// eventID is what writeEventID writes.
func eventID(id state.FrameID, mark string) string {
	var text strings.Builder
	writeEventID(&text, id, mark)
	return text.String()
}

// parseEventID reads the id of an event of a thread, and reports whether it is one. Ids that were sent before they had a mark, and
// 0-0, have none: they count for every thread.
func parseEventID(text string, key state.Key) (state.FrameID, bool) {
	if strings.Count(text, "-") == 2 {
		at := strings.LastIndexByte(text, '-')
		if text[at+1:] != threadMark(key) {
			return state.FrameID{}, false
		}
		text = text[:at]
	}
	id, err := state.ParseFrameID(text)
	return id, err == nil
}

// cursor returns the last frame that the client of r has seen, and whether the log of t goes on from there. A cursor that is not one, or
// that is another thread's, counts as none: a prelude brings the reader up to date.
func (g *Gateway) cursor(r *http.Request, t *state.Thread) (state.FrameID, bool, error) {
	id, ok := parseEventID(r.Header.Get("Last-Event-ID"), t.Key)
	if !ok {
		return state.FrameID{}, false, nil
	}
	if restsAt(t, id) {
		return id, true, nil
	}
	at := id
	if id.IsZero() { // the place before every frame: what follows it is all that the log has, if it has anything
		if t.Live != nil {
			return id, true, nil
		}
		at = t.Last
	}
	holds, err := g.store.Holds(r.Context(), t.Key, at)
	if err != nil {
		return state.FrameID{}, false, route.StoreError(err)
	}
	return id, holds, nil
}
