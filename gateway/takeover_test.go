package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A mortal store is one replica's door to a store that others share. Once it has died nothing of that replica gets
// through any more, and it hears nothing either.
type mortal struct {
	door
	dead, buried chan struct{}
}

func newMortal(shared state.Store) *mortal {
	m := &mortal{dead: make(chan struct{}), buried: make(chan struct{})}
	m.door = door{Store: shared, shut: m.alive}
	return m
}

func (m *mortal) alive() error {
	select {
	case <-m.dead:
		<-m.buried
		return state.ErrLeaseLost
	default:
		return nil
	}
}

func (m *mortal) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	select {
	case <-m.dead:
		return nil, nil // a dead replica takes nothing over
	default:
		return m.Store.Overdue(ctx, limit)
	}
}

// crew is a team of two: the first is quick, the second pays once, says half a sentence, and waits at gate.
// Before that it does what begins says, if that is not nil.
func crew(gate <-chan struct{}, paid *atomic.Int64, begins func(*groupchat.Turn) error) *groupchat.Chat {
	return &groupchat.Chat{
		Manager: groupchat.Sequential(),
		Participants: []groupchat.Participant{
			{Name: "first", Agent: groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error {
				return groupchat.SayOnce(t, "hello", "I am first.")
			})},
			{Name: "second", Agent: groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
				n, err := groupchat.Once(t, "pay", func() (int64, error) { return paid.Add(1), nil })
				if err != nil {
					return err
				}
				if err := t.State().Set("/paid", n); err != nil {
					return err
				}
				if begins != nil {
					if err := begins(t); err != nil {
						return err
					}
				}
				text := t.Text()
				if _, err := text.WriteString("I paid "); err != nil {
					return err
				}
				select {
				case <-gate:
				case <-ctx.Done():
					return ctx.Err()
				}
				if _, err := text.WriteString("once."); err != nil {
					return err
				}
				return text.Close()
			})},
		},
	}
}

// replica starts, in a bubble, a gateway on a shared store, with a crew that waits at its own gate.
func replica(t *testing.T, store state.Store, paid *atomic.Int64, attempts int) *world {
	return replicaOf(t, store, attempts, func(gate <-chan struct{}) *groupchat.Chat { return crew(gate, paid, nil) })
}

// replicaOf is replica with another crew.
func replicaOf(t *testing.T, store state.Store, attempts int, crew func(gate <-chan struct{}) *groupchat.Chat, change ...func(*gateway.Options)) *world {
	var w *world
	gate := make(chan struct{}, 1)
	w = newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.RunAttempts = store, true, nil, attempts
		o.NewID = nil
		o.Agents = map[string]groupchat.Agent{"crew": crew(gate)}
		o.Agent = nil
		o.Legacy = "crew"
		for _, f := range change {
			f(o)
		}
	})
	w.gate = gate
	return w
}

func TestARunWhoseReplicaDiedGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aRunWhoseReplicaDiedGoesOnElsewhere)
}

func aRunWhoseReplicaDiedGoesOnElsewhere(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	var paid atomic.Int64
	door := newMortal(shared)
	defer close(door.buried) // before its gateway is closed
	kept := &commits{Store: shared}
	a := replicaOf(t, door, 3, func(gate <-chan struct{}) *groupchat.Chat {
		return crew(gate, &paid, func(t *groupchat.Turn) error { return streamCall(t, "made-1") })
	})
	b := replica(t, kept, &paid, 3)

	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer owner.hangUp()
	owner.hears("I paid ")
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.hears("I paid ")

	close(door.dead)
	result, ok := watcher.until(agui.TypeToolCallResult).(*agui.ToolCallResult)
	if !ok || result.ToolCallID != "made-1" || result.Content.Text() != string(errcode.RunMoved) {
		t.Errorf("the call of the turn that is withdrawn has the result %+v, want %s", result, errcode.RunMoved)
	}
	watcher.until(agui.TypeMessagesSnapshot)
	d := b.thread("t")
	watcher.equals(d) // what the dead replica said half of is withdrawn
	if len(d.Messages) != 2 {
		t.Errorf("messages after the takeover = %+v, want the request and one of the team's", d.Messages)
	}
	b.gate <- struct{}{}
	watcher.rest()
	watcher.equals(b.thread("t"))
	for i, messages := range kept.messages() {
		if slices.ContainsFunc(messages, func(m agui.Message) bool { return m.Content.Text() == "I am first." }) {
			t.Errorf("commit %d after the takeover has what was kept before: %v", i, messages)
		}
	}
	if watcher.finished().Outcome.Type != agui.OutcomeSuccess {
		t.Errorf("outcome = %+v", watcher.finished().Outcome)
	}
	if paid.Load() != 1 {
		t.Errorf("paid %d times", paid.Load())
	}
	status, body := b.call(http.MethodGet, "/threads/t", "")
	if status != http.StatusOK || strings.Count(body, "I am first.") != 1 || strings.Count(body, "I paid once.") != 1 {
		t.Errorf("thread = %d %s", status, body)
	}
	moved := 0
	for _, e := range watcher.events {
		if s, ok := e.(*agui.SubagentError); ok && s.Code == string(errcode.RunMoved) {
			moved++
		}
	}
	if moved != 1 {
		t.Errorf("%d subagents were told that the run moved, want 1", moved)
	}
	again := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer again.hangUp()
	again.rest()
	again.equals(b.thread("t"))
}

// A commits is a store that remembers the messages of its commits.
type commits struct {
	state.Store
	mu  sync.Mutex
	all [][]agui.Message
}

func (s *commits) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	s.mu.Lock()
	s.all = append(s.all, c.Messages)
	s.mu.Unlock()
	return s.Store.Commit(ctx, l, c)
}

func (s *commits) messages() [][]agui.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// A run of an agent that this replica does not serve is left, for a while, to others that may serve it.
func TestARunIsLeftToThoseWhoServeItsAgent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newDesktop(t, func(o *gateway.Options) { o.Shared = true })
		defer a.close()
		b := newDesktop(t, func(o *gateway.Options) {
			sharing(a.store)(o)
			delete(o.Agents, "slow")
		})
		defer b.close()
		a.serve(newSink(), "POST", "/agents/slow?disconnect=detach", input("t", "r1", []string{"u1:Hi"}))
		a.drain()
		time.Sleep(45 * time.Second) // four leases and a half
		if got := a.status("slow"); got != state.RunRunning {
			t.Errorf("after less than five leases the run is %s", got)
		}
		time.Sleep(30 * time.Second)
		if got := a.status("slow"); got != state.RunError {
			t.Errorf("after more than five leases the run is %s", got)
		}
	})
}

// halfway begins a run of the crew at a replica that can die, in the run's second turn. It returns the replica that
// stays and the one that dies; leave is called at the end of the test.
func halfway(t *testing.T, attempts int) (stays *world, dies *mortal, leave func()) {
	t.Helper()
	shared := closeLast(t, memstore.New(memstore.Options{}))
	dies = newMortal(shared)
	var paid atomic.Int64
	a := replica(t, dies, &paid, attempts)
	stays = replica(t, shared, &paid, attempts)
	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
	owner.hears("I paid ")
	return stays, dies, func() {
		owner.hangUp()
		close(dies.buried) // before its gateway is closed
	}
}

func TestARunThatAttemptsDieOfIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aRunThatAttemptsDieOfIsLost)
}

func aRunThatAttemptsDieOfIsLost(t *testing.T) {
	b, door, leave := halfway(t, 1)
	defer leave()
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.until(agui.TypeRunStarted)
	close(door.dead)
	watcher.rest()
	if code := watcher.code(); code != string(errcode.RunLost) {
		t.Errorf("code = %q, want run_lost", code)
	}
	if _, body := b.call(http.MethodGet, "/threads/t", ""); !strings.Contains(body, `"status":"failed"`) {
		t.Errorf("thread = %s", body)
	}
}

func TestARunWhoseAgentNobodyServesAnyMoreIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aRunWhoseAgentNobodyServesAnyMoreIsLost)
}

func aRunWhoseAgentNobodyServesAnyMoreIsLost(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	var paid atomic.Int64
	door := newMortal(shared)
	defer close(door.buried) // before its gateway is closed
	a, b := replica(t, door, &paid, 3), replica(t, shared, &paid, 3)

	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer owner.hangUp()
	owner.hears("I paid ")
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.until(agui.TypeRunStarted)
	if _, err := b.g.Replace(map[string]groupchat.Agent{"other": crew(nil, &paid, nil)}, nil); err != nil {
		t.Fatal(err)
	}
	close(door.dead)
	watcher.rest()
	if code := watcher.code(); code != string(errcode.RunLost) {
		t.Errorf("code = %q, want run_lost", code)
	}
	if paid.Load() != 1 {
		t.Errorf("paid %d times", paid.Load())
	}
	if _, body := b.call(http.MethodGet, "/threads/t", ""); !strings.Contains(body, `"status":"failed"`) {
		t.Errorf("thread = %s", body)
	}
}

// hears reads up to a piece of text.
func (r *reader) hears(text string) {
	r.t.Helper()
	for {
		e := r.until(agui.TypeTextMessageContent)
		if c, ok := e.(*agui.TextMessageContent); ok && c.Delta == text {
			return
		}
	}
}

func TestADrainedRunIsHandedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aDrainedRunIsHandedOver)
}

func aDrainedRunIsHandedOver(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	var paid atomic.Int64
	a, b := replica(t, shared, &paid, 3), replica(t, shared, &paid, 3)

	owner := a.begin(http.MethodPost, "/agents/crew?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer owner.hangUp()
	owner.hears("I paid ")
	watcher := b.begin(http.MethodGet, "/threads/t/events?protocolVersion=1.0", "")
	defer watcher.hangUp()
	watcher.hears("I paid ")

	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.g.Drain(now); err == nil {
		t.Error("Drain() = nil, want the error of a drain that was cut short")
	}
	owner.rest()
	if code := owner.code(); code != string(errcode.Draining) {
		t.Errorf("the owner's reader is told %q, want draining", code)
	}
	b.gate <- struct{}{}
	watcher.rest()
	if watcher.finished().Outcome.Type != agui.OutcomeSuccess || paid.Load() != 1 {
		t.Errorf("outcome = %+v, paid %d times", watcher.finished().Outcome, paid.Load())
	}
}

// TestAllRunsOfADeadReplicaGoOnAtOnce has more overdue runs than one scan takes over: none of them waits for another
// half lease.
func TestAllRunsOfADeadReplicaGoOnAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, allRunsOfADeadReplicaGoOnAtOnce)
}

func allRunsOfADeadReplicaGoOnAtOnce(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	const runs = 250
	for i := range runs {
		_, err := shared.Begin(t.Context(), &state.Request{
			Key: state.Key{Principal: "local", Agent: "crew", ID: fmt.Sprint(i)}, RunID: "r", Hash: "h",
			Messages: []agui.Message{{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent("go")}},
		}, state.LeaseOptions{Attempt: "a"})
		if err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	var done sync.WaitGroup
	done.Add(runs)
	newBubbleWorld(t, func(o *gateway.Options) {
		o.Store, o.Shared, o.Now, o.Agent = shared, true, nil, nil
		o.NewID = nil
		o.Agents = map[string]groupchat.Agent{"crew": groupchat.AgentFunc(func(context.Context, *groupchat.Turn) error {
			done.Done()
			return nil
		})}
		o.Legacy = "crew"
	})
	done.Wait()
	if took := time.Since(begun); took > 0 {
		t.Errorf("the last of %d runs went on after %v, and nothing kept it", runs, took)
	}
}
