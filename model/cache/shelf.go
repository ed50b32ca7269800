package cache

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/bounded"
	"github.com/agui-gateway/gateway/model"
)

// A keptReply is a reply as JSON, which callers cannot change.
type keptReply struct {
	raw   []byte
	until time.Time
}

// entryOverhead is what a reply takes besides its bytes.
const entryOverhead = 256

// A shelf has the replies that are kept. The least recently used ones are evicted first.
type shelf struct {
	most int64
	ttl  time.Duration

	mu      sync.Mutex
	replies *bounded.Table[[sha256.Size]byte, keptReply]
}

func newShelf(entries int, most int64, ttl time.Duration) *shelf {
	return &shelf{most: most, ttl: ttl, replies: bounded.New[[sha256.Size]byte, keptReply](entries, most)}
}

// get returns the reply to a question, if there is one that is young enough.
func (s *shelf) get(key [sha256.Size]byte, now time.Time) (r model.Reply, ok bool) {
	s.mu.Lock()
	k, ok := s.replies.Use(key)
	if ok && !k.until.After(now) {
		s.replies.Delete(key)
		ok = false
	}
	s.mu.Unlock()
	if !ok || json.Unmarshal(k.raw, &r) != nil {
		return model.Reply{}, false
	}
	return r, true
}

// put keeps a reply as one that has used nothing, unless it is larger than its share.
func (s *shelf) put(key [sha256.Size]byte, r model.Reply, now time.Time) {
	var none int64
	r.Usage = agui.TokenUsage{Provider: r.Usage.Provider, Model: r.Usage.Model, InputTokens: &none, OutputTokens: &none,
		TotalTokens: &none}
	r.Earlier = nil
	if r.Cost != nil {
		r.Cost = new(float64)
	}
	raw, err := json.Marshal(r)
	size := int64(len(raw)) + entryOverhead
	if err != nil || size > s.most/4 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies.Put(key, keptReply{raw, now.Add(s.ttl)}, size)
}
