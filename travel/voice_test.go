package travel_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/travel"
)

// An orator is a model's server that always gives one reply, and records its requests.
type orator struct {
	t    *testing.T
	told []string // the system's words of each request
}

func (o *orator) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct {
		Messages []struct{ Role, Content string }
		Tools    []any
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	if in.Messages[0].Role != "system" || len(in.Tools) > 0 {
		o.t.Errorf("the model is asked %+v", in)
	}
	if strings.HasPrefix(in.Messages[0].Content, "You speak for a small team") {
		o.told = append(o.told, in.Messages[0].Content) // it answers a reading, or texts in a form, with nonsense
	}
	stream := fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "Words.")
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(stream)), Request: r}, nil
}

// TestModelFindsWords plans a trip with a model: it has the words of the supervisor and the experiences agent, and
// nothing else.
func TestModelFindsWords(t *testing.T) {
	t.Parallel()
	o := &orator{t: t}
	model, err := openai.New(openai.Options{BaseURL: "http://orator.test/v1", Name: "m", HTTP: &http.Client{Transport: o}})
	if err != nil {
		t.Fatal(err)
	}
	spoken, scripted := newThread(t), newThread(t)
	spoken.with = travel.New(travel.Options{Model: model})
	for _, th := range []*thread{spoken, scripted} {
		th.say("Hello, what can you do?")
		th.say("Plan my trip")
		th.answer(`{"airline":"United","price":"$1"}`)
		th.answer(`{"name":"The Ritz-Carlton","price_per_night":"$1"}`)
		th.say("Tell me everything about San Francisco")
	}
	if string(spoken.state) != string(scripted.state) {
		t.Errorf("the state with a model is %s, want that without one, %s", spoken.state, scripted.state)
	}
	if len(spoken.messages) != len(scripted.messages) {
		t.Fatalf("%d messages with a model, %d without", len(spoken.messages), len(scripted.messages))
	}
	asked := 0
	for i, m := range scripted.messages {
		got, want := spoken.messages[i].Content.Text(), m.Content.Text()
		if m.Role != agui.RoleAssistant || m.Name != "supervisor" && m.Name != "experiences_agent" {
			if got != want {
				t.Errorf("message %d of %s is %q, want %q", i, m.Name, got, want)
			}
			continue
		}
		if got != "Words." || asked >= len(o.told) || !strings.HasSuffix(strings.Split(o.told[asked], "\n\nYou are")[0], want) {
			t.Errorf("message %d of %s is %q, and the model was not told to say %q", i, m.Name, got, want)
		}
		asked++
	}
	if asked != len(o.told) || asked < 4 {
		t.Errorf("the model was asked %d times for %d messages", len(o.told), asked)
	}
}
