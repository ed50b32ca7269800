package teamfile

import (
	"slices"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/cache"
)

// cached is m with its replies kept, if n, its entry of models, has a cache. Nil means that there is a mistake, which is noted.
func (b *builder) cached(m model.Model, n *node) model.Model {
	i := slices.IndexFunc(n.keys, func(k *node) bool { return k.text == "cache" })
	if m == nil || i < 0 {
		return m
	}
	before := len(b.problems)
	f := b.fields(n.items[i], "a cache")
	o := cache.Options{Entries: b.count(f.take("entries"), 1), Bytes: int64(b.count(f.take("bytes"), 1)), TTL: b.duration(f.take("ttl"))}
	if on := b.flag(f.take("shared")); on != nil {
		o.Shared = *on
	}
	f.end()
	if len(b.problems) > before {
		return nil
	}
	kept, err := cache.New(m, o)
	if err != nil {
		b.bad(n.items[i], "not a cache: %s", err)
		return nil
	}
	return kept
}
