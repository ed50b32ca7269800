package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/doctor"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

// A provided is a model of somebody's provider, which can be asked whether it is there.
type provided struct {
	model.Func
	err error
}

func (provided) Identity() (provider, name string) { return "theirs", "m" }

func (p provided) Check(context.Context) error { return p.err }

// An uncheckable is one that cannot.
type uncheckable struct{ model.Func }

func TestDoctorOfProvidedModels(t *testing.T) {
	t.Parallel()
	coded := func(code errcode.Code) error {
		return &errcode.Error{Code: code, Err: errors.New("api_key=hush-hush-hush-hush")}
	}
	for want, m := range map[string]model.Model{
		"ok         model theirs: model theirs/m can be asked":               provided{},
		"ok         model theirs: it is set up":                              uncheckable{},
		"wrong      model theirs: model theirs/m does not take the key":      provided{err: coded(errcode.ModelAuth)},
		"wrong      model theirs: model theirs/m cannot be reached":          provided{err: coded(errcode.ModelUnavailable)},
		"wrong      model theirs: model theirs/m refuses a request":          provided{err: coded(errcode.ModelRequest)},
		"wrong      model theirs: model theirs/m refuses a request: no code": provided{err: errors.New("no code")},
	} {
		team := &teamfile.Team{Parts: teamfile.Parts{Models: []teamfile.ModelPart{{Name: "theirs", Model: m}}}}
		var out strings.Builder
		if err := doctor.Run(t.Context(), 0, partChecks(team)...).Print(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), want) || strings.Contains(out.String(), "hush") {
			t.Errorf("doctor says %q, want %q", out.String(), want)
		}
	}
}

// A refusing model does not take the key. Its provider is the string.
type refusing string

func (refusing) Stream(context.Context, model.Request, model.Deltas) (model.Reply, error) {
	return model.Reply{}, nil
}

func (r refusing) Identity() (provider, name string) { return string(r), "m" }

func (r refusing) String() string { return "model " + string(r) + "/m" }

func (refusing) Check(context.Context) error {
	return &errcode.Error{Code: errcode.ModelAuth, Err: errors.New("status 401")}
}

// A refusingServer is one behind OpenAI's API.
type refusingServer struct{ refusing }

func (r refusingServer) Probe(ctx context.Context) (openai.Probe, error) {
	return openai.Probe{}, r.Check(ctx)
}

// TestDoctorNamesTheKey of the provider that refuses it.
func TestDoctorNamesTheKey(t *testing.T) {
	t.Parallel()
	for m, want := range map[model.Model]string{
		refusing("anthropic"):              "Correct ANTHROPIC_API_KEY in the environment, or api_key in the team file.",
		refusing("theirs"):                 "Correct the key in the team file.",
		refusingServer{refusing("gemini")}: "Correct GEMINI_API_KEY in the environment, or api_key in the team file.",
		refusingServer{refusing("openai")}: "Correct -model-key (OPENAI_API_KEY), or api_key in the team file.",
		refusingServer{refusing("mine")}:   "Correct -model-key (OPENAI_API_KEY), or api_key in the team file.",
	} {
		team := &teamfile.Team{Parts: teamfile.Parts{Models: []teamfile.ModelPart{{Name: "m", Model: m}}}}
		var out strings.Builder
		if err := doctor.Run(t.Context(), 0, partChecks(team)...).Print(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("doctor says %q, want %q in it", out.String(), want)
		}
	}
}
