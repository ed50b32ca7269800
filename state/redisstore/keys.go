package redisstore

import (
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/state"
)

// A hashTag is what stands between the braces of a thread's keys: Redis keeps keys with the same one together. It is
// made of a hash because ids are what callers make them: empty, full of braces, a kilobyte long.
type hashTag string

func hashTagOf(k state.Key) hashTag { return hashTag(k.Digest()) }

// A part is one of the keys of a thread. A thread has all of them from its birth to its end, but for the log and what
// goes with it: those two expire some time after a run, and are made again by the next; the packs come with the first run that is packed.
type part string

// The parts.
const (
	partThread   part = "thread" // hash: the document, the live attempt, and the floor of fences after a deletion
	partMessages part = "msgs"   // hash: the conversation by slot
	partKnown    part = "known"  // hash: the places of messages by id
	partTokens   part = "ints"   // hash: tokens by id
	partEnds     part = "ends"   // list: when the runs ended that the log still has
	partMemo     part = "memo"   // hash: what the turn that is not committed has recorded
	partPast     part = "past"   // list: the way back to earlier states
	partRuns     part = "runs"   // list: the runs before the newest
	partLog      part = "ev"     // stream: the log
	partOld      part = "old"    // stream: what was replaced and the log may still show
	partPacks    part = "packs"  // list: the log of runs that are over, packed
)

// threadParts are what a transition writes, or a deletion removes: everything but the log, logParts.
var (
	threadParts = []part{
		partThread, partMessages, partKnown, partTokens, partEnds, partMemo, partPast, partRuns,
	}
	logParts = []part{partLog, partOld}
)

// keys are the keys of parts of a thread.
func (s *backend) keys(h hashTag, parts []part) []string {
	keys := make([]string, len(parts))
	for i, p := range parts {
		keys[i] = s.key(h, p)
	}
	return keys
}

func (s *backend) key(h hashTag, p part) string {
	return s.o.Prefix + ":{" + string(h) + "}:" + string(p)
}

// How many keys the indices are spread over, so that in a cluster no node has them all.
const (
	liveShards  = 8
	indexShards = 4
)

// shard spreads threads evenly over n.
func (h hashTag) shard(n int) int { return int(h[0]) % n }

func (s *backend) liveKey(shard int) string {
	return s.o.Prefix + ":live:" + strconv.Itoa(shard)
}

func (s *backend) indexKey(principal string, shard int) string {
	return fmt.Sprintf("%s:idx:%s:%d", s.o.Prefix, state.Digest(principal), shard)
}

func (s *backend) nameKey(principal, id string) string {
	return s.o.Prefix + ":name:" + state.Digest(principal, id)
}
