package redisstore

import (
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/state"
)

// A hashTag is the part between the braces of a thread's keys: Redis keeps keys with the same one together. It is a
// hash, because ids have any content: empty, full of braces, a kilobyte long.
type hashTag string

func hashTagOf(k state.Key) hashTag { return hashTag(k.Digest()) }

// A part is one of the keys of a thread. A thread has all of them from its birth to its end, except three: the log
// and the replaced values expire some time after a run and are made again by the next; the packs come with the
// first packed run.
type part string

// The parts.
const (
	partThread   part = "thread" // hash: the document, the live attempt, and the floor of fences after a deletion
	partMessages part = "msgs"   // hash: the conversation by slot
	partKnown    part = "known"  // hash: the places of messages by id
	partTokens   part = "ints"   // hash: tokens by id
	partEnds     part = "ends"   // list: the ends of the runs in the log
	partMemo     part = "memo"   // hash: results of effects since the last commit
	partPast     part = "past"   // list: patches to earlier states
	partRuns     part = "runs"   // list: the runs before the newest
	partLog      part = "ev"     // stream: the log
	partOld      part = "old"    // stream: replaced values that the log may still show
	partPacks    part = "packs"  // list: packs of runs that ended
)

// threadParts are the keys that a transition writes and a deletion removes; logParts are the log.
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

// The number of keys of each index, so that no node of a cluster has all entries.
const (
	liveShards  = 8
	indexShards = 4
)

// shard distributes threads evenly over n.
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
