package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// roomForm is what the tools of an asker want to know.
var roomForm = json.RawMessage(`{"type":"object","properties":{"guests":{"type":"integer"}},"required":["guests"]}`)

// An asker is a server with a tool book that asks for the number of guests. An old one asks while the call is under
// way, as all did before protocol 2026-07-28; a new one says that it needs input. Pair asks only when two calls are
// under way.
type asker struct {
	old  bool
	url  bool // it sends people to a site
	pair sync.WaitGroup
}

func (a *asker) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asker", Version: "1"}, nil)
	if a.old {
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				if method == "server/discover" {
					return nil, errors.New("no such method")
				}
				return next(ctx, method, r)
			}
		})
	}
	add := func(name string, f sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: &jsonschema.Schema{Type: "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, f)
	}
	add("book", a.book)
	add("pair", func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		a.pair.Done()
		a.pair.Wait()
		return a.book(ctx, r)
	})
	return s
}

func (a *asker) book(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	question := &sdk.ElicitParams{Message: "How many guests?", RequestedSchema: roomForm}
	if a.url {
		question = &sdk.ElicitParams{Mode: "url", Message: "Pay", URL: "https://pay.example", ElicitationID: "1"}
	}
	if !a.old {
		given, ok := r.Params.InputResponses["guests"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"guests": question}, RequestState: "room 7"}, nil
		}
		if r.Params.RequestState != "room 7" {
			return text("the state is lost"), nil
		}
		return booked(given), nil
	}
	given, err := r.Session.Elicit(ctx, question)
	if err != nil {
		return nil, err
	}
	return booked(given), nil
}

func booked(r *sdk.ElicitResult) *sdk.CallToolResult {
	if r.Action != "accept" {
		return text("not booked: " + r.Action)
	}
	raw, _ := json.Marshal(r.Content)
	return text("booked for " + string(raw))
}

// serve serves a over HTTP.
func (a *asker) serve(t *testing.T) Options {
	t.Helper()
	server := a.server()
	h := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	closeAfter(t, h)
	t.Cleanup(func() {
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return Options{URL: h.URL, HTTP: client(t)}
}

// eras runs a test against servers that ask in both ways.
func eras(t *testing.T, f func(t *testing.T, o Options)) {
	t.Helper()
	t.Run("while the call is under way", func(t *testing.T) { t.Parallel(); f(t, program(t, "ask old")) })
	t.Run("while the call is under way, over HTTP", func(t *testing.T) { t.Parallel(); f(t, (&asker{old: true}).serve(t)) })
	t.Run("by the call's result", func(t *testing.T) { t.Parallel(); f(t, program(t, "ask")) })
}

// TestAQuestionOfAServer is put to a person, and the repeated call has the answer.
func TestAQuestionOfAServer(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, o Options) {
		source := start(t, o).Source(SourceOptions{})
		_, err := call(t.Context(), t, source, "book", `{}`)
		needed, ok := errors.AsType[*tools.InputNeeded](err)
		if !ok || needed.Message != "How many guests?" || needed.By != "test" {
			t.Fatalf("Call() = %+v, want a question", err)
		}
		var form struct{ Required []string }
		if err := json.Unmarshal(needed.Schema, &form); err != nil || len(form.Required) != 1 {
			t.Errorf("the answer's schema is %s", needed.Schema)
		}
		tools, err := source.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for want, answer := range map[string]ask.Answer{
			`booked for {"guests":2}`: {Payload: json.RawMessage(`{"guests":2}`)},
			"not booked: cancel":      {Cancelled: true},
		} {
			got, err := tools[0].Call(t.Context(), groupchat.ToolCall{
				Arguments: []byte(`{}`), Inputs: []groupchat.ToolInput{{Answer: answer, State: needed.State}},
			})
			if err != nil || got.Content.Text() != want {
				t.Errorf("with the answer: %q, %v, want %q", got.Content.Text(), err, want)
			}
		}
	})
}

// TestAQuestionReachesNobodyElse: with two calls under way the asking one is unknown.
func TestAQuestionReachesNobodyElse(t *testing.T) {
	t.Parallel()
	a := &asker{old: true}
	a.pair.Add(2)
	var log logged
	o := a.serve(t)
	o.Log, o.questionWait = log.logger(), 10*time.Millisecond
	source := start(t, o).Source(SourceOptions{})
	if _, err := source.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var cancelled atomic.Int32
	for range 2 {
		wg.Go(func() {
			got, err := call(t.Context(), t, source, "pair", `{}`)
			_, asks := errors.AsType[*tools.InputNeeded](err)
			switch {
			case err == nil && got.Content.Text() == "not booked: cancel":
				cancelled.Add(1)
			case !asks: // the second may ask when the first has ended
				t.Errorf("Call() = %q, %v", got.Content.Text(), err)
			}
		})
	}
	wg.Wait()
	if cancelled.Load() == 0 {
		t.Error("both calls ask, and nobody knows which question is whose")
	}
	if log.at("WARN") == "" {
		t.Error("the log says nothing")
	}
}

// TestAQuestionThatCannotBeAsked is not put to a person.
func TestAQuestionThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	source := start(t, program(t, "ask at a site")).Source(SourceOptions{})
	if _, err := call(t.Context(), t, source, "book", `{}`); toldText(err) != "The tool wanted to know something that cannot be asked here." {
		t.Errorf("Call() = %v", err)
	}
}

// TestSeveralQuestionsOfOneResult are asked one after the other, without a call in between.
func TestSeveralQuestionsOfOneResult(t *testing.T) {
	t.Parallel()
	s := &Server{o: Options{Name: "test"}}
	result := &sdk.CallToolResult{RequestState: "s", InputRequests: sdk.InputRequestMap{
		"a": &sdk.ElicitParams{Message: "A?", RequestedSchema: roomForm}, "b": &sdk.ElicitParams{Message: "B?"},
	}}
	var c groupchat.ToolCall
	err := s.fromResult(result)
	for _, want := range []string{"A?", "B?"} {
		needed, ok := errors.AsType[*tools.InputNeeded](err)
		if !ok || needed.Message != want {
			t.Fatalf("asked is %v, want %s", err, want)
		}
		c.Inputs = append(c.Inputs, groupchat.ToolInput{Answer: ask.Answer{Payload: json.RawMessage(`{"x":1}`)}, State: needed.State})
		_, err = s.givenOf(c)
	}
	g, err := s.givenOf(c)
	if err != nil || len(g.round) != 2 || g.state != "s" {
		t.Errorf("givenOf() = %+v, %v", g, err)
	}
}
