package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A Redis may lose acknowledged data: the newest frames of a run, in a crash or a failover. The run still has them and
// appends them again; nothing is repeated, and the log is complete.
func TestARedisThatLostTheNewestFrames(t *testing.T) {
	t.Parallel()
	for _, more := range []bool{true, false} { // the run continues with a message, or ends
		t.Run(fmt.Sprintf("more to say %v", more), func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			var calls atomic.Int32
			gate := make(chan struct{})
			a, b := twins(t, server.URL(), func(o *gateway.Options) {
				o.Agents["teller"] = groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error {
					calls.Add(1)
					for _, key := range []string{"one", "two"} {
						if err := groupchat.SayOnce(turn, key, fmt.Sprintf("Part %s.", key)); err != nil {
							return err
						}
					}
					if err := await(ctx, turn, gate); err != nil || !more {
						return err
					}
					return groupchat.SayOnce(turn, "three", "Part three.")
				})
			})
			poster := a.open("POST", "/agents/teller", input("t", "r1", []string{"u1:Hi"}))
			poster.until(agui.TypeCustom)
			watcher := b.open("GET", "/threads/t/events?protocolVersion=1.0", "")
			watcher.until(agui.TypeRunStarted)
			forget(t, server.Client(), 3)
			close(gate)
			poster.rest()
			poster.finished()
			watcher.rest()
			watcher.finished()
			if n := calls.Load(); n != 1 {
				t.Errorf("the agent was called %d times", n)
			}
			d := a.thread("t")
			poster.equals(d)
			watcher.equals(d)
			again := b.open("GET", "/threads/t/events?protocolVersion=1.0&trace=1", "", "Last-Event-ID", poster.records[0].ID)
			got := recordIDs(again)
			for i, id := range got { // the log has all of them
				first, mark := splitID(t, poster.records[0].ID)
				if first.Seq += uint64(i) + 1; id != first.String()+"-"+mark {
					t.Fatalf("the log has %v behind %s", got, poster.records[0].ID)
				}
			}
			if last := poster.records[len(poster.records)-1].ID; got[len(got)-1] != last {
				t.Errorf("the log ends with %s, want %s", got[len(got)-1], last)
			}
		})
	}
}

// recordIDs are those of all that a reader is sent, to the end of its stream.
func recordIDs(r *reader) (list []string) {
	r.t.Helper()
	for {
		record, err, ok := r.read()
		if !ok || err != nil {
			break
		}
		r.records = append(r.records, record)
	}
	for _, record := range r.records {
		list = append(list, record.ID)
	}
	return list
}

// forget removes the newest n frames of the only log that a Redis has, as if they had never arrived.
func forget(t *testing.T, client *redis.Client, n int64) {
	t.Helper()
	logs, err := client.Keys(t.Context(), "*:ev").Result()
	if err != nil || len(logs) != 1 {
		t.Fatalf("Keys() = %v, %v", logs, err)
	}
	newest, err := client.XRevRangeN(t.Context(), logs[0], "+", "-", n+1).Result()
	if err != nil || int64(len(newest)) != n+1 {
		t.Fatalf("XRevRange() = %v, %v", newest, err)
	}
	for _, entry := range newest[:n] {
		if err := client.XDel(t.Context(), logs[0], entry.ID).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// The stream itself would not take ids again that it had; a Redis that lost them has never heard of them.
	if err := client.Do(t.Context(), "xsetid", logs[0], newest[n].ID).Err(); err != nil {
		t.Fatal(err)
	}
	thread := strings.TrimSuffix(logs[0], "ev") + "thread"
	if err := client.HSet(t.Context(), thread, "last", newest[n].ID).Err(); err != nil {
		t.Fatal(err)
	}
}
