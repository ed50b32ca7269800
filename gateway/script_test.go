package gateway_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

// A case is a sequence of requests on a thread over HTTP, a step per line, with the result of each after "->". It is
// played on one gateway with a store in memory, and on two replicas on Redis that take turns.
//
//	run AGENT RUN WORD…          POST /agents/AGENT, its whole stream
//	page AGENT RUN WORD…         the same by CopilotKit's route
//	open NAME run|page …         the same, left open once the agent waits
//	wait NAME run|page …         the same, left open at once: the thread is busy
//	attach NAME [after NAME]     GET /threads/t/events, left open; after: with the last id that NAME was sent;
//	                             +follow: over runs
//	until NAME TYPE              that stream up to an event of the type
//	rest NAME                    the rest of that stream
//	hangup NAME                  its connection closes
//	release                      an agent that waits continues
//	idle                         nothing runs on the thread any more
//	runs                         the thread's runs, newest first
//	errors                       how many errors were logged
//	stop, delete, thread         of /threads/t
//	pagestop AGENT               POST /agent/AGENT/stop/t of CopilotKit's routes
//	fork [@OF] MESSAGE @THREAD   POST /threads/t/fork; the new thread is called THREAD from then on
//	title TEXT                   PATCH /threads/t
//	resume ANSWER…               POST /threads/t/resume
//	later DURATION               the clock is moved
//
// The words of a request are messages, by name: u1 is a user's, s1 a system's, d1 a developer's, and t1>c1 the result
// of call c1; u1=Well_then is one with a text. The gateway's messages are a1, a2, … in the order in which they were
// first seen, its questions are q1, …, its frontend calls c1, …; q1=M answers a question and q1! cancels it. @x names
// another thread than t, state=JSON is the client's state, and +edit, +regenerate, +detach and +old set these options.
//
// The result of a stream is success, interrupt, cancelled, plain (an end without an outcome), "error CODE", or "refused
// CODE" if it asks again; that of a JSON response its status, and its code. A thread is its status and its messages,
// followed by its state if the case names one.
type testCase struct {
	name  string
	steps string
}

// play plays cases on every kind of deployment.
func play(t *testing.T, cases []testCase) {
	t.Parallel()
	server := redistest.Start(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			t.Run("memory", func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					clock := statetest.NewClock()
					store := memstore.New(memstore.Options{Now: clock.Now})
					newScript(t, newBubbleWorld, clock, store).play(c.steps)
				})
			})
			t.Run("replicas", func(t *testing.T) {
				t.Parallel()
				clock, prefix := statetest.NewClock(), rand.Text()
				stores := make([]state.Store, 2)
				for i := range stores {
					s, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{
						Prefix: prefix, Now: clock.Now, Logger: slog.New(slog.DiscardHandler),
					})
					if err != nil {
						t.Fatal(err)
					}
					stores[i] = s
				}
				newScript(t, newWorld, clock, stores...).play(c.steps)
			})
		})
	}
}

// A script is a case being played.
type script struct {
	t        *testing.T
	replicas []*world
	turn     int
	streams  map[string]*reader
	ids      map[string]string // name → id
	names    map[string]string // id → name
	said     map[string]string // name → message as JSON
	count    map[string]int    // of the names that begin so
	step     string
	errors   atomic.Int64 // that were logged
}

// Enabled makes the script a handler of the log, which counts errors.
func (s *script) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle counts errors, and shows them.
func (s *script) Handle(_ context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		s.errors.Add(1)
	}
	line := []string{r.Level.String(), r.Message}
	r.Attrs(func(a slog.Attr) bool {
		line = append(line, a.String())
		return true
	})
	_, err := fmt.Fprintln(s.t.Output(), strings.Join(line, " "))
	return err
}

// WithAttrs is part of slog.Handler.
func (s *script) WithAttrs([]slog.Attr) slog.Handler { return s }

// WithGroup is part of slog.Handler.
func (s *script) WithGroup(string) slog.Handler { return s }

// newScript starts one gateway per store. Their agents share a gate, and their clock is that of the stores.
func newScript(t *testing.T, start func(*testing.T, ...func(*gateway.Options)) *world, clock *statetest.Clock, stores ...state.Store) *script {
	t.Helper()
	s := &script{
		t: t, streams: map[string]*reader{}, ids: map[string]string{}, names: map[string]string{}, said: map[string]string{}, count: map[string]int{},
	}
	gate := make(chan struct{}, 100)
	for _, store := range stores {
		closeLast(t, store)
		s.replicas = append(s.replicas, start(t, func(o *gateway.Options) {
			o.Store, o.Shared, o.Now, o.NewID = store, len(stores) > 1, clock.Now, nil
			o.Agents, o.StopGrace, o.HangUpGrace = agents(gate), soon, soon
			o.Agent["queue-ask"] = gateway.AgentOptions{OnBusy: gateway.Queue}
			maps.Copy(o.Agent, typedAnswers(gate))
			o.Log = slog.New(s)
		}))
	}
	s.replicas[0].gate, s.replicas[0].clock = gate, clock
	return s
}

// w returns the replica for the next step.
func (s *script) w() *world {
	w := s.replicas[s.turn%len(s.replicas)]
	s.turn++
	return w
}

func (s *script) play(steps string) {
	for step := range strings.Lines(steps) {
		step = strings.TrimSpace(step)
		if step == "" || strings.HasPrefix(step, "#") {
			continue
		}
		s.step = step
		do, want, _ := strings.Cut(step, "->")
		want = strings.Join(strings.Fields(want), " ")
		got := s.do(strings.Fields(do), want)
		s.learn()
		if got = s.named(got); got != want {
			s.t.Fatalf("%s\n   came to %s", step, got)
		}
	}
}

// do does one step and returns its result.
func (s *script) do(words []string, want string) string {
	switch verb := words[0]; verb {
	case "run", "page":
		r, answer := s.send(words)
		if r == nil {
			return answer
		}
		defer r.hangUp()
		r.rest()
		s.holds(r, words)
		return s.came(r)
	case "open", "wait":
		r, answer := s.send(words[2:])
		if r == nil {
			return answer
		}
		s.t.Cleanup(r.hangUp)
		s.streams[words[1]] = r
		if verb == "open" {
			r.until(agui.TypeCustom)
		}
		return want
	case "attach":
		return s.attach(words, want)
	case "until":
		s.streams[words[1]].until(agui.EventType(words[2]))
	case "rest":
		r := s.streams[words[1]]
		r.rest()
		return s.came(r)
	case "hangup":
		s.streams[words[1]].hangUp()
	case "release":
		s.replicas[0].release()
	case "idle":
		s.replicas[0].idle(s.threadOf(words))
	case "runs":
		var runs []string
		for _, run := range s.w().thread(s.threadOf(words)).Runs {
			runs = append(runs, run.RunID)
		}
		return strings.Join(runs, " ")
	case "errors":
		return fmt.Sprint(s.errors.Load())
	case "later":
		s.later(words[1])
	case "thread":
		return s.thread(words, want)
	default:
		return s.plain(words)
	}
	return want
}

// holds compares what the reader of a whole stream shows with the thread, if nothing runs there.
func (s *script) holds(r *reader, words []string) {
	if len(r.events) == 0 {
		return
	}
	_, failed := r.last().(*agui.RunError)
	d := s.replicas[0].thread(s.threadOf(words))
	if !failed && d.Status != "running" && d.ID != "" {
		r.equals(d)
	}
}

// came returns the result of a stream.
func (s *script) came(r *reader) string {
	if len(r.events) == 0 {
		return "nothing"
	}
	if _, started := r.events[0].(*agui.RunStarted); !started && r.records[0].ID == "" {
		s.t.Errorf("%s: the stream begins with %s", s.step, agui.TypeOf(r.events[0]))
	}
	refused := ""
	for _, e := range r.events {
		if c, ok := e.(*agui.Custom); ok && (c.Name == wire.CustomRefused || c.Name == wire.CustomFailed) {
			var v struct{ Code string }
			if err := json.Unmarshal(c.Value, &v); err != nil {
				s.t.Fatal(err)
			}
			refused = "refused " + v.Code
		}
	}
	switch e := r.last().(type) {
	case *agui.RunError:
		return "error " + e.Code
	case *agui.RunFinished:
		switch {
		case refused != "":
			return refused
		case e.Outcome == nil:
			return "plain"
		default:
			return string(e.Outcome.Type)
		}
	}
	return "no end"
}

// attach becomes a reader of the thread.
func (s *script) attach(words []string, want string) string {
	header := []string{}
	path := "/threads/" + s.threadOf(words) + "/events?protocolVersion=1.0"
	var before *reader
	for i, word := range words {
		switch word {
		case "after":
			before = s.streams[words[i+1]]
			header = append(header, "Last-Event-ID", before.cursorID())
		case "+follow":
			path += "&follow=1"
		}
	}
	ctx, cancel := s.patience()
	r := newReader(s.t, s.w().request(ctx, http.MethodGet, path, "", header...), cancel, "") //nolint:bodyclose // the reader closes it
	s.t.Cleanup(r.hangUp)
	if r.response.StatusCode != http.StatusOK {
		return fmt.Sprint(r.response.StatusCode)
	}
	s.streams[words[1]] = r
	if before != nil {
		r.goOnFrom(before)
	}
	return want
}

// thread is the thread in one line: in the shape of want, which may leave the state out.
func (s *script) thread(words []string, want string) string {
	d := s.w().thread(s.threadOf(words))
	if d.ID == "" {
		return "unknown"
	}
	s.replicas[0].shows(d.ID)
	line := []string{d.Status}
	for _, m := range d.Messages {
		line = append(line, m.ID)
	}
	if strings.Contains(want, "{") {
		line = append(line, canonical(s.t, d.State))
	}
	return strings.Join(line, " ")
}

// plain sends a request with a JSON response.
func (s *script) plain(words []string) string {
	path, method, body := "/threads/"+s.threadOf(words), http.MethodPost, ""
	switch words[0] {
	case "stop":
		path += "/stop"
	case "pagestop":
		path = pages + "/agent/" + words[1] + "/stop/" + s.threadOf(words)
	case "delete":
		method = http.MethodDelete
	case "title":
		method, body = http.MethodPatch, `{"title":`+quote(strings.Join(words[1:], " "))+`}`
	case "fork":
		of, at := "t", words[1]
		if strings.HasPrefix(at, "@") {
			of, at = s.ids[at], words[2]
		}
		path, body = "/threads/"+of+"/fork", `{"messageId":`+quote(s.id(at))+`}`
	case "resume":
		path, body = path+"/resume", "{"+s.answers(words[1:])+"}"
	default:
		s.t.Fatalf("unknown step: %s", s.step)
	}
	status, answer := s.w().call(method, path, body)
	var got struct {
		ID      string
		Stopped *bool
		Error   struct{ Code string }
	}
	if answer != "" {
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			s.t.Fatalf("%s: %s: %v", s.step, answer, err)
		}
	}
	if words[0] == "fork" && got.ID != "" {
		s.ids[words[len(words)-1]] = got.ID
	}
	out := fmt.Sprint(status)
	if got.Error.Code != "" {
		out += " " + got.Error.Code
	}
	if got.Stopped != nil && !*got.Stopped {
		out += " nothing ran"
	}
	return out
}
