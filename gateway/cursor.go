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

// Two threads that begin in the same millisecond have the same fence, so event ids and cursors end with the number of
// the thread: <fence>-<seq>-<thread>.

// threadMark returns the number of a thread. It depends on the principal and agent too, so clients cannot choose it.
func threadMark(key state.Key) string {
	sum := sha256.Sum256([]byte("cursor " + key.Digest()))
	return strconv.FormatUint(uint64(binary.BigEndian.Uint32(sum[:4])), 10)
}

// idBytes is the usual length of an event's id without the mark: few runs have more than 99,999 events.
const idBytes = len("1234567890123-12345-")

// writeEventID writes the id of an event, in the stream of a thread with this mark.
func writeEventID(to *strings.Builder, id state.FrameID, mark string) {
	var room [64]byte
	_, _ = to.Write(append(id.Append(room[:0]), '-')) // it returns no error
	_, _ = to.WriteString(mark)
}

// eventID formats id as a string.
func eventID(id state.FrameID, mark string) string {
	var text strings.Builder
	writeEventID(&text, id, mark)
	return text.String()
}

// parseEventID parses an event's id for a thread. Ids of earlier versions, and 0-0, have no mark and match every
// thread.
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

// cursor returns the last frame that the client of r has seen, and reports whether the log of t continues from there.
// An invalid cursor, or one of another thread, counts as none: a prelude brings the reader up to date.
func (g *Gateway) cursor(r *http.Request, t *state.Thread) (state.FrameID, bool, error) {
	id, ok := parseEventID(r.Header.Get("Last-Event-ID"), t.Key)
	if !ok {
		return state.FrameID{}, false, nil
	}
	if isIdleAt(t, id) {
		return id, true, nil
	}
	at := id
	if id.IsZero() { // before every frame: the whole log follows
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
