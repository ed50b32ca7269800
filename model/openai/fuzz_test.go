package openai

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// FuzzStream feeds a model anything. It answers, or fails with a code; what it passes on adds up to the reply.
func FuzzStream(f *testing.F) {
	for _, s := range []openaitest.Answer{
		openaitest.Text("hi"), openaitest.Calls("f", `{"a":1}`, "g", "{}"),
		{Body: `{"error":{"code":429}}`}, {Body: ": x\nevent: error\ndata: boom"}, {Raw: true, Body: `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`},
		{Body: openaitest.Delta(`"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":[]}}}]`) + "\n" + openaitest.Finish("stop")},
	} {
		f.Add(s.Wire())
	}
	f.Fuzz(func(t *testing.T, body string) {
		fuzzReply(t, Options{Retries: -1}, body)
	})
}

// fuzzReply has a server answer with body.
func fuzzReply(t *testing.T, o Options, body string) {
	t.Helper()
	w := &wire{answers: []answering{answer(200, body)}}
	m := w.model(t, o)
	var words, reasoning strings.Builder
	args := map[int]string{}
	reply, err := m.Stream(t.Context(), hello, model.Deltas{
		Text:      func(d string) error { words.WriteString(d); return nil },
		Reasoning: func(d string) error { reasoning.WriteString(d); return nil },
		Call:      func(i int, _, a string) error { args[i] += a; return nil },
	})
	if err != nil {
		coded, ok := errors.AsType[*errcode.Error](err)
		if !ok || !coded.Code.Known() {
			t.Fatalf("Stream() = %v, want a code", err)
		}
		return
	}
	if reply.Finish == "" || len(reply.Text)+len(reply.Refusal) != words.Len() || reply.Reasoning != reasoning.String() || len(reply.Calls) != len(args) {
		t.Fatalf("reply %+v, heard %q %q %v", reply, words.String(), reasoning.String(), args)
	}
	for i, c := range reply.Calls {
		if c.Name == "" || c.Arguments != args[i] {
			t.Fatalf("call %d is %+v, heard %q", i, c, args[i])
		}
	}
	raw, err := m.body(model.Request{Messages: []model.Message{{Role: agui.RoleAssistant, Text: reply.Text, Calls: reply.Calls, Opaque: reply.Opaque}}}, form{})
	if err != nil || !json.Valid(raw) {
		t.Fatalf("body() = %s, %v", raw, err)
	}
}

// FuzzEvents wants the same events, in whichever pieces the bytes come.
func FuzzEvents(f *testing.F) {
	f.Add("data: {\"a\":1}\n\ndata: [DONE]\n\n")
	f.Add("event: error\ndata: x\ndata: y\n\n")
	f.Add("data: {\"a\":1}\r\ndata: x\n\r\n: c\ndata: 1\ndata: 2")
	f.Fuzz(func(t *testing.T, body string) {
		whole, err := eventsOf(strings.NewReader(body))
		piecemeal, err2 := eventsOf(oneByte{strings.NewReader(body)})
		if !slices.Equal(whole, piecemeal) || (err == nil) != (err2 == nil) {
			t.Fatalf("read at once %q (%v), by bytes %q (%v)", whole, err, piecemeal, err2)
		}
	})
}

// eventsOf returns the events that body has, up to an error.
func eventsOf(body io.Reader) (events []string, err error) {
	r := newEventReader(body)
	for {
		data, err := r.next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }
