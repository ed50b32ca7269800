package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

var agreesScript = newScript(source("agrees"), partThread, partLog)

// A Disagreement is a difference between a thread and its log: the Redis has lost a part of one of them, or another
// program has changed it.
type Disagreement struct {
	Tag    string // the hash tag of the thread's keys
	Log    string // the newest frame of the log
	Thread string // the newest frame by the thread
	Live   bool   // a run is live by the thread
}

// CompareLogs compares threads with their logs, at most so many on each node, and changes nothing. It returns the
// number of compared threads and the disagreements. The address and the errors are those of [Open].
func CompareLogs(
	ctx context.Context, address string, o Options, most int,
) (compared int, wrong []Disagreement, err error) {
	where, err := parseURL(address)
	if err != nil {
		return 0, nil, err
	}
	s := &backend{o: o.withDefaults()}
	s.main = newClient(where, s.o)
	var mu sync.Mutex
	err = s.eachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		n, found, err := s.compareNode(ctx, node, most)
		mu.Lock()
		defer mu.Unlock()
		compared, wrong = compared+n, append(wrong, found...)
		return err
	})
	return compared, wrong, errors.Join(err, s.main.Close())
}

// globs escapes the special characters of a pattern.
var globs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`)

func (s *backend) compareNode(
	ctx context.Context, node *redis.Client, most int,
) (n int, wrong []Disagreement, err error) {
	threads := node.Scan(ctx, 0, globs.Replace(s.o.Prefix)+":{*}:"+string(partThread), 500).Iterator()
	for ; n < most && threads.Next(ctx); n++ {
		h := hashTag(threads.Val()[len(s.o.Prefix)+2 : len(threads.Val())-len("}:")-len(partThread)])
		r, err := s.run(ctx, agreesScript, h, args{})
		if err != nil {
			return n, wrong, err
		}
		if r.text(0) != didIt {
			d := Disagreement{Tag: string(h), Log: r.text(1), Thread: r.text(2), Live: r.number(3) == 1}
			wrong = append(wrong, d)
		}
	}
	if err := threads.Err(); err != nil {
		return n, wrong, fmt.Errorf("redisstore: %w", err)
	}
	return n, wrong, nil
}
