package teamfile

import (
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/cache"
)

// cached returns m with a cache of its replies, if n, its entry of models, has one. It returns nil after a mistake,
// which is noted.
func (b *builder) cached(m model.Model, n *Value) model.Model {
	at := n.member("cache")
	if m == nil || at == nil {
		return m
	}
	f := at.Fields("a cache", "")
	o := cache.Options{
		Entries: f.Take("entries").Count(1), Bytes: int64(f.Take("bytes").Count(1)),
		TTL: f.Take("ttl").duration(), Shared: f.Take("shared").on(),
	}
	f.End()
	if !f.ok() {
		return nil
	}
	kept, err := cache.New(m, o)
	if err != nil {
		at.Bad("not a cache: %s", err)
		return nil
	}
	return kept
}
