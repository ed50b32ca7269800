package redisstore_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// TestHintsAreRepaired damages every index and checks that the store finds all threads, shows no others, and
// corrects the indices.
func TestHintsAreRepaired(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix := rand.Text()
	clock := statetest.NewClock()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix, Now: clock.Now})
	ctx := t.Context()
	idle, live := newThread(t), newThread(t)
	idle.succeed(s, idle.begin(s, time.Hour), 1)
	lease := live.begin(s, time.Second)
	clock.Move(time.Minute)
	before := dump(t, client, prefix)

	for key := range before {
		switch {
		case strings.Contains(key, ":live:"):
			if err := client.Del(ctx, key).Err(); err != nil {
				t.Fatal(err)
			}
			for _, wrong := range []string{
				"p/a/" + live.key.ID + "/1", "p/a/nobody/1", "p/a/" + idle.key.ID + "/2", "broken",
			} {
				if err := client.ZAdd(ctx, key, redis.Z{Score: 1, Member: wrong}).Err(); err != nil {
					t.Fatal(err)
				}
			}
		case strings.Contains(key, ":idx:"):
			if err := client.ZAdd(ctx, key, redis.Z{Score: 2, Member: "a/nobody"}).Err(); err != nil {
				t.Fatal(err)
			}
			if err := client.ZAddXX(ctx, key, redis.Z{Score: 3, Member: "a/" + idle.key.ID}).Err(); err != nil {
				t.Fatal(err)
			}
		case strings.Contains(key, ":name:"):
			if err := client.ZAdd(ctx, key, redis.Z{Score: 1, Member: "nobody"}).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := s.Load(ctx, live.key); err != nil { // somebody comes for it
		t.Fatal(err)
	}
	for range 2 {
		keys, err := s.Overdue(ctx, 10)
		if err != nil || !slices.Equal(keys, []state.Key{live.key}) {
			t.Errorf("Overdue() = %v, %v", keys, err)
		}
		page, err := s.List(ctx, state.Query{Principal: "p"})
		if err != nil || len(page.Threads) != 2 {
			t.Errorf("List() = %+v, %v", page, err)
		}
		for _, th := range []*thread{idle, live} {
			keys, err = s.Find(ctx, "p", th.key.ID)
			if err != nil || !slices.Equal(keys, []state.Key{th.key}) {
				t.Errorf("Find() = %v, %v", keys, err)
			}
		}
	}
	if err := s.Renew(ctx, lease, time.Second); err != nil {
		t.Fatal(err)
	}
	for i := client.Scan(ctx, 0, prefix+":*", 1000).Iterator(); i.Next(ctx); {
		if strings.Contains(i.Val(), "{") || i.Val() == prefix+":ping" || i.Val() == prefix+":format" {
			continue
		}
		found, err := client.ZRangeWithScores(ctx, i.Val(), 0, -1).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range found {
			if z.Score < 10 || strings.Contains(fmt.Sprint(z.Member), "nobody") {
				t.Errorf("%s still has %v", i.Val(), z)
			}
		}
	}
}

// A run without an owner that no index has is found again when somebody asks for it, whether to look at it or to
// join it.
func TestAskingForAThreadRepairsItsHints(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	for name, ask := range map[string]func(state.Store, *state.Request) error{
		"Load": func(s state.Store, r *state.Request) error { _, _, err := s.Load(t.Context(), r.Key); return err },
		"Begin": func(s state.Store, r *state.Request) error {
			_, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
			return err
		},
	} {
		prefix, clock := rand.Text(), statetest.NewClock()
		s := open(t, server.URL(), redisstore.Options{Prefix: prefix, Now: clock.Now})
		th := newThread(t)
		r := th.request()
		if _, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Second}); err != nil {
			t.Fatal(err)
		}
		clock.Move(time.Minute)
		for key := range dump(t, client, prefix) {
			if strings.Contains(key, ":live:") {
				if err := client.Del(t.Context(), key).Err(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if keys, err := s.Overdue(t.Context(), 10); err != nil || len(keys) > 0 {
			t.Fatalf("Overdue() = %v, %v", keys, err)
		}
		if err := ask(s, r); err != nil {
			t.Errorf("%s() = %v", name, err)
		}
		if keys, err := s.Overdue(t.Context(), 10); err != nil || !slices.Contains(keys, th.key) {
			t.Errorf("Overdue() after %s() = %v, %v", name, keys, err)
		}
	}
}

// Hints are written before the thread that they name. While one is about to be written, the begins of other
// threads, which now and then look for hints to threads that are gone, leave its hints alone; they remove those of
// a thread that never came.
func TestHintsWaitForTheirThread(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	prefix, clock := rand.Text(), statetest.NewClock()
	s := open(t, server.URL(), redisstore.Options{Prefix: prefix, Now: clock.Now})
	coming := newThread(t)
	coming.begin(s, time.Hour)
	for key := range dump(t, client, prefix) {
		if strings.Contains(key, "{") { // the rest is as before the thread was written
			if err := client.Unlink(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	index := ""
	for key := range dump(t, client, prefix) {
		if strings.Contains(key, ":idx:") {
			index = key
		}
	}
	hinted := func() bool {
		err := client.ZScore(t.Context(), index, "a/"+coming.key.ID).Err()
		if err != nil && !errors.Is(err, redis.Nil) {
			t.Fatal(err)
		}
		return err == nil
	}
	clock.Move(time.Second)
	for range 300 {
		newThread(t).begin(s, time.Hour)
	}
	if !hinted() {
		t.Error("a thread that is about to be written has lost its hint")
	}
	clock.Move(time.Minute)
	for tries := 0; hinted(); tries++ {
		if tries == 1000 { // each looks with a chance of one in 32
			t.Fatal("the hints to a thread that never came are not removed")
		}
		newThread(t).begin(s, time.Hour)
	}
}

// odd are ids with special characters.
var odd = []string{
	"", "{", "}", "{}", "}{", "{x}y", "x}", "{{", "*", "?[a-z]", "a:b:c", `"quoted"`, "a b\r\n\x00c", "日本語", "\u2028",
	"\ufffd", "\xff", strings.Repeat("ü", 512), strings.Repeat("}", 1024),
}

// TestOddIDs holds threads with odd ids, on a cluster, to living in one slot and to never being confused.
func TestOddIDs(t *testing.T) {
	t.Parallel()
	s := open(t, redistest.StartCluster(t).URL(), redisstore.Options{})
	ctx := t.Context()
	owner := "{owner}"
	threads := []*thread{}
	for i, id := range odd {
		threads = append(threads,
			&thread{t, state.Key{Principal: owner, Agent: "a", ID: id}},
			&thread{t, state.Key{Principal: owner, Agent: odd[len(odd)-1-i] + "}", ID: id}})
	}
	for i, th := range threads {
		l := th.begin(s, time.Hour)
		th.append(s, l, 1, i+1)
		th.succeed(s, l, i+2, "m"+strconv.Itoa(i))
	}
	for i, th := range threads {
		ids, _ := th.tail(s, state.FrameID{}, i+2)
		th.ordered(ids(), i+2)
		if got := th.messages(s); len(got) != 2 || got[1] != "m"+strconv.Itoa(i) {
			t.Errorf("messages of %q = %q", th.key, got)
		}
		keys, err := s.Find(ctx, owner, th.key.ID)
		if err != nil || len(keys) != 2 || !slices.Contains(keys, th.key) {
			t.Errorf("Find(%q) = %q, %v", th.key.ID, keys, err)
		}
	}
	listed := map[state.Key]bool{}
	q := state.Query{Principal: owner, Limit: 5}
	for more := true; more; more = q.Cursor != "" {
		page, err := s.List(ctx, q)
		if err != nil {
			t.Fatalf("List() = %v", err)
		}
		for _, th := range page.Threads {
			listed[th.Key] = true
		}
		q.Cursor = page.Next
	}
	if len(listed) != len(threads) {
		t.Errorf("%d threads are listed, want %d", len(listed), len(threads))
	}
	for i, th := range threads {
		if _, err := s.Fork(ctx, th.key, "m"+strconv.Itoa(i), th.key.ID+"}fork", 0); err != nil {
			t.Errorf("Fork(%q) = %v", th.key, err)
		}
		if err := s.Delete(ctx, th.key); err != nil {
			t.Errorf("Delete(%q) = %v", th.key, err)
		}
	}
}

// TestReplicasBeginElsewhere has many runs overdue at once, as a replica that dies leaves them: replicas that look
// for a few of them at the same time do not find the same ones.
func TestReplicasBeginElsewhere(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	clock := statetest.NewClock()
	s := open(t, server.URL(), redisstore.Options{Prefix: rand.Text(), Now: clock.Now})
	for range 64 {
		newThread(t).begin(s, time.Second)
	}
	clock.Move(time.Minute)
	found := map[state.Key]bool{}
	const few, looks = 4, 32
	for range looks {
		keys, err := s.Overdue(t.Context(), few)
		if err != nil || len(keys) != few {
			t.Fatalf("Overdue() = %v, %v", keys, err)
		}
		for _, key := range keys {
			found[key] = true
		}
	}
	if len(found) == few {
		t.Errorf("%d looks found the same %d of 64 runs", looks, few)
	}
}
