package teamtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/internal/inprocess"
	"github.com/agui-gateway/gateway/model"
)

// A player plays one conversation.
type player struct {
	*conversation
	o         Options
	result    *Result
	told      complaints // of models and servers
	scripts   map[string]*modeltest.Model
	recorders []*recorder
	stops     []func()
	rewritten []rewrite
}

// play plays c. The result has the problems.
func (c *conversation) play(ctx context.Context, o Options) *Result {
	p := &player{conversation: c, o: o, scripts: map[string]*modeltest.Model{}}
	p.result = &Result{File: c.file, About: c.about}
	defer func() {
		for _, stop := range slices.Backward(p.stops) {
			stop()
		}
	}()
	if err := p.prepare(); err != nil {
		p.result.fail(err, c.file)
		return p.result
	}
	handler, agent, err := p.serve()
	if err != nil {
		p.result.fail(err, c.file)
		return p.result
	}
	p.talk(ctx, handler, agent)
	return p.result
}

// prepare makes the replacements of models, servers and remote agents.
func (p *player) prepare() error {
	for _, s := range p.models {
		if s.recorded != "" && p.o.Record {
			continue
		}
		replies := s.replies
		if s.recorded != "" {
			var err error
			if replies, err = readRecording(s.recorded); err != nil {
				return err
			}
		}
		m := modeltest.New(&p.told)
		m.Add(replies...)
		p.scripts[s.name] = m
	}
	for _, s := range p.servers {
		s.told = &p.told
	}
	for _, e := range p.endpoints {
		e.told, e.there = &p.told, false
	}
	return nil
}

// serve makes the gateway of the conversation.
func (p *player) serve() (http.Handler, string, error) {
	file := cmp.Or(p.team, p.o.Team)
	load := p.loadOptions()
	load.Substitutes = teamfile.Substitutes{Model: p.model, Server: p.server, HTTP: p.endpoint, Remote: p.remote(load)}
	var team *teamfile.Team
	var err error
	switch {
	case file != "":
		team, err = teamfile.Load(file, load)
	case p.o.Otherwise != nil:
		file = "the built-in team"
		team, err = p.o.Otherwise(load)
	default:
		err = errors.New("no team is named; write `team: team.yaml`, or give -config FILE")
	}
	if err != nil {
		return nil, "", err
	}
	p.stops = append(p.stops, func() { _ = team.Close() })
	for name := range p.servers {
		if !slices.ContainsFunc(team.Parts.Servers, func(s teamfile.ServerPart) bool { return s.Name == name }) {
			return nil, "", fmt.Errorf("%s has no MCP server called %q", file, name)
		}
	}
	for name, e := range p.endpoints {
		if !e.there {
			return nil, "", fmt.Errorf("%s has no tool called %q whose calls are requests", file, name)
		}
	}
	for name := range p.remotes {
		if !slices.ContainsFunc(team.Parts.Remotes, func(r teamfile.RemotePart) bool { return r.Name == name }) {
			return nil, "", fmt.Errorf("%s has no remote agent called %q", file, name)
		}
	}
	agent, served := p.agent, slices.Sorted(maps.Keys(team.Agents))
	switch {
	case agent == "" && len(served) == 1:
		agent = served[0]
	case agent == "":
		return nil, "", fmt.Errorf("%s serves %s; write `agent:` and one of them", file, strings.Join(served, ", "))
	case team.Agents[agent] == nil:
		return nil, "", fmt.Errorf("%s serves no agent called %q; it serves %s",
			file, agent, strings.Join(served, ", "))
	}
	g, err := gateway.New(p.gatewayOptions(team))
	if err != nil {
		return nil, "", err
	}
	p.stops = append(p.stops, func() { _ = g.Close() })
	return g, agent, nil
}

func (p *player) gatewayOptions(team *teamfile.Team) gateway.Options {
	var ids atomic.Int64
	o := gateway.Options{
		Agents: team.Agents, Agent: team.Options, Hooks: []groupchat.Hooks{modeltest.Speakers()}, Log: p.o.Load.Log,
		NewID: func() string { return strconv.FormatInt(ids.Add(1), 10) },
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Principal = func(*http.Request) (gateway.Principal, error) {
		if p.caller == nil {
			return gateway.Principal{ID: "somebody"}, nil
		}
		return gateway.Principal{ID: p.caller.id, Roles: p.caller.roles, Claims: p.caller.claims}, nil
	}
	return o
}

// loadOptions returns the options of the team file: with the conversation's environment, and an address for models that
// are never called.
func (p *player) loadOptions() teamfile.Options {
	load := p.o.Load
	env := load.Env
	if load.Log == nil {
		load.Log = slog.New(slog.DiscardHandler)
	}
	if p.modelsOff {
		load.Model.BaseURL, load.Model.Key = "", ""
	}
	nowhere := len(p.models) > 0 && load.Model.BaseURL == "" && load.Model.Key == "" && !p.o.Record
	if nowhere {
		load.Model.BaseURL, load.Model.Name = modelNowhere, cmp.Or(load.Model.Name, "script")
	}
	load.Env = func(name string) (string, bool) {
		if value, ok := p.env[name]; ok {
			return value, true
		}
		if openai := name == "OPENAI_BASE_URL" || name == "OPENAI_API_KEY"; openai && p.modelsOff {
			return "", false
		} else if openai && nowhere {
			return map[string]string{"OPENAI_BASE_URL": modelNowhere}[name], name == "OPENAI_BASE_URL"
		}
		if env == nil {
			return "", false
		}
		return env(name)
	}
	return load
}

// modelNowhere is the address of models that need one and are never called.
const modelNowhere = "http://127.0.0.1:1/v1"

// model returns the replacement of a model.
func (p *player) model(name string, m model.Model) model.Model {
	if script := p.scripts[name]; script != nil {
		return likeness{script, m}
	}
	for _, s := range p.models {
		if s.name == name && s.recorded != "" {
			r := &recorder{Model: m, file: s.recorded}
			p.recorders = append(p.recorders, r)
			return r
		}
	}
	if len(p.models) == 0 || p.o.Load.Model.BaseURL != "" || p.o.Load.Model.Key != "" {
		return nil // the real one
	}
	return likeness{model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		p.told.Errorf("the model %q is asked, and the conversation has no replies of it; "+
			"write `models: { %s: { replies: […] } }`", name, name)
		return model.Reply{}, &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("no replies")}
	}), m}
}

// A likeness has the identity of another model.
type likeness struct {
	model.Model
	of model.Model
}

// Reasons reports whether the other model reasons.
func (l likeness) Reasons() bool { return model.Reasons(l.of) }

// Identity returns that of the other model.
func (l likeness) Identity() (provider, name string) { return model.Identify(l.of) }

// server returns the client of the replacement of an MCP server.
func (p *player) server(name string) *http.Client {
	if s := p.servers[name]; s != nil {
		return inprocess.Client(s)
	}
	return nil
}

// remote returns the client of the replacement of a remote agent.
func (p *player) remote(load teamfile.Options) func(string) *http.Client {
	return func(name string) *http.Client {
		r := p.remotes[name]
		if r == nil {
			return nil
		}
		c, stop, err := r.serve(load)
		if err != nil {
			r.at.Bad("the agent that stands in cannot be used: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
			return nil
		}
		p.stops = append(p.stops, stop)
		return c
	}
}
