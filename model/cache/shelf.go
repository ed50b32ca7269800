package cache

import (
	"container/list"
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// A keptReply is a reply as JSON, which callers cannot change.
type keptReply struct {
	key   [sha256.Size]byte
	raw   []byte
	until time.Time
}

// entryOverhead is what a reply takes besides its bytes.
const entryOverhead = 256

func (k *keptReply) size() int64 { return int64(len(k.raw)) + entryOverhead }

// A shelf has the replies that are kept, the most recently used first.
type shelf struct {
	entries int
	most    int64
	ttl     time.Duration

	mu    sync.Mutex
	by    map[[sha256.Size]byte]*list.Element // of *keptReply
	order list.List
	bytes int64
}

func newShelf(entries int, most int64, ttl time.Duration) *shelf {
	return &shelf{entries: entries, most: most, ttl: ttl, by: map[[sha256.Size]byte]*list.Element{}}
}

// get returns the reply to a question, if there is one that is young enough.
func (s *shelf) get(key [sha256.Size]byte, now time.Time) (model.Reply, bool) {
	s.mu.Lock()
	e := s.by[key]
	if e == nil {
		s.mu.Unlock()
		return model.Reply{}, false
	}
	k := e.Value.(*keptReply)
	if !k.until.After(now) {
		s.drop(e)
		s.mu.Unlock()
		return model.Reply{}, false
	}
	s.order.MoveToFront(e)
	s.mu.Unlock()
	var r model.Reply
	if json.Unmarshal(k.raw, &r) != nil {
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
	k := &keptReply{key: key, raw: raw, until: now.Add(s.ttl)}
	if err != nil || k.size() > s.most/4 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.by[key]; e != nil {
		s.drop(e)
	}
	s.by[key] = s.order.PushFront(k)
	s.bytes += k.size()
	for len(s.by) > s.entries || s.bytes > s.most {
		s.drop(s.order.Back())
	}
}

// drop forgets a reply. The lock is held.
func (s *shelf) drop(e *list.Element) {
	k := e.Value.(*keptReply)
	delete(s.by, k.key)
	s.bytes -= k.size()
	s.order.Remove(e)
}
