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
