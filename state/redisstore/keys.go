package redisstore

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/state"
)

// A slot is what stands between the braces of a thread's keys: Redis keeps keys with the same one together. It is
// made of a hash because ids are what callers make them: empty, full of braces, a kilobyte long.
type slot string

// name returns a short name that only equal lists of texts have, whatever is in them.
func name(texts ...string) string {
	h := sha256.New()
	var size [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:24])
}

func slotOf(k state.Key) slot { return slot(name(k.Principal, k.Agent, k.ID)) }

// threadParts are the keys of a thread, in the order every script has them.
var threadParts = [...]string{"thread", "msgs", "known", "cuts", "ints", "ev", "ends", "memo", "tomb"}

// Where the keys that are used outside of scripts are among them.
const (
	partThread = 0
	partMsgs   = 1
	partKnown  = 2
	partCuts   = 3
	partInts   = 4
	partLog    = 5
)

// keys are all the keys of a thread.
func (s *Store) keys(h slot) []string {
	keys := make([]string, len(threadParts))
	for i := range threadParts {
		keys[i] = s.key(h, i)
	}
	return keys
}

func (s *Store) key(h slot, part int) string {
	return s.o.Prefix + ":{" + string(h) + "}:" + threadParts[part]
}

// How many keys the indices are spread over, so that in a cluster no node has them all.
const (
	liveShards  = 8
	indexShards = 4
)

// shard spreads threads evenly over n.
func (h slot) shard(n int) int { return int(h[0]) % n }

func (s *Store) liveKey(shard int) string {
	return s.o.Prefix + ":live:" + strconv.Itoa(shard)
}

func (s *Store) indexKey(principal string, shard int) string {
	return fmt.Sprintf("%s:idx:%s:%d", s.o.Prefix, name(principal), shard)
}

func (s *Store) nameKey(principal, id string) string {
	return s.o.Prefix + ":name:" + name(principal, id)
}
