package a2a_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/inprocess"
)

// A fakeAgent is a server with the answers of a test: for each request the next of its method, or the last one again.
type fakeAgent struct {
	url string

	mu      sync.Mutex
	card    string
	answers map[string][]answer
	asked   []request
}

// An answer writes what a request is answered with. The connection is cut if it returns false.
type answer func(w http.ResponseWriter, r *http.Request) bool

// A request is one that the server was sent.
type request struct {
	Method  string
	Version string
	Params  struct {
		ID      string
		Message struct {
			MessageID, ContextID, TaskID, Role string
			Parts                              []map[string]any
		}
		Configuration map[string]bool
		Tenant        string
	}
}

func newAgent(t *testing.T, card string) *fakeAgent {
	t.Helper()
	f := &fakeAgent{card: card, answers: map[string][]answer{}}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

// newAgentHere starts an agent without a network, for a test under synctest, and returns a client's options for it.
func newAgentHere(card string) (f *fakeAgent, reach func(*a2a.Options)) {
	f = &fakeAgent{url: "http://agent.test", card: card, answers: map[string][]answer{}}
	here := inprocess.Client(f).Transport
	return f, func(o *a2a.Options) {
		o.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			response, err := here.RoundTrip(r)
			if err == nil {
				response.Body = &body{response.Body, r.Context()}
			}
			return response, err
		})}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A body is that of an answer, which breaks off with the context of its request, as a connection does.
type body struct {
	io.ReadCloser
	ctx context.Context
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// on says what a method is answered with.
func (f *fakeAgent) on(method string, answers ...answer) *fakeAgent {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[method] = answers
	return f
}

// changes changes the card.
func (f *fakeAgent) changes(card string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.card = card
}

// requests are those of a method.
func (f *fakeAgent) requests(method string) []request {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []request
	for _, r := range f.asked {
		if r.Method == method {
			list = append(list, r)
		}
	}
	return list
}

// ServeHTTP answers.
func (f *fakeAgent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		f.mu.Lock()
		defer f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, strings.ReplaceAll(f.card, "HERE", f.url))
		return
	}
	var body request
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	body.Version = r.Header.Get("A2A-Version")
	if !f.next(body)(w, r) {
		panic(http.ErrAbortHandler)
	}
}

// next notes a request and returns its answer.
func (f *fakeAgent) next(r request) answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, r)
	list := f.answers[r.Method]
	if len(list) == 0 {
		return refuses(-32601, "no such method")
	}
	if len(list) > 1 {
		f.answers[r.Method] = list[1:]
	}
	return list[0]
}

// is answers with one result.
func is(result string) answer { return document(`{"jsonrpc":"2.0","id":"1","result":` + result + `}`) }

// refuses answers with an error.
func refuses(code int, message string) answer {
	return document(fmt.Sprintf(`{"jsonrpc":"2.0","id":"1","error":{"code":%d,"message":%q}}`, code, message))
}

func document(text string) answer {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
		return true
	}
}

// streams answers with results one after another.
func streams(results ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		stream(w, results)
		return true
	}
}

// breaksOff returns streams with a cut connection.
func breaksOff(results ...string) answer {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		stream(w, results)
		return false
	}
}

// hangs is streams that say nothing more, until the client is gone.
func hangs(results ...string) answer {
	return func(w http.ResponseWriter, r *http.Request) bool {
		stream(w, results)
		<-r.Context().Done()
		return true
	}
}

func stream(w http.ResponseWriter, results []string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, r := range results {
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"1","result":`+r+"}\n\n")
	}
	w.(http.Flusher).Flush()
}

// The cards of agents that stream, and one that does not.
const (
	card10 = `{"name":"Helper","description":"Helps","capabilities":{"streaming":true},"defaultInputModes":["application/json"],
		"supportedInterfaces":[{"url":"HERE/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"}]}`
	card03   = `{"name":"Helper","url":"HERE/a2a","protocolVersion":"0.3.0","capabilities":{"streaming":true}}`
	cardPoll = `{"name":"Helper","supportedInterfaces":[{"url":"/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
)

// The results of the task t.
func working(words string) string {
	return `{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"` + said(words) + `}}}`
}

func ends(state, words string) string {
	return `{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_` + state + `"` + said(words) + `}}}`
}

func said(words string) string {
	if words == "" {
		return ""
	}
	return fmt.Sprintf(`,"message":{"messageId":"m-%s","role":"ROLE_AGENT","parts":[{"text":%q}]}`, words, words)
}

func chunk(id, words string, more, last bool) string {
	return fmt.Sprintf(`{"artifactUpdate":{"taskId":"t","append":%t,"lastChunk":%t,"artifact":{"artifactId":%q,"parts":[{"text":%q}]}}}`, more, last, id, words)
}

// task is the task as it stands, with one artifact.
func task(state, words, artifact string) string {
	return fmt.Sprintf(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_%s"%s},"artifacts":[{"artifactId":"a","parts":[{"text":%q}]}]}`, state, said(words), artifact)
}

const submitted = `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}`

func newClient(t *testing.T, url string, change ...func(*a2a.Options)) *a2a.Client {
	t.Helper()
	o := a2a.Options{Options: client.Options{URL: url, HTTP: &http.Client{}}}
	for _, c := range change {
		c(&o)
	}
	c, err := a2a.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hello is the request of somebody who says hello.
func hello() client.Request {
	return client.Request{Input: agui.RunAgentInput{
		ThreadID: "thread", RunID: "run", Messages: []agui.Message{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("Hello")}},
	}}
}

// answers is hello with the answer to a question.
func answers(id, payload string) client.Request {
	r := hello()
	r.Input.Resume = []agui.ResumeEntry{{InterruptID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}}
	return r
}

// readRun returns the events of a run, one word for each, and its error. Pieces of a text are joined.
func readRun(ctx context.Context, t *testing.T, c *a2a.Client, r client.Request) (string, error) {
	t.Helper()
	var list []string
	var order agui.Verifier
	texts := map[string]string{}
	for e, err := range c.Run(ctx, r) {
		if err != nil {
			return strings.Join(list, " "), err
		}
		if err := order.Next(e); err != nil {
			t.Errorf("%s %v: %v", list, agui.TypeOf(e), err)
		}
		switch e := e.(type) {
		case *agui.RunStarted, *agui.TextMessageStart:
		case *agui.TextMessageContent:
			texts[e.MessageID] += e.Delta
		case *agui.TextMessageEnd:
			list = append(list, e.MessageID+"="+texts[e.MessageID])
		case *agui.StepStarted:
			list = append(list, e.StepName+"(")
		case *agui.StepFinished:
			list = append(list, ")")
		case *agui.ActivitySnapshot:
			list = append(list, e.ActivityType+string(e.Content))
		case *agui.StateSnapshot:
			list = append(list, "state"+string(e.Snapshot))
		case *agui.RunError:
			list = append(list, "error:"+e.Code+":"+e.Message)
		case *agui.RunFinished:
			list = append(list, string(e.Outcome.Type))
			for _, i := range e.Outcome.Interrupts {
				list = append(list, i.ID+":"+i.Reason+":"+i.Message+string(i.ResponseSchema))
			}
			for _, u := range e.Usage {
				list = append(list, fmt.Sprint(*u.InputTokens, "+", *u.OutputTokens))
			}
		default:
			t.Errorf("an event of type %v", agui.TypeOf(e))
		}
	}
	return strings.Join(list, " "), nil
}
