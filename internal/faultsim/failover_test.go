package faultsim

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestFailover runs gateways on a real Redis that goes back to an earlier moment, as a failover to a lagging replica
// does. Time is real, so it is slower than a simulation and its faults are fewer. It has the scripts of the store and
// the packing of logs.
func TestFailover(t *testing.T) {
	seed := seedOf(t)
	seconds, _ := strconv.Atoi(os.Getenv("FAULTS_SECONDS")) // none means one round
	server := redistest.Start(t)
	for began, n := time.Now(), 0; (n == 0 || time.Since(began) < time.Duration(seconds)*time.Second) && !t.Failed(); n++ {
		failOver(t, server, seed+uint64(n))
	}
}

// failOver is one round.
func failOver(t *testing.T, server *redistest.Server, seed uint64) {
	w := newWorld(t, seed)
	w.lost, w.broken, w.lease = true, true, 2*time.Second
	prefix := fmt.Sprintf("%d:", seed)
	w.open = func(_ *replica, log *slog.Logger) (state.Store, error) {
		return redisstore.Open(t.Context(), server.URL(), redisstore.Options{Prefix: prefix, ThreadTTL: forever, Logger: log})
	}
	for i := range 2 {
		w.serving = append(w.serving, w.start(fmt.Sprintf("r%d.0", i)))
	}
	clients := make([]*client, 8)
	for i := range clients {
		clients[i] = w.client(fmt.Sprintf("c%d", i), "desk", fmt.Sprintf("t%d", i))
	}
	var actors sync.WaitGroup
	all := func(turns int) {
		for _, c := range clients {
			actors.Go(func() { c.turns(turns) })
		}
	}
	all(1)
	actors.Wait()
	all(3)
	r := w.dice.next("failover")
	time.Sleep(between(r, 100*time.Millisecond, 3*time.Second))
	image := dump(t, server.Client())
	time.Sleep(between(r, 50*time.Millisecond, 900*time.Millisecond))
	w.fault("Redis goes back to an earlier moment")
	restore(t, server.Client(), image)
	actors.Wait()
	for _, c := range clients {
		c.rests()
	}
	w.audit(w.serving[0].store)
	for _, r := range w.all {
		r.close()
	}
	w.report(t)
}

// turns makes some turns, one after another.
func (c *client) turns(n int) {
	for range n {
		r := c.w.dice.next(c.name)
		if doc, ok := c.load(); ok && doc.Status != string(state.StatusRunning) && len(doc.Interrupts) == 0 {
			c.say(r, doc)
		} else if ok && len(doc.Interrupts) > 0 {
			c.answer(r, doc)
		} else {
			c.follow()
		}
	}
}

// rests waits until nothing runs on the thread, and reads it with the cursor that the client has.
func (c *client) rests() {
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		doc, ok := c.load()
		if ok && len(doc.Messages) == 0 {
			c.w.problem("%s: the thread is gone", c.name)
			return
		}
		if ok && doc.Status != string(state.StatusRunning) {
			break
		}
		if time.Now().After(end) {
			c.w.problem("%s: the thread still runs", c.name)
			return
		}
	}
	c.follow()
}

// patience is how long a real run may take to rest.
const patience = 2 * time.Minute

// An image is all keys of a Redis.
type image []struct {
	key, value string
	ttl        time.Duration
}

func dump(t *testing.T, c *redis.Client) image {
	t.Helper()
	const script = `local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = { key, redis.call('DUMP', key), tostring(redis.call('PTTL', key)) } end
return all`
	rows, err := c.Eval(t.Context(), script, nil).Slice()
	if err != nil {
		t.Fatal(err)
	}
	list := make(image, len(rows))
	for i, row := range rows {
		fields := row.([]any)
		list[i].key, list[i].value = fields[0].(string), fields[1].(string)
		ms, err := strconv.ParseInt(fields[2].(string), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		list[i].ttl = max(0, time.Duration(ms)*time.Millisecond)
	}
	return list
}

// restore replaces all keys, and closes the connections of everybody else.
func restore(t *testing.T, c *redis.Client, image image) {
	t.Helper()
	_, err := c.TxPipelined(context.WithoutCancel(t.Context()), func(p redis.Pipeliner) error {
		p.FlushAll(t.Context())
		for _, row := range image {
			p.Restore(t.Context(), row.key, row.ttl, row.value)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"normal", "pubsub"} {
		if err := c.ClientKillByFilter(t.Context(), "TYPE", kind, "SKIPME", "yes").Err(); err != nil {
			t.Fatal(err)
		}
	}
}
