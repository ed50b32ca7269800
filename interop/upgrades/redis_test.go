package upgrades_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// A key is a key of a Redis with its value; one of the members is there. Its expiry is not kept, because it has to last
// for years.
type key struct {
	Name   string            `json:"key"`
	Text   *string           `json:"text,omitempty"`
	Hash   map[string]string `json:"hash,omitempty"`
	List   [][]byte          `json:"list,omitempty"` // a pack is binary
	Set    []member          `json:"set,omitempty"`
	Stream *stream           `json:"stream,omitempty"`
}

type member struct {
	Name  string  `json:"member"`
	Score float64 `json:"score"`
}

// A stream has its entries, and the id of the last that it ever had.
type stream struct {
	Last    string  `json:"last"`
	Entries []entry `json:"entries"`
}

type entry struct {
	ID     string `json:"id"`
	Values []any  `json:"values"` // names and texts in turn, for scripts read the first as what it is
}

// dump is all that a Redis has but for what a ping leaves.
func dump(t *testing.T, c *redis.Client) []byte {
	t.Helper()
	ctx := t.Context()
	names := c.Keys(ctx, "*").Val()
	slices.Sort(names)
	var keys []key
	for _, name := range names {
		k := key{Name: name}
		switch kind := c.Type(ctx, name).Val(); {
		case strings.HasSuffix(name, ":ping"):
			continue
		case kind == "string":
			text := c.Get(ctx, name).Val()
			k.Text = &text
		case kind == "hash":
			k.Hash = c.HGetAll(ctx, name).Val()
		case kind == "list":
			for _, value := range c.LRange(ctx, name, 0, -1).Val() {
				k.List = append(k.List, []byte(value))
			}
		case kind == "zset":
			for _, z := range c.ZRangeWithScores(ctx, name, 0, -1).Val() {
				text, _ := z.Member.(string)
				k.Set = append(k.Set, member{text, z.Score})
			}
		case kind == "stream":
			k.Stream = &stream{Last: c.XInfoStream(ctx, name).Val().LastGeneratedID}
			for _, x := range c.Do(ctx, "XRANGE", name, "-", "+").Val().([]any) { //nolint:forcetypeassert // it is a stream
				k.Stream.Entries = append(k.Stream.Entries, entry{x.([]any)[0].(string), x.([]any)[1].([]any)}) //nolint:forcetypeassert // and these its entries
			}
		default:
			t.Fatalf("%s is a %s", name, kind)
		}
		keys = append(keys, k)
	}
	raw, err := json.MarshalIndent(keys, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// restore puts into a Redis what dump has read from one.
func restore(t *testing.T, c *redis.Client, raw []byte) {
	t.Helper()
	ctx := t.Context()
	var keys []key
	if err := json.Unmarshal(raw, &keys); err != nil {
		t.Fatal(err)
	}
	p := c.Pipeline()
	for _, k := range keys {
		switch {
		case k.Text != nil:
			p.Set(ctx, k.Name, *k.Text, 0)
		case k.Hash != nil:
			p.HSet(ctx, k.Name, k.Hash)
		case k.List != nil:
			for _, value := range k.List {
				p.RPush(ctx, k.Name, value)
			}
		case k.Stream != nil:
			for _, e := range k.Stream.Entries {
				p.XAdd(ctx, &redis.XAddArgs{Stream: k.Name, ID: e.ID, Values: e.Values})
			}
			if len(k.Stream.Entries) == 0 {
				p.XAdd(ctx, &redis.XAddArgs{Stream: k.Name, ID: "0-1", Values: []string{"k", ""}})
				p.XTrimMaxLen(ctx, k.Name, 0)
			}
			p.Do(ctx, "XSETID", k.Name, k.Stream.Last)
		}
		for _, m := range k.Set {
			p.ZAdd(ctx, k.Name, redis.Z{Score: m.Score, Member: m.Name})
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		t.Fatal(err)
	}
}
