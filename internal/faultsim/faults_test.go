package faultsim

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/store"
)

// traced says that a failed simulation prints all of its trace.
var traced = os.Getenv("FAULTS_TRACE") != ""

// TestFaults runs simulations: that of FAULTS_SEED and those after it, for FAULTS_SECONDS, or a few.
func TestFaults(t *testing.T) {
	seed := seedOf(t)
	seconds, _ := strconv.Atoi(os.Getenv("FAULTS_SECONDS")) // none means a few
	began, n := time.Now(), 0
	for ; n < 3 || time.Since(began) < time.Duration(seconds)*time.Second; n++ {
		if seconds == 1 && n > 0 || t.Failed() {
			break
		}
		var w *world
		synctest.Test(t, func(t *testing.T) { w = simulate(t, seed+uint64(n)) })
		w.register.check()
		w.questions.check()
		w.checkLogs()
		t.Logf("histories: %d calls of the register, %d of questions, %d of logs", w.register.count(), w.questions.count(), w.logs.count())
		w.report(t)
	}
	t.Logf("%d simulations from FAULTS_SEED=%d", n, seed)
}

// seedOf returns FAULTS_SEED, 1 without it, and a new seed if it is empty.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	text, set := os.LookupEnv("FAULTS_SEED")
	if !set {
		return 1
	}
	if text == "" {
		return rand.Uint64() >> 16
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// simulate runs one simulation.
func simulate(t *testing.T, seed uint64) *world {
	w := newSimulation(t, seed)
	w.register.begin()
	w.quiet.Store(false)
	var actors sync.WaitGroup
	actors.Go(w.nemesis)
	for i, agent := range []string{"desk", "till", "desk", "till"} {
		c := w.client(fmt.Sprintf("c%d", i), agent, fmt.Sprintf("t%d", i))
		actors.Go(c.live)
	}
	for i := range 3 {
		actors.Go(func() { w.register.use(i) })
	}
	actors.Wait()
	s := store.New(w.cluster.Replica(), store.Options{})
	w.audit(s)
	for _, r := range w.all {
		r.close()
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return w
}

// audit checks what the store has at the end.
func (w *world) audit(s state.Store) {
	ctx := context.Background()
	for cursor := ""; ; {
		page, err := s.List(ctx, state.Query{Principal: "local", Cursor: cursor})
		if err != nil {
			w.problem("List() = %v", err)
			return
		}
		for _, t := range page.Threads {
			w.auditThread(ctx, s, t.Key)
		}
		if cursor = page.Next; cursor == "" {
			return
		}
	}
}

// auditThread compares the newest end in a thread's log with the thread, and looks for words that were said twice.
func (w *world) auditThread(ctx context.Context, s state.Store, key state.Key) {
	snapshot, err := s.Snapshot(ctx, key)
	for err == nil && snapshot.Thread.Live != nil && time.Now().Before(w.deadline()) { // a request may have been on its way for long
		time.Sleep(time.Second)
		snapshot, err = s.Snapshot(ctx, key)
	}
	if err != nil {
		w.problem("%s: Snapshot() = %v", key.ID, err)
		return
	}
	t := snapshot.Thread
	if t.Live != nil {
		w.problem("%s: run %s has no end", key.ID, t.Run.RunID)
		return
	}
	messages, err := snapshot.Messages.Messages()
	if err != nil {
		w.problem("%s: %v", key.ID, err)
	}
	said := map[string]int{}
	for _, m := range messages {
		if text := m.Content.Text(); strings.HasPrefix(text, "Paid ") {
			if said[text]++; said[text] > 1 {
				w.problem("%s: %q is said %d times", key.ID, text, said[text])
			}
		}
	}
	if t.Run == nil || t.Last.IsZero() {
		return
	}
	var last state.Frame
	for batch, err := range s.Tail(ctx, key, state.FrameID{}) {
		if err != nil {
			w.problem("%s: Tail() = %v", key.ID, err)
			return
		}
		for _, f := range batch {
			if f.Type != state.TypeTrace {
				last = f
			}
		}
		if batch[len(batch)-1].ID == t.Last {
			break
		}
	}
	if got := endOf(last); got != string(t.Run.Status) {
		w.problem("%s: the log ends with %s %q at %s, and by the thread's record run %s is %s", key.ID, last.Type, got, last.ID, t.Run.RunID, t.Run.Status)
	}
}

// endOf returns the status of the run that a frame ends.
func endOf(f state.Frame) string {
	if f.Type == agui.TypeRunError {
		return string(state.RunError)
	}
	if f.Type != agui.TypeRunFinished {
		return "no end"
	}
	var e struct{ Outcome struct{ Type string } }
	if err := json.Unmarshal(f.Data, &e); err != nil {
		return err.Error()
	}
	return e.Outcome.Type
}
