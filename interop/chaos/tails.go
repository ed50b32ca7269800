package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/redisstore"
)

// How many runs are live, and have just ended with a question, when the newest writes are lost.
const (
	tailRuns      = 12
	tailQuestions = 12
)

// tails kills Redis and starts it without its newest writes: as after a crash of its machine, which cuts off the end of
// its file, and as after a failover to a replica that was behind. A run that lost its end is repeated, a reader gets a
// valid stream or learns that its run is lost, and no thread disagrees with its log.
func tails(ctx context.Context, f *fleet, _ size) *result {
	out := &result{}
	for i, cut := range []int64{200, 1500, 6000, 40000} {
		out.tail(ctx, f, fmt.Sprintf("cut-%d", i), func() error { return nil },
			func() error { return f.redis.cutTail(cut) })
	}
	for i := range 2 {
		behind, lose, err := f.redis.follower(ctx, i)
		if err != nil {
			out.stats.problem("a replica of Redis: %v", err)
			return out
		}
		out.tail(ctx, f, fmt.Sprintf("behind-%d", i), behind, lose)
	}
	out.add("Redis lost its newest writes %d times, in the middle of %d runs each, right behind %d questions each", 6,
		tailRuns, tailQuestions)
	return out
}

// tail has Redis lose its newest writes, and follows all readers to the end. Behind is called before the last of them,
// lose when Redis is away.
func (r *result) tail(ctx context.Context, f *fleet, name string, behind, lose func() error) {
	reading := r.readers()
	var runs, asks []*reader
	var all, asking sync.WaitGroup
	for i := range tailRuns {
		poster := reading.at(f.replicas[i%fleetSize], "long", fmt.Sprintf("%s-%d", name, i))
		watcher := reading.at(f.replicas[(i+1)%fleetSize], "long", poster.thread)
		runs = append(runs, poster, watcher)
		all.Go(func() {
			r.endsWell(poster.run(ctx, &agui.RunAgentInput{RunID: "r", Messages: []agui.Message{user("Tell")}}))
		})
		all.Go(func() {
			r.await(ctx, runBegan, poster)
			r.endsWell(watcher.follow(ctx))
		})
	}
	r.await(ctx, runInMiddle, runs...)
	if err := behind(); err != nil {
		r.stats.problem("%s: %v", name, err)
	}
	for i := range tailQuestions {
		asker := reading.at(f.replicas[i%fleetSize], "ask", fmt.Sprintf("%s-ask-%d", name, i))
		asks = append(asks, asker)
		asking.Go(func() {
			_, err := asker.run(ctx,
				&agui.RunAgentInput{RunID: "ask", Messages: []agui.Message{user("Book something")}})
			if err != nil {
				r.stats.problem("%s: %v", asker.thread, err)
			}
		})
	}
	asking.Wait()
	f.redis.kill()
	if err := errors.Join(lose(), f.redis.start(ctx)); err != nil {
		r.stats.problem("%s: %v", name, err)
		return
	}
	r.awaitReady(ctx, f)
	all.Wait()
	for i, reader := range runs {
		if i%2 == 0 {
			all.Go(func() { r.complete(ctx, f, reader, i) })
		}
	}
	for _, asker := range asks {
		all.Go(func() { r.asksAgain(ctx, asker) })
	}
	all.Wait()
	r.compareLogs(ctx, f)
}

// endsWell checks how a run ends for a reader when some of it may be lost.
func (r *result) endsWell(end agui.Event, err error) {
	if code := codeOf(end); err == nil && code != "" && code != string(errcode.RunLost) &&
		code != string(errcode.StoreUnavailable) {
		err = fmt.Errorf("it ends with %+v", end)
	}
	if err != nil {
		r.stats.problem("%v", err)
	}
}

// asksAgain checks that a reader with an old cursor comes to the question again, unless the whole thread is lost.
func (r *result) asksAgain(ctx context.Context, asker *reader) {
	if status, err := asker.attachStatus(ctx); err != nil || status == http.StatusNotFound {
		return
	}
	late := r.readers().reader(nil, "ask", asker.thread)
	late.where = asker.where
	end, err := late.follow(ctx)
	if err == nil && len(questions(end)) != 1 {
		err = fmt.Errorf("it ends with %+v", end)
	}
	if err != nil {
		r.stats.problem("%s: %v", asker.thread, err)
	}
}

// compareLogs compares every thread with its log.
func (r *result) compareLogs(ctx context.Context, f *fleet) {
	if f.redis == nil {
		return // a transaction of a file writes both
	}
	n, wrong, err := redisstore.CompareLogs(ctx, f.redis.url(), redisstore.Options{}, 1_000_000)
	if err != nil {
		r.stats.problem("threads were not compared with their logs: %v", err)
	}
	for _, d := range wrong {
		r.stats.problem("of %d threads %+v does not agree with its log", n, d)
	}
}

// cutTail takes the last bytes of the file that a Redis which is away has appended to.
func (d *database) cutTail(bytes int64) error {
	files, err := filepath.Glob(filepath.Join(d.dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no file to cut: %w", err)
	}
	slices.Sort(files)
	last := files[len(files)-1]
	info, err := os.Stat(last)
	if err != nil {
		return err
	}
	return os.Truncate(last, max(0, info.Size()-bytes))
}

// follower starts a replica of the Redis. Behind has it stop to follow, and lose has it take the place of the Redis,
// which is away then.
func (d *database) follower(ctx context.Context, n int) (behind, lose func() error, err error) {
	dir := filepath.Join(d.dir, "replica-"+strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	replica, err := startDatabase(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	host, port, _ := strings.Cut(d.addr, ":")
	if _, err := replica.ask(ctx, "REPLICAOF", host, port); err != nil {
		return nil, nil, err
	}
	if err := replica.awaitInfo(ctx, "master_link_status:up", "aof_rewrite_in_progress:0",
		"aof_rewrite_scheduled:0"); err != nil {
		return nil, nil, err
	}
	return func() error {
			_, err := replica.ask(ctx, "REPLICAOF", "NO", "ONE")
			return err
		}, func() error {
			replica.stop()
			d.dir = dir
			return nil
		}, nil
}

// awaitInfo waits until the Redis says all of this of itself.
func (d *database) awaitInfo(ctx context.Context, says ...string) error {
	var info any
	for deadline := time.Now().Add(hungAfter); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var err error
		if info, err = d.ask(ctx, "INFO", "everything"); err != nil {
			return err
		}
		if !slices.ContainsFunc(says, func(text string) bool { return !strings.Contains(fmt.Sprint(info), text) }) {
			return nil
		}
	}
	return fmt.Errorf("the Redis does not say %v of itself: %v", says, info)
}
