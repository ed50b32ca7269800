package teamfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A parrot is a model that a provider of the tests opens.
type parrot struct {
	Key   string        `json:"api_key"`
	Voice string        `json:"voice"`
	Pause time.Duration `json:"pause"`
	Most  int           `json:"most"`
	Think struct {
		Budget int `json:"budget"`
	} `json:"think"`

	closed chan<- string
}

func (p *parrot) Stream(context.Context, model.Request, model.Deltas) (model.Reply, error) {
	return model.Reply{Text: p.Voice + " with " + p.Key}, nil
}

func (p *parrot) Identity() (provider, name string) { return "parrot", p.Voice }

func (p *parrot) String() string {
	return fmt.Sprintf("parrot %s %s %d %d", p.Voice, p.Pause, p.Most, p.Think.Budget)
}

func (p *parrot) Close() error {
	if p.closed != nil {
		p.closed <- p.Voice
	}
	return nil
}

func openParrot(c model.Config) (model.Model, error) {
	p := &parrot{Voice: "squawk"}
	if err := c.Decode(p); err != nil {
		return nil, err
	}
	if c.HTTP == nil || c.Log == nil {
		return nil, errors.New("a provider is given a client and a log")
	}
	if p.Key == "wrong" || strings.HasPrefix(p.Key, "hush") && p.Voice == "loud" {
		return nil, &model.SettingError{Path: []string{"api_key"}, Text: "the key " + p.Key + " is no key"}
	}
	return p, nil
}

// closedParrots receives the voices of those of the provider registered that were closed.
var closedParrots = func() chan string {
	closed := make(chan string, 1)
	model.Register("registered", func(c model.Config) (model.Model, error) {
		p := &parrot{closed: closed}
		return p, c.Decode(p)
	})
	return closed
}()

// openMute opens nothing.
func openMute(model.Config) (model.Model, error) { return nil, nil }

// openClumsy panics with what it was given.
func openClumsy(c model.Config) (model.Model, error) { panic(fmt.Sprint(c.Settings)) }

// TestAProviderThatPanics wants a mistake of the file, and the stack in the log, without the text that was
// written.
func TestAProviderThatPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := testOptions(map[string]string{"KEY": "hush-hush"})
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	_, err := parse("team.yaml", []byte("version: 1\nmodels:\n  m: { type: clumsy, api_key: \"${KEY}\" }\nagents: { "+
		"a: { type: llm, model: m } }\n"), o)
	if err == nil || !strings.HasPrefix(err.Error(), `team.yaml:3:3: model "m" cannot be used: the provider panics, the log says where`) {
		t.Errorf("parse() error = %v", err)
	}
	if !strings.Contains(log.String(), "openClumsy") || strings.Contains(log.String(), "hush") {
		t.Errorf("the log should say where, and nothing of the key:\n%s", log.String())
	}
}

// TestARegisteredProvider is known by its name, unless the options have another one for it.
func TestARegisteredProvider(t *testing.T) {
	t.Parallel()
	const file = "version: 1\nmodels: { default: { type: registered, voice: file } }\nagents: { a: { type: llm } }\n"
	voice := func(o Options) string {
		team, err := parse("team.yaml", []byte(file), o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := team.Close(); err != nil {
				t.Error(err)
			}
		}()
		reply, err := team.Agents["a"].(*groupchat.LLM).Model.Stream(t.Context(), model.Request{}, model.Deltas{})
		if err != nil {
			t.Fatal(err)
		}
		return reply.Text
	}
	if got := voice(testOptions(nil)); got != "file with " {
		t.Errorf("the registered provider's model says %q", got)
	}
	if got := <-closedParrots; got != "file" {
		t.Errorf("Close() closed %q", got)
	}
	o := testOptions(nil)
	o.Providers = map[string]model.Provider{"registered": func(model.Config) (model.Model, error) {
		return &parrot{Voice: "option", Key: "none"}, nil
	}}
	if got := voice(o); got != "option with none" {
		t.Errorf("the option's model says %q", got)
	}
}

// TestAListAnswers is a list of a file at work: what the first refuses the second answers, also as the model called
// default.
func TestAListAnswers(t *testing.T) {
	t.Parallel()
	o := testOptions(nil)
	o.Log = slog.New(slog.DiscardHandler)
	team, err := parse("team.yaml", []byte(`version: 1
models:
  default: { first_of: [ main, bird ] }
  main: { base_url: "http://127.0.0.1:1/v1", model: m, retries: 0 }
  bird: { type: parrot, voice: hello }
agents: { a: { type: llm } }
`), o)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := team.Agents["a"].(*groupchat.LLM).Model.Stream(t.Context(), model.Request{}, model.Deltas{})
	if err != nil || reply.Text != "hello with " {
		t.Errorf("the list says %q, %v", reply.Text, err)
	}
	var parts []string
	for _, p := range team.Parts.Models {
		parts = append(parts, p.Name)
	}
	if strings.Join(parts, " ") != "bird main" {
		t.Errorf("the parts are %q, want the models and not their list", parts)
	}
}
