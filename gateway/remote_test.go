package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

func TestAQuestionTwoGatewaysDeepIsAnsweredFromTheOutermost(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %v", restart), func(t *testing.T) {
			t.Parallel()
			store := closeLast(t, memstore.New(memstore.Options{}))
			keep := func(o *gateway.Options) { o.Store = store }
			front, middle, inner := chain(t, "both", keep)
			questions := front.post("front", input("t", "r1", []string{"u1:go"})).interrupts()
			if len(questions) != 2 {
				t.Fatalf("%d questions", len(questions))
			}
			for _, q := range questions {
				var where struct{ Path, Key string }
				if err := json.Unmarshal(q.Metadata["groupchat"], &where); err != nil || where.Path != "far.inner" || len(q.ResponseSchema) == 0 {
					t.Errorf("asked by %+v with %s", where, q.ResponseSchema)
				}
			}
			deadline := map[string]bool{}
			for _, i := range inner.onlyThread().Interrupts {
				deadline[i.ExpiresAt] = true
			}
			if !deadline[questions[0].ExpiresAt] || !deadline[questions[1].ExpiresAt] {
				t.Errorf("open until %s and %s, there %v", questions[0].ExpiresAt, questions[1].ExpiresAt, deadline)
			}
			if restart {
				middle.close()
				if err := front.g.Close(); err != nil {
					t.Fatal(err)
				}
				middle.open()
				front = newFront(t, middle, keep)
			}
			r := front.post("front", input("t", "r2", nil, resumeOf(map[string]string{questions[0].ID: "S", questions[1].ID: "L"})))
			r.finished()
			d := front.shows("t")
			if got := canonical(t, d.State); got != `{"far":{"inner":{"colour":"L","size":"S"}}}` {
				t.Errorf("state %s", got)
			}
			for _, text := range []string{"Taking S.", "Taking L."} {
				if n := said(d)[text]; n != 1 {
					t.Errorf("%q is there %d times", text, n)
				}
			}
			for _, asked := range middle.runs() {
				if asked != "POST /agents/relay?disconnect=detach" {
					t.Errorf("asked by %s", asked)
				}
			}
		})
	}
}

// A thread may belong to an agent elsewhere: its state and its conversation are then all there is.
func TestARemoteIsAnAgentOfItsOwn(t *testing.T) {
	t.Parallel()
	inner := newInner(t)
	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: inner.url + "/agents/desk", Description: "Far away"})
	if err != nil {
		t.Fatal(err)
	}
	front := newWorld(t, func(o *gateway.Options) {
		o.Agents, o.Agent, o.Legacy, o.Now = map[string]groupchat.Agent{"front": far}, nil, "front", time.Now
	})
	inner.release() // the desk's second speaker waits
	question := front.post("front", input("t", "r1", []string{"u1:go"})).interrupts()[0]
	front.post("front", input("t", "r2", nil, resumeOf(map[string]string{question.ID: "M"}))).finished()
	d := front.shows("t")
	there := inner.onlyThread()
	if got, want := canonical(t, d.State), canonical(t, there.State); got != want {
		t.Errorf("state %s, there %s", got, want)
	}
	if got, want := textOf(t, d.Messages), textOf(t, there.Messages); !slices.Equal(got, want) {
		t.Errorf("messages\n%s\nthere\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// After any action of a front, its remote thread is the same, and continues where it was.
func TestAConversationThroughGateways(t *testing.T) {
	t.Parallel()
	front, _, inner := chain(t, "echo")
	for i := 1; i <= 3; i++ {
		front.post("front", input("t", fmt.Sprint("r", i), []string{fmt.Sprintf("u%d:hello %d", i, i)})).finished()
	}
	d := front.shows("t")
	for i := 1; i <= 3; i++ {
		if n := said(d)[fmt.Sprintf("You said: hello %d", i)]; n != 1 {
			t.Errorf("answer %d is there %d times", i, n)
		}
	}
	if got := canonical(t, d.State); got != `{"far":{"inner":{"turns":3}}}` {
		t.Errorf("state %s", got)
	}
	if _, body := inner.call(http.MethodGet, "/threads", ""); strings.Count(body, `"id"`) != 1 {
		t.Errorf("threads of the innermost: %s", body)
	}
}

func TestFrontendCallsThroughGateways(t *testing.T) {
	t.Parallel()
	front, _, _ := chain(t, "map")
	tools := `"tools":[{"name":"show_map","description":"a map"},{"name":"show_sky","description":"the sky"}]`
	for run, want := range []string{"", "shown 1", "shown 2"} {
		messages := `"messages":[{"id":"u1","role":"user","content":"go"}`
		for i, c := range pendingCalls(front.thread("t")) {
			messages += fmt.Sprintf(`,{"id":"x%d-%d","role":"tool","toolCallId":%s,"content":%s}`, run, i, quote(c), quote(want))
		}
		body := fmt.Sprintf(`{"protocolVersion":"1.0","threadId":"t","runId":"r%d",%s],%s}`, run, messages, tools)
		front.post("front", body).finished()
	}
	if d := front.shows("t"); said(d)["Seen: shown 1, shown 2."] != 1 {
		t.Errorf("said %v", said(d))
	}
}

func TestAStopReachesTheInnermost(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"stop", "hang up"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			front, _, inner := chain(t, "slow", func(o *gateway.Options) { o.HangUpGrace = 10 * time.Millisecond })
			r := front.begin(http.MethodPost, "/agents/front", input("t", "r", []string{"u1:go"}))
			defer r.hangUp()
			r.until(agui.TypeCustom)
			if how == "stop" {
				if status, body := front.call(http.MethodPost, "/threads/t/stop", "{}"); status != http.StatusOK {
					t.Fatalf("%d %s", status, body)
				}
			} else {
				r.hangUp()
			}
			front.idle("t")
			eventually(t, "the innermost run is stopped", func() bool {
				_, body := inner.call(http.MethodGet, "/threads?status=running", "")
				_, all := inner.call(http.MethodGet, "/threads", "")
				return !strings.Contains(body, `"id"`) && strings.Contains(all, `"id"`)
			})
		})
	}
}

// The answer was claimed, and never got there: it is open again, and given again it arrives once.
func TestAnAnswerThatDoesNotArriveCanBeGivenAgain(t *testing.T) {
	t.Parallel()
	front, middle, _ := chain(t, "ask")
	question := front.post("front", input("t", "r1", []string{"u1:go"})).interrupts()[0]
	answer := resumeOf(map[string]string{question.ID: "M"})
	for name, fault := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"nobody is there": func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		},
		"it is cut": func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/agents/") {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n")
				return true
			}
			return false
		},
		"it has forgotten": func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/agents/") {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"+
					"data: {\"type\":\"RUN_ERROR\",\"message\":\"no\",\"code\":\"interrupt_not_found\"}\n\n")
				return true
			}
			return false
		},
	} {
		middle.takeOver(fault)
		if code := front.post("front", input("t", "r2", nil, answer)).code(); code != string(errcode.RemoteFailed) {
			t.Fatalf("%s: code %s", name, code)
		}
		if d := front.thread("t"); d.Status != string(state.StatusInterrupted) || len(d.Interrupts) != 1 {
			t.Fatalf("%s: thread is %s", name, d.Status)
		}
	}
	middle.takeOver(nil)
	front.post("front", input("t", "r3", nil, answer)).finished()
	if d := front.shows("t"); said(d)["Taking M."] != 1 || canonical(t, d.State) != `{"far":{"inner":{"size":"M"}}}` {
		t.Errorf("said %v, state %s", said(d), d.State)
	}
}

// A replica that dies before, while or after it delivers an answer is followed by one that delivers the same one: the
// remote acts on it once.
func TestACrashWhileAnAnswerIsDelivered(t *testing.T) {
	t.Parallel()
	for _, arrived := range []bool{false, true} {
		t.Run(fmt.Sprintf("arrived %v", arrived), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { aCrashWhileAnAnswerIsDelivered(t, arrived) })
		})
	}
}

func aCrashWhileAnAnswerIsDelivered(t *testing.T, arrived bool) {
	net := newNetwork()
	inner := net.newInner(t)
	middle := newHouseOn(t, net, map[string]groupchat.Agent{"relay": through(t, "inner", inner.url+"/agents/ask", net.reached)})
	shared := closeLast(t, memstore.New(memstore.Options{}))
	door := newMortal(shared)
	var once sync.Once
	bury := func() { once.Do(func() { close(door.buried) }) }
	defer bury()
	replica := func(store state.Store) *world {
		return newFront(t, middle, func(o *gateway.Options) {
			o.Store, o.Shared, o.NewID = store, true, nil
		})
	}
	a, b := replica(door), replica(shared)
	question := a.post("front", input("t", "r1", []string{"u1:go"})).interrupts()[0]

	dies, delivered := make(chan struct{}), make(chan struct{})
	var first sync.Once
	middle.takeOver(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/agents/") {
			return strings.HasSuffix(r.URL.Path, "/stop") // the dead stop nothing
		}
		mine := false
		first.Do(func() { mine = true })
		if !mine {
			return false
		}
		if arrived {
			middle.in.Load().ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = io.Copy(io.Discard, r.Body) // net/http hears of a hang-up behind the body only
		close(dies)
		<-r.Context().Done()
		close(delivered)
		return true
	})
	owner := a.begin(http.MethodPost, "/agents/front?disconnect=detach", input("t", "r2", nil, resumeOf(map[string]string{question.ID: "M"})))
	defer owner.hangUp()
	<-dies
	close(door.dead)
	var d threadDoc
	eventually(t, "another replica ends the run", func() bool {
		d = b.thread("t")
		return len(d.Runs) > 0 && d.Runs[0].Status == "success"
	})
	if said(d)["Taking M."] != 1 || said(d)["One question first."] != 1 || canonical(t, d.State) != `{"far":{"inner":{"size":"M"}}}` {
		t.Errorf("said %v, state %s", said(d), d.State)
	}
	if _, body := inner.call(http.MethodGet, "/threads", ""); strings.Count(body, `"id"`) != 1 {
		t.Errorf("threads of the innermost: %s", body)
	}
	bury()
	owner.hangUp()
	<-delivered
	b.shows("t")
}

// A turn that is retried, because the first answer was cut, runs again there: text that no reader here got is not the
// answer.
func TestATurnThatIsTriedAgainIsTakenAnewThere(t *testing.T) {
	t.Parallel()
	middle := newHouse(t, map[string]groupchat.Agent{"echo": groupchat.AgentFunc(echoes)})
	team := through(t, "far", middle.URL+"/agents/echo")
	team.Participants[0].OnError.Retries = 1
	front := newWorld(t, func(o *gateway.Options) {
		o.Agents, o.Agent, o.Legacy, o.Now = map[string]groupchat.Agent{"front": team}, nil, "front", time.Now
	})
	var first sync.Once
	middle.takeOver(func(w http.ResponseWriter, r *http.Request) bool {
		mine := false
		if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/agents/") {
			first.Do(func() { mine = true })
		}
		if mine {
			heard := httptest.NewRecorder()
			middle.in.Load().ServeHTTP(heard, r)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, strings.SplitAfterN(heard.Body.String(), "\n\n", 3)[0]) // and cut
		}
		return mine
	})
	front.post("front", input("t", "r1", []string{"u1:hello"})).finished()
	d := front.shows("t")
	if said(d)["You said: hello"] != 1 || canonical(t, d.State) != `{"far":{"turns":1}}` {
		t.Errorf("said %v, state %s", said(d), d.State)
	}
	if n := len(middle.runs()); n != 2 {
		t.Errorf("asked for %d runs", n)
	}
}

// A replica that drains leaves the remote's run alone, and the next one joins it.
func TestAHandoverJoinsTheRemoteRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, aHandoverJoinsTheRemoteRun)
}

func aHandoverJoinsTheRemoteRun(t *testing.T) {
	net := newNetwork()
	inner := net.newInner(t)
	middle := newHouseOn(t, net, map[string]groupchat.Agent{"relay": through(t, "inner", inner.url+"/agents/slow", net.reached)})
	shared := closeLast(t, memstore.New(memstore.Options{}))
	replica := func() *world {
		return newFront(t, middle, func(o *gateway.Options) {
			o.Store, o.Shared, o.NewID = shared, true, nil
		})
	}
	a, b := replica(), replica()
	r := a.begin(http.MethodPost, "/agents/front?disconnect=detach", input("t", "r", []string{"u1:go"}))
	defer r.hangUp()
	r.until(agui.TypeCustom)
	if err := a.g.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the remote is asked again", func() bool { return len(middle.runs()) == 2 })
	inner.release()
	eventually(t, "the run ends", func() bool {
		d := b.thread("t")
		return len(d.Runs) > 0 && d.Runs[0].Status == "success"
	})
	b.shows("t")
	if _, body := inner.call(http.MethodGet, "/threads", ""); strings.Count(body, `"id"`) != 1 {
		t.Errorf("threads of the innermost: %s", body)
	}
	middle.mu.Lock()
	defer middle.mu.Unlock()
	for _, asked := range middle.asked {
		if strings.Contains(asked, "/stop") {
			t.Errorf("asked %s", asked)
		}
	}
}

// A question that was given up here, and not there, is called off before anything else is asked.
func TestAQuestionGivenUpHereIsCalledOffThere(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	front, middle, _ := chain(t, "ask", func(o *gateway.Options) {
		o.InterruptTTL = time.Minute
		o.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	front.post("front", input("t", "r1", []string{"u1:go"})).interrupts()
	later.Store(int64(2 * time.Minute))
	question := front.post("front", input("t", "r2", []string{"u1:go", "u2:again"})).interrupts()[0]
	front.post("front", input("t", "r3", nil, resumeOf(map[string]string{question.ID: "L"}))).finished()
	if d := front.shows("t"); said(d)["Taking L."] != 1 {
		t.Errorf("said %v", said(d))
	}
	if n := len(middle.runs()); n != 5 {
		t.Errorf("asked for %d runs: one, refused, called off, again, answered", n)
	}
}

// The headers that are forwarded by name go all the way, and are kept nowhere.
func TestHeadersGoThrough(t *testing.T) {
	t.Parallel()
	inner := newHouse(t, map[string]groupchat.Agent{"echo": groupchat.AgentFunc(echoes)})
	tenant := func(o *groupchat.RemoteOptions) { o.Forward = []string{"x-tenant"} }
	middle := newHouse(t, map[string]groupchat.Agent{"relay": through(t, "inner", inner.URL+"/agents/echo", tenant)})
	var got []string
	var mu sync.Mutex
	inner.takeOver(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("X-Tenant")+r.Header.Get("X-Other"))
		return false
	})
	front := newWorld(t, func(o *gateway.Options) {
		o.Agents = map[string]groupchat.Agent{"front": through(t, "far", middle.URL+"/agents/relay", tenant)}
		o.Agent, o.Legacy = nil, "front"
	})
	r := front.open(http.MethodPost, "/agents/front", input("t", "r", []string{"u1:go"}), "X-Tenant", "acme", "X-Other", "no")
	r.rest()
	r.finished()
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 2 || got[0] != "acme" || got[1] != "acme" { // capabilities, and the run
		t.Errorf("headers %q", got)
	}
	for _, h := range []*house{inner, middle} {
		if kept := everyThread(t, h.store); strings.Contains(kept, "acme") {
			t.Errorf("kept: %s", kept)
		}
	}
}
