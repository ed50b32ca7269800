package travel_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/travel"
)

// A polyglot is a model that returns the readings of the test, and rephrases everything in its language, which is
// English with a mark.
type polyglot struct {
	t     testing.TB
	mu    sync.Mutex
	reads map[string]string // what messages ask for, as JSON; an error's code fails the call
	words func(script string) string
	asked []string // the model's inputs for readings
	told  []string // to say
}

func (p *polyglot) Stream(_ context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	system, last := r.Messages[0].Text, r.Messages[len(r.Messages)-1].Text
	switch {
	case strings.HasPrefix(system, "You read messages"):
		p.asked = append(p.asked, last)
		var in struct{ Message string }
		if err := json.Unmarshal([]byte(last), &in); err != nil {
			p.t.Errorf("the model is asked %q", last)
		}
		reply, known := p.reads[in.Message]
		if !known {
			p.t.Errorf("the model is asked about %q", in.Message)
		}
		if code, failed := strings.CutPrefix(reply, "!"); failed {
			return model.Reply{}, &errcode.Error{Code: errcode.Code(code), Err: errors.New("as the test wants it")}
		}
		return model.Reply{Text: reply}, nil
	case strings.HasPrefix(system, "You speak for a specialist"):
		var in struct{ Sentences map[string]string }
		if err := json.Unmarshal([]byte(last), &in); err != nil {
			p.t.Errorf("the model is asked %q", last)
		}
		out := map[string]string{}
		for kind, text := range in.Sentences {
			out[kind] = "«" + text + "»"
			if p.words != nil {
				out[kind] = p.words(text)
			}
		}
		raw, err := json.Marshal(out)
		return model.Reply{Text: string(raw)}, err
	default:
		_, text, _ := strings.Cut(system, "This is to be said now: ")
		text, _, _ = strings.Cut(text, "\n\nYou are")
		p.told = append(p.told, text)
		return model.Reply{Text: "«" + text + "»"}, nil
	}
}

// wish is a reading: absent members are null.
func wish(members string) string {
	all := map[string]any{
		"kind": "plan", "origin": nil, "destination": nil, "days": nil, "topic": "all", "choice": nil,
		"preferences": map[string]any{"flight_under": nil, "hotel_under": nil, "hotel_stars": nil, "others": []string{}},
	}
	if err := json.Unmarshal([]byte("{"+members+"}"), &all); err != nil {
		panic(err)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// speaking is a thread with a team that has the model.
func speaking(t *testing.T, p *polyglot) *thread {
	p.t = t
	th := newThread(t)
	th.with = travel.New(travel.Options{Model: p})
	return th
}

// lastWords is the last message.
func (th *thread) lastWords() string {
	for i := len(th.messages) - 1; i >= 0; i-- {
		if th.messages[i].Role == agui.RoleAssistant {
			return th.messages[i].Content.Text()
		}
	}
	return ""
}
