package faultsim

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/statetest/simstore"
	"github.com/agui-gateway/gateway/state/store"
)

const (
	// lasts is the time of faults, and settles how long everything may take after that.
	lasts   = time.Minute
	settles = 10 * time.Minute
	// forever is until after the year 2262, which nanoseconds of 64 bits end with.
	forever = 270 * 365 * 24 * time.Hour
)

// rates are probabilities in percent.
type rates struct {
	store, hang        float64 // of a call of the store
	network, slow, cut float64 // of a request
	nemesis            float64 // of a fault of a process or of the store, each second
	losses             bool    // whether the store loses changes
}

// A world is one simulation.
type world struct {
	t       *testing.T
	dice    *dice
	rates   rates
	cluster *simstore.Cluster
	began   time.Time
	lease   time.Duration
	open    func(*replica, *slog.Logger) (state.Store, error) // opens the store of a process
	quiet   atomic.Bool                                       // no fault happens

	mu        sync.Mutex
	all       []*replica // that were ever started
	serving   []*replica
	gone      time.Time // until when the store is away
	lost      bool      // whether the store lost changes
	broken    bool      // whether any fault happened
	visits    int
	effects   []effect
	trace     []string
	problems  []string
	allowed   permissions
	register  *register
	questions *histories // by the interrupt
	logs      *histories // by the thread
	losses    []porcupine.Operation
	tags      map[string]bool // of the writes that the store made
	ticks     int64
	failures  map[string]bool // by client
}

// newWorld returns a world without replicas and faults.
func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, dice: &dice{seed: seed}, began: time.Now(), lease: 5 * time.Second, failures: map[string]bool{}, tags: map[string]bool{}}
	w.quiet.Store(true)
	w.allowed.init()
	w.register = &register{histories: w.newHistories("register", registers), thread: "register"}
	w.questions = w.newHistories("question", questions.ToModel())
	w.logs = w.newHistories("log", logs)
	return w
}

// newSimulation returns a world with a simulated store and two or three replicas.
func newSimulation(t *testing.T, seed uint64) *world {
	w := newWorld(t, seed)
	w.cluster = simstore.New(simstore.Options{})
	w.open = func(r *replica, log *slog.Logger) (state.Store, error) {
		return store.New(&backend{Replica: w.cluster.Replica(), r: r}, store.Options{Logger: log}), nil
	}
	r := w.dice.next("rates")
	if chance(r, 80) { // the others have no fault
		w.rates = rates{
			store: r.Float64() * 3, hang: r.Float64(), network: r.Float64() * 10, slow: r.Float64() * 20, cut: r.Float64() * 30,
			nemesis: r.Float64() * 12, losses: chance(r, 40),
		}
	}
	for i := range 2 + r.IntN(2) {
		w.serving = append(w.serving, w.start(fmt.Sprintf("r%d.0", i)))
	}
	return w
}

// healed reports whether faults are over.
func (w *world) healed() bool { return w.quiet.Load() || w.over() }

// deadline is when every run is over and every reader has ended.
func (w *world) deadline() time.Time {
	if w.cluster == nil {
		return w.began.Add(patience)
	}
	return w.began.Add(lasts + settles)
}

// over reports whether nothing new is begun.
func (w *world) over() bool { return time.Since(w.began) > lasts }

func (w *world) away() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.gone)
}

// replica returns the process at an address, nil if none answers there.
func (w *world) replica(host string) *replica {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.serving, func(r *replica) bool { return "r"+host == r.name[:2] })
	if i < 0 {
		return nil
	}
	return w.serving[i]
}

// hosts returns how many addresses there are.
func (w *world) hosts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.serving)
}

// tick returns the next moment of the order in which calls begin and end.
func (w *world) tick() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticks++
	return w.ticks
}

func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visits++
	return w.visits
}

// logf adds a line to the trace of the simulation.
func (w *world) logf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, fmt.Sprintf("%8.3f ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
}

// fault notes that one happened.
func (w *world) fault(format string, args ...any) {
	w.logf(format, args...)
	w.mu.Lock()
	w.broken = true
	w.mu.Unlock()
}

// problem notes a violation.
func (w *world) problem(format string, args ...any) {
	w.logf("PROBLEM: "+format, args...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// report fails the test with the problems, and with the newest lines of the trace.
func (w *world) report(t *testing.T) {
	t.Helper()
	if len(w.problems) == 0 {
		return
	}
	const newest = 200
	trace := w.trace[max(0, len(w.trace)-newest):]
	if traced {
		trace = w.trace
	}
	t.Errorf("FAULTS_SEED=%d: %d problems:\n%s\ntrace:\n%s", w.dice.seed, len(w.problems), strings.Join(w.problems, "\n"), strings.Join(trace, "\n"))
}

// nemesis makes the faults of processes and of the store, until they are over.
func (w *world) nemesis() {
	for n := 0; !w.over(); n++ {
		time.Sleep(time.Second)
		r := w.dice.next("nemesis")
		if !chance(r, w.rates.nemesis) {
			continue
		}
		w.mu.Lock()
		i := r.IntN(len(w.serving))
		victim := w.serving[i]
		w.mu.Unlock()
		switch r.IntN(4) {
		case 0:
			w.fault("%s is killed", victim.name)
			victim.kill()
			time.Sleep(between(r, 0, 8*time.Second))
			next := w.start(fmt.Sprintf("r%d.%d", i, n+1))
			w.mu.Lock()
			w.serving[i] = next
			w.mu.Unlock()
			w.logf("%s is started", next.name)
		case 1:
			w.fault("%s is frozen", victim.name)
			victim.freeze()
			time.Sleep(between(r, time.Second, 3*w.lease))
			victim.thaw()
			w.logf("%s thaws", victim.name)
		case 2:
			away := between(r, 100*time.Millisecond, 12*time.Second)
			w.fault("the store is away for %v", away)
			w.mu.Lock()
			w.gone = time.Now().Add(away)
			w.mu.Unlock()
		case 3:
			if w.rates.losses {
				w.lose(between(r, 0, time.Second))
			}
		}
	}
}

// lose takes back the newest writes.
func (w *world) lose(lag time.Duration) {
	w.mu.Lock()
	w.lost = true
	w.mu.Unlock()
	began := w.tick()
	n := w.cluster.Lose(time.Now().Add(-lag))
	lost := porcupine.Operation{ClientId: 2, Input: loss{}, Call: began, Return: w.tick()}
	w.mu.Lock()
	w.losses = append(w.losses, lost)
	w.mu.Unlock()
	w.fault("the store loses %d changes of the last %v", n, lag)
}
