package model_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/fence"
	"github.com/agui-gateway/gateway/model"
)

// failing is a model that fails with code, having used so many tokens, and says text before if there is one.
type failing struct {
	name string
	code errcode.Code
	used int64
	text string
}

func (f failing) Identity() (provider, name string) { return "test", f.name }

func (f failing) Stream(_ context.Context, _ model.Request, on model.Deltas) (model.Reply, error) {
	cost := float64(f.used)
	reply := model.Reply{Usage: agui.TokenUsage{Provider: "test", Model: f.name, InputTokens: &f.used}, Cost: &cost, Text: f.text}
	if f.text != "" {
		if err := on.Text(f.text); err != nil {
			return reply, err
		}
	}
	if f.code == "" {
		return reply, nil
	}
	return reply, &errcode.Error{Code: f.code, Err: errors.New("of " + f.name)}
}

func listOf(models ...failing) *model.FirstOf {
	f := &model.FirstOf{}
	for _, m := range models {
		f.Models = append(f.Models, m)
	}
	return f
}

func TestTheNextModelIsAsked(t *testing.T) {
	t.Parallel()
	all := []errcode.Code{
		errcode.ModelUnavailable, errcode.ModelAuth, errcode.ModelRequest, errcode.ModelResponse, errcode.ModelContextLength,
		errcode.ModelContentFilter, errcode.BudgetExceeded, errcode.HookFailed, errcode.GuardrailRefused, errcode.Internal,
	}
	for _, code := range all {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			goesOn := slices.Index(all, code) < 5
			reply, err := listOf(failing{name: "a", code: code, used: 3}, failing{name: "b", used: 4, text: "hello"}).
				Stream(context.Background(), model.Request{}, model.Deltas{Text: func(string) error { return nil }})
			if goesOn != (err == nil) {
				t.Fatalf("Stream() error = %v, want one: %t", err, !goesOn)
			}
			if !goesOn {
				if errcode.Of(err) != code || *reply.Cost != 3 {
					t.Errorf("Stream() = %+v, %v", reply, err)
				}
				return
			}
			if reply.Text != "hello" || reply.Usage.Model != "b" || *reply.Cost != 7 || len(reply.Earlier) != 1 || reply.Earlier[0].Model != "a" {
				t.Errorf("Stream() = %+v", reply)
			}
		})
	}
}

func TestAllModelsFail(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := listOf(failing{name: "a", code: errcode.ModelAuth, used: 1}, failing{name: "b", code: errcode.ModelUnavailable, used: 2}, failing{name: "c", code: errcode.ModelRequest, used: 4})
	f.Log = slog.New(slog.NewTextHandler(&log, nil))
	reply, err := f.Stream(context.Background(), model.Request{}, model.Deltas{})
	if errcode.Of(err) != errcode.ModelRequest || !strings.Contains(err.Error(), "of c") {
		t.Errorf("Stream() error = %v, want the last one's", err)
	}
	if len(reply.Earlier) != 2 || reply.Usage.Model != "c" || *reply.Cost != 7 {
		t.Errorf("Stream() = %+v, want what each has used", reply)
	}
	for _, want := range []string{"code=model_auth", `of a"`, "code=model_unavailable", `of b"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "of c") {
		t.Errorf("the last failure is the error, and is in the log too:\n%s", log.String())
	}
}

func TestNothingFollowsWhatWasSaid(t *testing.T) {
	t.Parallel()
	next := failing{name: "b", text: "other words"}
	refused := errors.New("the client is gone")
	for name, on := range map[string]func(deltas model.Deltas) error{
		"text":      func(on model.Deltas) error { return on.Text("half") },
		"reasoning": func(on model.Deltas) error { return on.Reasoning("half") },
		"a call":    func(on model.Deltas) error { return on.Call(0, "look", "{") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := model.Func(func(_ context.Context, _ model.Request, d model.Deltas) (model.Reply, error) {
				return model.Reply{}, errors.Join(on(d), &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("broke off")})
			})
			f := &model.FirstOf{Models: []model.Model{first, next}}
			if _, err := f.Stream(context.Background(), model.Request{}, model.Deltas{}); errcode.Of(err) != errcode.ModelUnavailable {
				t.Errorf("Stream() error = %v, want the first model's", err)
			}
		})
	}
	f := listOf(failing{name: "a", text: "hello"}, next)
	if _, err := f.Stream(context.Background(), model.Request{}, model.Deltas{Text: func(string) error { return refused }}); !errors.Is(err, refused) {
		t.Errorf("Stream() error = %v, want that of the deltas", err)
	}
}

func TestAnEndedRunAsksNoFurtherModel(t *testing.T) {
	t.Parallel()
	asked := 0
	counts := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		asked++
		return model.Reply{}, nil
	})
	moved := errors.New("moved")
	away := failing{name: "a", code: errcode.ModelUnavailable, used: 2}

	ctx := fence.With(context.Background(), func(context.Context) error { return moved })
	reply, err := (&model.FirstOf{Models: []model.Model{away, counts}}).Stream(ctx, model.Request{}, model.Deltas{})
	if !errors.Is(err, moved) || len(reply.Earlier) != 1 || *reply.Cost != 2 {
		t.Errorf("Stream() = %+v, %v, want the fence's error and what was used", reply, err)
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	stops := model.Func(func(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
		cancel(moved)
		return away.Stream(ctx, r, on)
	})
	if _, err := (&model.FirstOf{Models: []model.Model{stops, counts}}).Stream(ctx, model.Request{}, model.Deltas{}); err == nil {
		t.Error("Stream() error = nil after the end of its context")
	}
	if asked != 0 {
		t.Errorf("the next model was asked %d times", asked)
	}
}

func TestAListOfModels(t *testing.T) {
	t.Parallel()
	if provider, name := model.Identify(listOf(failing{name: "a"}, failing{name: "b"})); provider+"/"+name != "test/a" {
		t.Errorf("Identify() = %s/%s", provider, name)
	}
	if model.Reasons(listOf(failing{name: "a"})) || !model.Reasons(&model.FirstOf{Models: []model.Model{failing{}, thinks{}}}) {
		t.Error("a list reasons if one of its models does")
	}
	for name, f := range map[string]*model.FirstOf{"empty": {}, "nil": {Models: []model.Model{failing{}, nil}}} {
		if f.Validate() == nil {
			t.Errorf("%s: Validate() = nil", name)
		}
		if _, err := f.Stream(context.Background(), model.Request{}, model.Deltas{}); errcode.Of(err) != errcode.Internal {
			t.Errorf("%s: Stream() error = %v", name, err)
		}
	}
	nested := &model.FirstOf{Models: []model.Model{listOf(failing{name: "a", code: errcode.ModelAuth, used: 1}, failing{name: "b", code: errcode.ModelAuth, used: 2}), failing{name: "c", used: 4}}}
	reply, err := nested.Stream(context.Background(), model.Request{}, model.Deltas{})
	if err != nil || len(reply.Earlier) != 2 || *reply.Cost != 7 {
		t.Errorf("Stream() = %+v, %v, want the usage of all three", reply, err)
	}
}

type thinks struct{ failing }

func (thinks) Reasons() bool { return true }
