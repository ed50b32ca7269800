package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/doctor"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/mcp"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/state/redisstore"
)

// errUnwell ends a command that has printed problems.
var errUnwell = errors.New("something is wrong; the marked lines above say what, and how to correct it")

// examine checks an installation with the settings of serve, and prints what it finds.
func examine(ctx context.Context, c *config, stdout, _ io.Writer) error {
	c.options.Log = slog.New(slog.DiscardHandler) // errors are in the report
	c.model.Log = c.options.Log
	team, checks := c.teamChecks()
	if team != nil {
		defer func() { _ = team.Close() }() // the servers have answered
	}
	checks = append(checks, c.storeCheck())
	checks = append(checks, c.settingsChecks(team)...)
	checks = append(checks, c.callerChecks()...)
	checks = append(checks, c.machineChecks()...)
	return c.report(doctor.Run(ctx, 0, checks...), stdout)
}

// misfit reports settings that do not fit as doctor reports anything else.
func misfit(err error, args []string, stdout io.Writer) error {
	c := &config{json: slices.Contains(args, "-json") || slices.Contains(args, "--json")}
	return c.report(doctor.Run(context.Background(), 0,
		doctor.Known("settings", doctor.Wrong, err,
			"Correct it; nothing else was checked. `gateway doctor -h` lists the settings.")), stdout)
}

// probe checks what a team file has on other servers.
func probe(ctx context.Context, c *config, team *teamfile.Team, stdout io.Writer) error {
	return c.report(doctor.Run(ctx, 0, partChecks(team)...), stdout)
}

// report prints what checks have found. It fails if something is wrong.
func (c *config) report(r doctor.Report, stdout io.Writer) error {
	r = r.Without(c.secrets()...)
	write := r.Print
	if c.json {
		write = r.PrintJSON
	}
	if err := write(stdout); err != nil {
		return err
	}
	if r.Verdict == doctor.Wrong {
		return errUnwell
	}
	return nil
}

// storeCheck is the check of where threads are kept.
func (c *config) storeCheck() doctor.Check {
	switch {
	case c.file != "":
		return doctor.File{Path: c.file, Limit: c.storeLimit}.Check()
	case c.redis != "":
		return doctor.Redis{Address: c.redis, Lease: c.options.Lease,
			Options: redisstore.Options{Logger: c.options.Log, Wait: c.storeWait}}.Check()
	default:
		return doctor.Memory()
	}
}

// teamChecks are those of the team and of what it has elsewhere. The caller closes the team, if there is one.
func (c *config) teamChecks() (*teamfile.Team, []doctor.Check) {
	if c.team == "" {
		m, err := c.defaultModel()
		if err != nil {
			return nil, []doctor.Check{doctor.Known("model", doctor.Wrong, err, "Correct what it names.")}
		}
		demo := doctor.Known("team", doctor.OK, errors.New("the built-in travel team is served"), "")
		if prober, ok := m.(prober); ok {
			return nil, []doctor.Check{demo,
				doctor.Model{Name: "default", Called: prober.String(), Probe: prober.Probe}.Check()}
		}
		return nil, []doctor.Check{demo}
	}
	team, err := c.readTeam()
	if err != nil {
		return nil, []doctor.Check{doctor.Known("team", doctor.Wrong, err,
			"Mend the team file; `gateway validate` shows its mistakes one to a line.")}
	}
	var warnings []string
	for _, w := range team.Warnings {
		warnings = append(warnings, w.String())
	}
	checks := partChecks(team)
	if len(warnings) > 0 {
		return team, append(checks, doctor.Known("team", doctor.Warning, errors.New(strings.Join(warnings, "; ")),
			"Change it, if it is not meant so."))
	}
	return team, append(checks, doctor.Known("team", doctor.OK,
		errors.New("the file "+c.team+" is good: "+agentNames(team.Agents)), ""))
}

type prober interface {
	String() string
	Probe(ctx context.Context) (openai.Probe, error)
}

// partChecks are the checks of what a team has elsewhere.
func partChecks(team *teamfile.Team) []doctor.Check {
	var checks []doctor.Check
	for _, m := range team.Parts.Models {
		if p, ok := m.Model.(prober); ok {
			provider, _ := model.Identify(m.Model)
			checks = append(checks,
				doctor.Model{Name: m.Name, Called: p.String(), Provider: provider, Probe: p.Probe}.Check())
			continue
		}
		called := "it"
		var ask func(context.Context) error
		provider, name := model.Identify(m.Model)
		if name != "" {
			called = "model " + provider + "/" + name
		}
		if c, ok := m.Model.(model.Checker); ok {
			ask = c.Check
		}
		checks = append(checks, doctor.ProvidedModel(m.Name, called, provider, ask))
	}
	for _, s := range team.Parts.Servers {
		checks = append(checks, doctor.MCPServer{Name: s.Name, Tools: s.Server.Source(mcp.SourceOptions{}).Tools,
			Named: s.Tools}.Check())
	}
	for _, a := range team.Parts.Agents {
		checks = append(checks, doctor.ToolNames(a.Name, a.CheckTools))
	}
	for _, r := range team.Parts.Remotes {
		checks = append(checks, doctor.Remote{Name: r.Name, Where: r.Remote.String(), Type: r.Type,
			Probe: r.Remote.Probe}.Check())
	}
	return checks
}

// secrets returns the values of settings that must not be printed.
func (c *config) secrets() []string {
	secrets := redact.Secrets(nil, c.model.Key, c.options.Webhook.Secret)
	for _, address := range []string{c.redis, c.model.BaseURL, c.options.Webhook.URL, c.auth.jwt.KeySet} {
		u, _ := url.Parse(address) // nil if it is none
		secrets = append(secrets, redact.Secrets(u)...)
	}
	return secrets
}
