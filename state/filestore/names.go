package filestore

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"github.com/agui-gateway/gateway/state"
)

// Keys of the file sort like their values: texts end with two bytes that sort before all others, and numbers have
// their highest byte first.

// appendText appends a text of any bytes.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		b = append(b, s[i])
		if s[i] == 0 {
			b = append(b, 0xFF)
		}
	}
	return append(b, 0, 1)
}

// cutText returns the text that b begins with, and the rest.
func cutText(b []byte) (text string, rest []byte, ok bool) {
	var out []byte
	for i := 0; i+1 < len(b); i++ {
		if b[i] != 0 {
			out = append(out, b[i])
			continue
		}
		if b[i+1] == 1 {
			return string(out), b[i+2:], true
		}
		out = append(out, 0)
		i++
	}
	return "", nil, false
}

// threadName returns the name of a thread's bucket. Threads of one principal, and in them those of one id, are next
// to each other.
func threadName(key state.Key) []byte {
	return appendText(idPrefix(key.Principal, key.ID), key.Agent)
}

// idPrefix returns the common prefix of the names of the threads with an id.
func idPrefix(principal, id string) []byte { return appendText(appendText(nil, principal), id) }

// threadKey reads the result of threadName.
func threadKey(name []byte) (state.Key, bool) {
	principal, rest, ok := cutText(name)
	id, rest, ok2 := cutText(rest)
	agent, rest, ok3 := cutText(rest)
	return state.Key{Principal: principal, ID: id, Agent: agent}, ok && ok2 && ok3 && len(rest) == 0
}

// indexName returns the name of a thread in the index of its principal: the most recently changed one comes first.
func indexName(principal string, at state.Cursor) []byte {
	b := appendText(nil, principal)
	b = binary.BigEndian.AppendUint64(b, math.MaxUint64-moment(at.UpdatedAt))
	return appendText(appendText(b, at.Agent), at.ID)
}

// dueName returns the name of a deadline of a thread.
func dueName(at time.Time, name []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, moment(at)), name...)
}

// moment returns a time as a number that grows with it. The zero time is 0, and times beyond the range of
// nanoseconds are the greatest number.
func moment(t time.Time) uint64 {
	switch {
	case t.Unix() < 0:
		return 0
	case t.After(state.Forever):
		return math.MaxInt64
	}
	return uint64(t.UnixNano())
}

// momentOf reads the result of moment.
func momentOf(n uint64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, int64(min(n, math.MaxInt64))).UTC()
}

func number8(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// numberOf reads a number at the start of b, 0 if there is none.
func numberOf(b []byte) uint64 {
	if len(b) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

func frameName(id state.FrameID) []byte {
	return binary.BigEndian.AppendUint64(number8(id.Fence), id.Seq)
}

func frameOf(b []byte) state.FrameID {
	if len(b) < 16 {
		return state.FrameID{}
	}
	return state.FrameID{Fence: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint64(b[8:])}
}

// maxText is the longest text that is a key as it is: bbolt takes keys of up to 32 KiB, and several should share a
// page.
const maxText = 1 << 10

// textKey returns the key of a text of any length: a long one is replaced by its hash. No key is empty.
func textKey(text string) []byte {
	if len(text) <= maxText {
		return append([]byte{'t'}, text...)
	}
	sum := sha256.Sum256([]byte(text))
	return append([]byte{'h'}, sum[:]...)
}
