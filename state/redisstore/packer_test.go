package redisstore_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A packedThread is a thread in a new Redis, with stores that pack at once and one that does not.
type packedThread struct {
	*thread

	client *redis.Client
	clock  *statetest.Clock
	packs  state.Store // packs at once
	leaves state.Store // packs when the test is over
}

func newPackedThread(t *testing.T) *packedThread {
	t.Helper()
	server := redistest.Start(t)
	p := &packedThread{thread: newThread(t), client: server.Client(), clock: statetest.NewClock()}
	o := redisstore.Patient(redisstore.Options{Prefix: "agui", Now: p.clock.Now, LogTTL: time.Hour, ThreadTTL: 24 * time.Hour})
	p.packs, p.leaves = open(t, server.URL(), redisstore.Packing(o)), open(t, server.URL(), o)
	return p
}

// said200 are the frames of an answer of 200 words.
func said200(l *state.Lease) []state.Frame {
	list := frames(l, 1, 200)
	for i := range list {
		list[i].Type = agui.TypeTextMessageContent
		list[i].Data = fmt.Appendf(nil, `{"type":"TEXT_MESSAGE_CONTENT","timestamp":%d,"messageId":"msg_0197b2c4d5e6-7f80","delta":" word%d"}`, 1_790_000_000_000+17*i, i%10)
	}
	return list
}

// run is a run of 200 words that is written by s, and its frames.
func (t *packedThread) run(s state.Store) []state.Frame {
	t.Helper()
	l := t.begin(s, time.Hour)
	list := said200(l)
	for from := 0; from < len(list); from += 50 {
		var after state.FrameID
		if from > 0 {
			after = list[from-1].ID
		}
		if err := s.Append(t.Context(), l, after, list[from:from+50]); err != nil {
			t.Fatal(err)
		}
	}
	c := end(l, 201)
	c.Frames[0].Ending = &state.Ending{RunID: "r"}
	if _, err := s.Commit(t.Context(), l, c); err != nil {
		t.Fatal(err)
	}
	return append(list, c.Frames...)
}

// in is how many entries the log of the thread has, or how many packs.
func (t *packedThread) in(part string) int64 {
	t.Helper()
	keys, err := t.client.Keys(t.Context(), "*}:"+part).Result()
	if err != nil || len(keys) > 1 {
		t.Fatalf("Keys() = %v, %v", keys, err)
	}
	if len(keys) == 0 {
		return 0
	}
	if part == "packs" { // a list of two entries for each
		return t.client.LLen(t.Context(), keys[0]).Val() / 2
	}
	return t.client.XLen(t.Context(), keys[0]).Val()
}

// shows holds both stores to showing these frames, from every twentieth on.
func (t *packedThread) shows(want []state.Frame) {
	t.Helper()
	for _, s := range []state.Store{t.packs, t.leaves} {
		for from := 0; from < len(want); from += 20 {
			var after state.FrameID
			if from > 0 {
				after = want[from-1].ID
				if has, err := s.Holds(t.Context(), t.key, after); !has || err != nil {
					t.Errorf("Holds(%s) = %v, %v", after, has, err)
				}
			}
			var got []state.Frame
			for batch, err := range s.Tail(t.Context(), t.key, after) {
				if err != nil {
					t.Fatalf("Tail() = %v", err)
				}
				if got = append(got, batch...); len(got) >= len(want)-from {
					break
				}
			}
			if !reflect.DeepEqual(got, want[from:]) {
				t.Fatalf("behind %s %d frames were read, and %d are there", after, len(got), len(want)-from)
			}
		}
	}
}

// cutAt checks that both stores report a frame and all before it as trimmed.
func (t *packedThread) cutAt(id state.FrameID) {
	t.Helper()
	for _, s := range []state.Store{t.packs, t.leaves} {
		if has, err := s.Holds(t.Context(), t.key, id); has || err != nil {
			t.Errorf("Holds(%s) = %v, %v", id, has, err)
		}
		for _, err := range s.Tail(t.Context(), t.key, state.FrameID{Fence: id.Fence, Seq: id.Seq - 1}) {
			if !errors.Is(err, state.ErrTrimmed) {
				t.Errorf("Tail() = %v, want ErrTrimmed", err)
			}
			break
		}
	}
}

// TestARunIsPacked packs three runs, with one between that is not, and shows them all while they are kept: each as
// long as it has to be.
func TestARunIsPacked(t *testing.T) {
	t.Parallel()
	th := newPackedThread(t)
	first := th.run(th.packs)
	if th.in("ev") != 0 || th.in("packs") != 1 {
		t.Fatalf("%d frames and %d packs are in the log", th.in("ev"), th.in("packs"))
	}
	th.shows(first)
	th.clock.Move(20 * time.Minute)
	second := th.run(th.packs)
	all := append(first, second...)
	th.shows(all)
	third := th.run(th.leaves)
	all = append(all, third...)
	th.shows(all)
	fourth := th.run(th.packs) // there is something before it
	if n := th.in("packs"); n != 2 {
		t.Errorf("there are %d packs", n)
	}
	all = append(all, fourth...)
	th.shows(all)

	th.clock.Move(45 * time.Minute) // the time of the first is over
	th.cutAt(first[len(first)-1].ID)
	th.shows(all[len(first):])
	th.clock.Move(20 * time.Minute)
	th.cutAt(fourth[len(fourth)-1].ID)
	fifth := th.run(th.packs)
	if th.in("ev") != 0 || th.in("packs") != 1 {
		t.Errorf("%d frames and %d packs are in the log", th.in("ev"), th.in("packs"))
	}
	th.shows(fifth)
}

// TestAPatchIsPacked changes the state between two runs: what readers are sent of it is packed too, so that the run
// behind it can be.
func TestAPatchIsPacked(t *testing.T) {
	t.Parallel()
	th := newPackedThread(t)
	th.run(th.packs)
	for n := range 2 {
		body := fmt.Appendf(nil, `[{"op":"add","path":"/seats","value":[%d]}]`, n)
		r := &state.PatchRequest{Key: th.key, ID: rand.Text(), Patch: document.OutsidePatch{Body: body}}
		if result, err := th.packs.PatchState(t.Context(), r); err != nil || result.Status != state.PatchApplied {
			t.Fatalf("PatchState() = %+v, %v", result, err)
		}
	}
	last := th.run(th.packs)
	if th.in("ev") != 0 || th.in("packs") < 4 {
		t.Errorf("%d frames and %d packs are in the log", th.in("ev"), th.in("packs"))
	}
	if has, err := th.leaves.Holds(t.Context(), th.key, last[100].ID); !has || err != nil {
		t.Errorf("Holds() = %v, %v", has, err)
	}
}

// TestWhatIsNotPacked checks that runs with frames of several replicas, and runs of a deleted thread, are not packed.
func TestWhatIsNotPacked(t *testing.T) {
	t.Parallel()
	t.Run("taken over", func(t *testing.T) {
		t.Parallel()
		th := newPackedThread(t)
		l := th.begin(th.packs, time.Second)
		list := said200(l)
		if err := th.packs.Append(t.Context(), l, state.FrameID{}, list); err != nil {
			t.Fatal(err)
		}
		th.clock.Move(time.Minute)
		taken, err := th.packs.Take(t.Context(), th.key, state.LeaseOptions{Attempt: rand.Text(), TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		again := said200(taken.Lease)
		if err := th.packs.Append(t.Context(), taken.Lease, list[199].ID, again); err != nil {
			t.Fatal(err)
		}
		c := end(taken.Lease, 201)
		if _, err := th.packs.Commit(t.Context(), taken.Lease, c); err != nil {
			t.Fatal(err)
		}
		if n := th.in("packs"); n != 0 {
			t.Errorf("there are %d packs", n)
		}
		th.shows(append(append(list, again...), c.Frames...))
	})
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		th := newPackedThread(t)
		before := th.run(th.packs)
		if err := th.packs.Delete(t.Context(), th.key); err != nil {
			t.Fatal(err)
		}
		again := th.run(th.leaves)
		th.shows(again)
		for _, err := range th.packs.Tail(t.Context(), th.key, before[10].ID) {
			if !errors.Is(err, state.ErrUnknownThread) {
				t.Errorf("Tail() of the thread before = %v", err)
			}
			break
		}
	})
}

// TestPacksOfAnotherThread has a Redis evict all keys of a thread but its packs: the next thread under its key is
// shown without them.
func TestPacksOfAnotherThread(t *testing.T) {
	t.Parallel()
	th := newPackedThread(t)
	th.run(th.packs)
	for _, key := range th.client.Keys(t.Context(), "*{*").Val() {
		if !strings.HasSuffix(key, ":packs") {
			th.client.Del(t.Context(), key)
		}
	}
	if n := th.in("packs"); n != 1 {
		t.Fatalf("there are %d packs", n)
	}
	th.clock.Move(time.Minute)
	all := th.run(th.packs)
	if th.in("ev") != 0 || th.in("packs") != 1 {
		t.Errorf("%d frames and %d packs are in the log", th.in("ev"), th.in("packs"))
	}
	th.shows(all)
}

// TestPacksThatAreGone takes the packs away, as a full Redis does that evicts: their frames are not kept any more,
// and the thread is.
func TestPacksThatAreGone(t *testing.T) {
	t.Parallel()
	th := newPackedThread(t)
	first := th.run(th.packs)
	evict(t, th.client, "packs")
	th.cutAt(first[100].ID)
	second := th.run(th.packs)
	th.shows(second)
	if n := th.in("packs"); n != 1 {
		t.Errorf("there are %d packs", n)
	}
}

// TestAPackThatIsBroken changes a pack in Redis: its readers get ErrDamaged.
func TestAPackThatIsBroken(t *testing.T) {
	t.Parallel()
	th := newPackedThread(t)
	list := th.run(th.packs)
	keys := th.client.Keys(t.Context(), "*}:packs").Val()
	th.client.LSet(t.Context(), keys[0], 1, "nonsense")
	for _, err := range th.leaves.Tail(t.Context(), th.key, list[0].ID) {
		if !errors.Is(err, state.ErrDamaged) {
			t.Errorf("Tail() = %v, want ErrDamaged", err)
		}
		break
	}
}

// eventuallyPacked waits until there are so many packs.
func (t *packedThread) eventuallyPacked(n int64) {
	t.Helper()
	redistest.Until(t, fmt.Sprintf("%d packs", n), func() bool { return t.in("packs") >= n })
}

// TestRunsArePackedLater waits until the log of a run is packed, as gateways pack it.
func TestRunsArePackedLater(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, server.URL(), redisstore.PackingSoon(redisstore.Options{Prefix: "agui"}))
	th := &packedThread{thread: newThread(t), client: server.Client(), packs: s, leaves: s}
	var all []state.Frame
	for range 3 {
		all = append(all, th.run(s)...)
	}
	th.eventuallyPacked(3)
	if n := th.in("ev"); n != 0 {
		t.Errorf("%d frames are in the log", n)
	}
	th.shows(all)
}
