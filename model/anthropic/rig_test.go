package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
)

// The servers of these tests replay the protocol as Anthropic documents it (Messages API, version 2023-06-01): the
// events of streams, the shapes of errors, and the order in which they come. No test speaks to Anthropic.

const testKey = "sk-ant-hush-0123456789"

// An answer is what a replay sends: a status and a body.
type answer struct {
	status int
	header map[string]string
	body   string
}

// replies makes an answer of events, each with the name that its data repeats.
func replies(events ...string) answer {
	var b strings.Builder
	for _, e := range events {
		var named struct{ Type string }
		if json.Unmarshal([]byte(e), &named) != nil {
			panic("no event: " + e)
		}
		b.WriteString("event: " + named.Type + "\ndata: " + e + "\n\n")
	}
	return answer{status: http.StatusOK, header: map[string]string{"Content-Type": "text/event-stream"}, body: b.String()}
}

// refusal is an error in the form of the API. Its text quotes the key.
func refusal(status int, kind string) answer {
	return answer{status: status, header: map[string]string{"Request-Id": "req_011CSHoEeqs5C35K2UUqR7Fy"},
		body: `{"type":"error","error":{"type":"` + kind + `","message":"no ` + testKey + `, said the prompt"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`}
}

// Parts of streams.
const (
	began  = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}`
	ping   = `{"type":"ping"}`
	closed = `{"type":"message_stop"}`
)

func begins(i, block string) string {
	return `{"type":"content_block_start","index":` + i + `,"content_block":{` + block + `}}`
}

func textBegins(i string) string { return begins(i, `"type":"text","text":""`) }

func delta(i, body string) string {
	return `{"type":"content_block_delta","index":` + i + `,"delta":{` + body + `}}`
}

func words(i, text string) string { return delta(i, `"type":"text_delta","text":"`+text+`"`) }

func blockEnds(i string) string { return `{"type":"content_block_stop","index":` + i + `}` }

func stops(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":15}}`
}

// says is a whole reply of text.
func says(text string) answer {
	return replies(began, textBegins("0"), ping, words("0", text), blockEnds("0"), stops("end_turn"), closed)
}

// A replay is a server that gives its answers in order, and notes the requests.
type replay struct {
	mu       sync.Mutex
	answers  []answer
	requests []string
	headers  []http.Header
	paths    []string
}

func (r *replay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests, r.headers, r.paths = append(r.requests, string(body)), append(r.headers, request.Header), append(r.paths, request.Method+" "+request.URL.Path)
	if len(r.answers) == 0 {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	a := r.answers[0]
	r.answers = r.answers[1:]
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// serve starts a replay, and makes a model that asks it.
func serve(t *testing.T, change func(*Options), answers ...answer) (*replay, *Model) {
	t.Helper()
	r := &replay{answers: answers}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	o := Options{Key: testKey, Name: "claude", BaseURL: server.URL, MaxTokens: 2048, Retries: 1, HTTP: server.Client()}
	if change != nil {
		change(&o)
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r, m
}

// hear notes all that a model says, in order.
func hear(said *strings.Builder) model.Deltas {
	return model.Deltas{
		Text:      func(s string) error { said.WriteString("t:" + s + "|"); return nil },
		Reasoning: func(s string) error { said.WriteString("r:" + s + "|"); return nil },
		Call: func(i int, name, arguments string) error {
			said.WriteString(strings.Repeat("c", i+1) + ":" + name + arguments + "|")
			return nil
		},
	}
}

func user(text string) model.Message { return model.Message{Role: agui.RoleUser, Text: text} }

var hi = model.Request{Messages: []model.Message{user("Hi")}}
