package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// busyTeam has an agent of each kind. %s is the model's server; the remote agent is one of replica b.
const busyTeam = `version: 1
models:
  default: { base_url: "%s", api_key: none, model: small, retries: 0, price: { input: 1, output: 2 } }
agents:
  travel: { type: travel }
  clerk: { type: script, description: Takes orders, steps: [ { say: Taken. } ] }
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: assistant, type: llm, instructions: Have the clerk take the order., tools: [ { agent: clerk, name: order, approve: never } ] }
  slow: { type: script, serve: on, steps: [ { say: one }, { sleep: 1s }, { say: two } ] }
  far: { type: agui, serve: on, url: "http://127.0.0.1:8081/agents/slow" }
`

// A modelServer answers as a model: a request that was not answered by a tool has one called, and while it is away
// there is only 503.
type modelServer struct{ away atomic.Bool }

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []struct{ Role string } }
	err := json.NewDecoder(r.Body).Decode(&in)
	switch {
	case err != nil || m.away.Load():
		http.Error(w, `{"error":{"message":"away"}}`, http.StatusServiceUnavailable)
	case len(in.Messages) > 0 && in.Messages[len(in.Messages)-1].Role == "tool":
		counted(openaitest.Text("It is ordered.")).ServeHTTP(w, r)
	default:
		counted(openaitest.Calls("order", `{"query":"soup"}`)).ServeHTTP(w, r)
	}
}

// counted is an answer with what it took.
func counted(a openaitest.Answer) openaitest.Answer {
	const usage = `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`
	a.Body = strings.Replace(a.Body, "[DONE]", usage+"\n[DONE]", 1)
	return a
}

// answer is what Prometheus says to a query.
type answer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		Result []struct {
			Metric map[string]string `json:"metric"`
			Value  [2]any            `json:"value"`
		} `json:"result"`
	} `json:"data"`
}

// ask asks Prometheus.
func (s *site) ask(expr string) (a answer) {
	s.t.Helper()
	body, err := get(s.t.Context(), "http://"+s.address("9090")+"/api/v1/query?query="+url.QueryEscape(expr))
	if err == nil {
		err = json.Unmarshal([]byte(body), &a)
	}
	if err != nil || a.Status != "success" {
		s.t.Fatalf("%s: %v %s", expr, err, a.Error)
	}
	return a
}

// untilFound asks until there is a result, and does something meanwhile.
func (s *site) untilFound(expr string, meanwhile func()) answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if a := s.ask(expr); len(a.Data.Result) > 0 {
			return a
		}
		meanwhile()
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("Prometheus has nothing of %s\n%s", expr, s.logs())
		}
	}
}

// TestPrometheusSeesAnOutage has a Prometheus with the files of deploy/prometheus watch two replicas: all rules can be
// evaluated, every query of the dashboard is answered, and alerts fire for a model and for a replica that are away, and
// for nothing else; then for a store that is.
func TestPrometheusSeesAnOutage(t *testing.T) {
	t.Parallel()
	model := &modelServer{}
	there := httptest.NewServer(model)
	t.Cleanup(there.Close)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	s := openSite(t, fmt.Sprintf(busyTeam, there.URL), []string{"GATEWAY_INTERRUPT_WEBHOOK_SECRET=0123456789abcdef"},
		"-on-busy", "queue", "-interrupt-webhook", receiver.URL, "-max-body", "16KiB")
	s.startPrometheus()
	s.work()

	s.untilFound(`count(up{job="agui-gateway"} == 1) == 2`, func() {})
	s.untilFound(`gateway_queue_wait_seconds_count > 0`, func() {})
	s.rulesAreEvaluated()
	s.queriesAreAnswered()

	model.away.Store(true)
	n := 0
	firing := func(alert string) string { return `ALERTS{alertstate="firing", alertname="` + alert + `"}` }
	a := s.untilFound(firing("GatewayModelUnavailable"), func() { n++; s.say("a", "desk", fmt.Sprint("away-", n), "soup") })
	if got := a.Data.Result[0].Metric; got["model"] != "small" || got["severity"] != "critical" {
		t.Errorf("the alert of the model says %v", got)
	}
	s.kill("a")
	a = s.untilFound(firing("GatewayReplicaDown"), func() {})
	if got := a.Data.Result[0].Metric["instance"]; got != s.address("9464") {
		t.Errorf("the alert of a replica is about %s, want %s", got, s.address("9464"))
	}
	for _, r := range s.ask(`ALERTS{alertstate="firing", alertname!~"GatewayModelUnavailable|GatewayReplicaDown|GatewayRunErrors"}`).Data.Result {
		t.Errorf("an alert without a cause: %v", r.Metric)
	}
	s.redis.Kill()
	s.untilFound(firing("GatewayStoreErrors"), func() { s.say("b", "slow", "lost", "Go") })
	s.kill("b")
	s.untilFound(firing("GatewayDown"), func() {})
}

// work moves every metric.
func (s *site) work() {
	s.t.Helper()
	s.trip("trip")
	if events := s.say("b", "desk", "desk", "soup"); !strings.Contains(events, "It is ordered.") {
		s.t.Fatalf("the desk takes no order: %s", events)
	}
	s.say("a", "far", "far", "Go")
	first := make(chan string)
	go func() { first <- s.say("a", "slow", "busy", "one") }()
	s.until(s.url("b")+"/threads/busy?agent=slow", `"running"`)
	s.say("b", "slow", "busy", "two")
	<-first
	if status, body := s.post("a", "/agents/slow", strings.Repeat(" ", 17<<10)); status != http.StatusRequestEntityTooLarge {
		s.t.Fatalf("a large body is answered with %d: %s", status, body)
	}
}

// rulesAreEvaluated wants all rules, and none of them with an error.
func (s *site) rulesAreEvaluated() {
	s.t.Helper()
	var loaded struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	body := s.until("http://"+s.address("9090")+"/api/v1/rules", `"health":"ok"`)
	if strings.Contains(body, `"health":"unknown"`) {
		s.untilFound(`min(prometheus_rule_group_iterations_total) > 0`, func() {})
	}
	if err := json.Unmarshal([]byte(s.until("http://"+s.address("9090")+"/api/v1/rules", `"health":"ok"`)), &loaded); err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, g := range loaded.Data.Groups {
		for _, r := range g.Rules {
			n++
			if r.Health == "err" || r.LastError != "" {
				s.t.Errorf("the rule %s: %s %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	recording, alerts := rules(s.t)
	if n != len(recording)+len(alerts) {
		s.t.Errorf("Prometheus has %d rules, the files have %d", n, len(recording)+len(alerts))
	}
}

// queriesAreAnswered wants Prometheus to answer each query, and that what they ask for was scraped with the labels that
// they name.
func (s *site) queriesAreAnswered() {
	s.t.Helper()
	known := documented(s.t)
	for _, q := range queries(s.t) {
		s.ask(q.expr)
	}
	for name, labels := range known {
		if name == "ALERTS" || strings.Contains(name, ":") {
			continue // of Prometheus' own making
		}
		if strings.HasSuffix(name, "_seconds") && name != "process_start_time_seconds" {
			name += "_bucket"
			if strings.HasPrefix(name, "go_") {
				continue // a summary
			}
		}
		if name == "gateway_store_errors_total" {
			continue // the store does not fail here
		}
		found := s.ask(name).Data.Result
		if len(found) == 0 {
			s.t.Errorf("no replica shows %s", name)
			continue
		}
		for _, label := range labels {
			if _, ok := found[0].Metric[label]; !ok && label != "commit" { // which a program that was built without git does not know
				s.t.Errorf("%s has no label %s: %v", name, label, found[0].Metric)
			}
		}
	}
}
