package operations

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// tripTeam is the demo with a model behind it.
const tripTeam = `version: 1
models:
  default: { base_url: "%s", api_key: sealed-key, model: small, provider: openai }
agents:
  travel: { type: travel, model: default }
`

// Words that only the person, the model and the operator may see.
var secrets = []string{"marmalade", "okapi", "sealed-key"}

// A holdingModel says a word. While it holds, the experiences agent waits until its request is given up.
type holdingModel struct {
	holds chan bool     // for each request, whether the model holds
	held  chan struct{} // a request waits
}

func (m *holdingModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // to its end, so that the end of the connection is seen
	if <-m.holds && bytes.Contains(body, []byte("You are experiences_agent.")) {
		m.held <- struct{}{}
		<-r.Context().Done()
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	counted(openaitest.Text("An okapi.")).ServeHTTP(w, r)
}

// answerUntil decides for each request whether it is held, until the test ends.
func (m *holdingModel) answerUntil(t *testing.T, hold <-chan bool) {
	holds := false
	for {
		select {
		case m.holds <- holds:
		case holds = <-hold:
		case <-t.Context().Done():
			return
		}
	}
}

// TestATripIsSeen plans a trip in three runs: the first asks at one replica, the second is the answer at the other, and
// the third is that of a replica that is killed in it, so that the other takes it over. Collector, scrapes and logs
// have exactly that, and nothing of the messages.
func TestATripIsSeen(t *testing.T) {
	t.Parallel()
	model := &holdingModel{holds: make(chan bool), held: make(chan struct{})}
	there := httptest.NewServer(model)
	t.Cleanup(there.Close)
	c := newReceiver(t)
	s := openSite(t, fmt.Sprintf(tripTeam, there.URL), []string{"OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_BSP_SCHEDULE_DELAY=50"})
	before := []scrape{s.scrape("a"), s.scrape("b")}
	hold := make(chan bool)
	go model.answerUntil(t, hold)

	first := s.tripRun("a", 1, `"messages":[{"id":"m","role":"user","content":"Plan my trip, marmalade"}]`)
	first.rest(t)
	second := s.tripRun("b", 2, answering(t, first))
	second.rest(t)
	hold <- true
	third := s.tripRun("a", 3, answering(t, second))
	third.until(t, `"stepName":"experiences_agent"`)
	third.until(t, `"path":"/experiences"`) // the last before the model is asked
	<-model.held
	s.sent("a", first.events+third.events) // what it did until now can be seen, and what it does next is not done
	atA := s.scrape("a")
	dead := c.await(t, "the turn before it died", func(x span) bool { return x.trace == traceID(3) && x.name == "invoke_agent hotels_agent" })
	s.kill("a")
	hold <- false
	c.await(t, "the run that was taken over", func(x span) bool { return x.attributes["agui.run.outcome"] == "success" })

	t.Run("spans", func(t *testing.T) { c.tellsOfTheTrip(t, dead[0].parent) })
	t.Run("metrics", func(t *testing.T) {
		if diff := cmp.Diff(tripMoves, moved(before, []scrape{atA, s.scrape("b")})); diff != "" {
			t.Errorf("what happened (-) and what moved (+):\n%s", diff)
		}
	})
	t.Run("log", s.logTellsOfTheTrip)
	t.Run("nothing of what was said", func(t *testing.T) {
		_, raw := c.spans()
		metrics, err := get(t.Context(), s.admin("b")+"/metrics")
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"spans": raw, "metrics": metrics, "log": s.logs()} {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("the %s have the word %q", what, secret)
				}
			}
		}
	})
}

// tripMoves are the metrics that a trip of three runs changes. Eight calls of the model count: for the traveller's
// wishes, the supervisor's first word and the flights; for the chosen flight and the hotels; for the chosen hotel,
// again for the dead replica's unanswered request, and for the supervisor's last word.
var tripMoves = map[string]float64{
	"gateway_runs_total agent=travel,outcome=interrupt":                              2,
	"gateway_runs_total agent=travel,outcome=success":                                1,
	"gateway_run_duration_seconds_count agent=travel,outcome=interrupt":              2,
	"gateway_run_duration_seconds_count agent=travel,outcome=success":                1,
	"gateway_first_event_seconds_count agent=travel":                                 3,
	"gateway_first_text_seconds_count agent=travel":                                  3,
	"gateway_takeovers_total agent=travel":                                           1,
	"gateway_interrupts_total agent=travel,event=opened":                             2,
	"gateway_interrupts_total agent=travel,event=answered":                           2,
	"gateway_interrupt_wait_seconds_count agent=travel":                              2,
	"gateway_turns_total agent=travel,outcome=interrupt,participant=flights_agent":   1,
	"gateway_turns_total agent=travel,outcome=ok,participant=flights_agent":          1,
	"gateway_turns_total agent=travel,outcome=interrupt,participant=hotels_agent":    1,
	"gateway_turns_total agent=travel,outcome=ok,participant=hotels_agent":           1,
	"gateway_turns_total agent=travel,outcome=ok,participant=experiences_agent":      1,
	"gateway_turn_duration_seconds_count agent=travel,participant=flights_agent":     2,
	"gateway_turn_duration_seconds_count agent=travel,participant=hotels_agent":      2,
	"gateway_turn_duration_seconds_count agent=travel,participant=experiences_agent": 1,
	"gateway_model_calls_total model=small,outcome=ok,provider=openai":               8,
	"gateway_model_duration_seconds_count model=small,provider=openai":               8,
	"gateway_model_first_token_seconds_count model=small,provider=openai":            8,
	"gateway_model_tokens_total model=small,provider=openai,type=input":              800,
	"gateway_model_tokens_total model=small,provider=openai,type=output":             80,
}

// tellsOfTheTrip holds the spans to what happened: three runs, each in its caller's trace, linked with the run before,
// and the last one with the attempt that died.
func (c *receiver) tellsOfTheTrip(t *testing.T, dead string) {
	list, _ := c.spans()
	runs := find(list, func(x span) bool { return x.name == "invoke_agent travel" })
	if len(runs) != 3 {
		t.Fatalf("%d attempts have ended, want 3: %v", len(runs), runs)
	}
	for i, want := range []struct {
		outcome, attempt, parent string
		links                    []link
	}{
		{"interrupt", "1", "", nil},
		{"interrupt", "1", "", []link{{runs[0].trace, runs[0].id, "previous"}}},
		{"success", "2", dead, []link{{runs[1].trace, runs[1].id, "previous"}, {traceID(3), dead, "takeover"}}},
	} {
		got := runs[i]
		if got.trace != traceID(i+1) || got.attributes["agui.run.outcome"] != want.outcome || got.attributes["agui.attempt"] != "int_value:"+want.attempt {
			t.Errorf("run %d is %v", i+1, got)
		}
		if diff := cmp.Diff(want.links, got.links, cmp.AllowUnexported(link{})); diff != "" {
			t.Errorf("the links of run %d (-want +got):\n%s", i+1, diff)
		}
		if want.parent == "" { // that of the request, which is part of the caller's
			request := find(list, func(x span) bool { return x.server && x.id == got.parent })
			if len(request) != 1 || request[0].parent != callerID(i+1) || request[0].name != "POST /agents/:agent" {
				t.Errorf("run %d is part of %v, want the caller's request", i+1, request)
			}
		} else if got.parent != want.parent {
			t.Errorf("run %d is part of %s, want the dead attempt %s", i+1, got.parent, want.parent)
		}
		if a := got.attributes; a["gen_ai.operation.name"] != "invoke_agent" || a["gen_ai.agent.name"] != "travel" || a["gen_ai.conversation.id"] != "trip" {
			t.Errorf("run %d has %v", i+1, a)
		}
	}
	c.modelCallsAreTold(t, list, runs)
	c.partsAreWhole(t, list, dead)
	if !c.services["agui-gateway"] || len(c.services) != 1 || len(c.faults) > 0 {
		t.Errorf("services %v, faults %v", c.services, c.faults)
	}
}

// modelCallsAreTold wants of each call what the GenAI conventions have.
func (c *receiver) modelCallsAreTold(t *testing.T, list, runs []span) {
	calls := find(list, func(x span) bool { return x.attributes["gen_ai.operation.name"] == "chat" })
	if len(calls) != 8 {
		t.Fatalf("%d calls of the model, want 8: %v", len(calls), calls)
	}
	for i, call := range calls {
		a := call.attributes
		if call.name != "chat small" || a["gen_ai.provider.name"] != "openai" || a["gen_ai.request.model"] != "small" || call.failed ||
			a["gen_ai.usage.input_tokens"] != "int_value:100" || a["gen_ai.usage.output_tokens"] != "int_value:10" {
			t.Errorf("call %d is %v", i+1, call)
		}
	}
	for i, want := range []string{
		"choose supervisor", "invoke_agent travel", "invoke_agent flights_agent", "invoke_agent flights_agent", "invoke_agent hotels_agent",
		"invoke_agent hotels_agent", "invoke_agent experiences_agent", "invoke_agent travel",
	} {
		part := find(list, func(x span) bool { return x.id == calls[i].parent })
		if len(part) != 1 || part[0].name != want {
			t.Errorf("call %d is part of %v, want %s", i+1, part, want)
		}
	}
	turn := find(list, func(x span) bool { return x.id == calls[6].parent })
	if calls[1].parent != runs[0].id || len(turn) != 1 || turn[0].parent != runs[2].id {
		t.Errorf("calls are part of %s and %v, want the first run and a turn of the last", calls[1].parent, turn)
	}
}

// partsAreWhole wants every span's parent to be there, but those that died with their replica.
func (c *receiver) partsAreWhole(t *testing.T, list []span, dead string) {
	ids := map[string]bool{dead: true, "": true}
	for _, x := range list {
		ids[x.id] = true
	}
	request := find(list, func(x span) bool { return x.trace == traceID(3) && x.name == "store begin" }) // its request died too
	if len(request) != 1 {
		t.Fatalf("the third run was begun %d times", len(request))
	}
	ids[request[0].parent] = true
	for n := range 3 {
		ids[callerID(n+1)] = true
	}
	for _, x := range list {
		if !ids[x.parent] {
			t.Errorf("nobody knows what %s (%v) is part of", x.name, x.attributes)
		}
	}
}

// logTellsOfTheTrip wants each line of a run to name its trace.
func (s *site) logTellsOfTheTrip(t *testing.T) {
	seen := map[string]int{}
	for name := range replicas {
		for line := range strings.Lines(string(readFile(t, s.dir, "replica-"+name+".log"))) {
			var l struct{ Msg, Thread, Trace, Span string }
			if err := json.Unmarshal([]byte(strings.NewReplacer("trace_id", "trace", "span_id", "span").Replace(line)), &l); err != nil {
				t.Fatal(err)
			}
			if l.Thread == "trip" {
				seen[l.Msg+" "+l.Trace]++
			}
		}
	}
	want := map[string]int{
		"run: started " + traceID(1): 1, "run: ended " + traceID(1): 1, "run: started " + traceID(2): 1, "run: ended " + traceID(2): 1,
		"run: started " + traceID(3): 1, "run: taken over " + traceID(3): 1, "run: ended " + traceID(3): 1,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("lines of the log (-want +got):\n%s", diff)
	}
}

// traceID is the trace of the n-th request, of 1 to 3, and callerID the span in it that the request is part of.
func traceID(n int) string  { return strings.Repeat(strconv.Itoa(n), 32) }
func callerID(n int) string { return strings.Repeat(strconv.Itoa(n), 16) }

// A stream is the answer to a request.
type stream struct {
	lines  *bufio.Scanner
	text   strings.Builder
	events int
}

// tripRun sends the n-th request of the trip as part of its trace.
func (s *site) tripRun(replica string, n int, members string) *stream {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url(replica)+"/agents/travel",
		strings.NewReader(`{"protocolVersion":"1.0","threadId":"trip","runId":"run",`+members+`}`))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Traceparent", "00-"+traceID(n)+"-"+callerID(n)+"-01")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() }) // the replica may have been killed
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return &stream{lines: lines}
}

// next reads a line.
func (r *stream) next() bool {
	if !r.lines.Scan() {
		return false
	}
	if strings.HasPrefix(r.lines.Text(), "data: ") {
		r.events++
	}
	r.text.WriteString(r.lines.Text() + "\n")
	return true
}

// rest reads the stream to its end.
func (r *stream) rest(t *testing.T) {
	t.Helper()
	for r.next() {
		continue
	}
	if err := r.lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// until reads the stream until an event has a text, and the lines of that event.
func (r *stream) until(t *testing.T, text string) {
	t.Helper()
	for r.next() {
		if strings.Contains(r.lines.Text(), text) {
			return
		}
	}
	t.Fatalf("the stream ends without %s: %s", text, r.text.String())
}

// sent waits until a replica has counted that many events as sent.
func (s *site) sent(replica string, events int) {
	s.t.Helper()
	s.until(s.admin(replica)+"/metrics", fmt.Sprintf("\ngateway_sent_events_total %d\n", events))
}

// answering are the members of a request that takes what the question recommends.
func answering(t *testing.T, asked *stream) string {
	t.Helper()
	events := asked.text.String()
	id := question.FindString(events)
	if id == "" {
		t.Fatalf("there is no question: %s", events)
	}
	return `"messages":[],"resume":[{"interruptId":"` + id + `","status":"resolved","payload":` + recommended(events) + `}]`
}
