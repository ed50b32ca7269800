package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// validate checks the team file and authentication like serve. It contacts servers only with -probe.
func validate(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	if c.team == "" {
		return usageError{"validate needs a team file; write -config FILE"}
	}
	if _, err := c.auth.open(slog.New(slog.DiscardHandler)); err != nil { // it has started nothing to stop
		return err
	}
	if c.probe {
		c.options.Log = slog.New(slog.DiscardHandler) // errors are in the report
	}
	team, err := c.readTeam()
	if err != nil {
		return teamError(err)
	}
	for _, w := range team.Warnings {
		printError(stderr, errors.New("warning: "+w.String()))
	}
	if names := restricted(team.Options); len(names) > 0 && c.auth.mode == authNone {
		printError(stderr, fmt.Errorf("warning: %s: `allow` names roles, so the gateway serves this file only with "+
			"-auth keys, jwt or header", strings.Join(names, ", ")))
	}
	// No request is served here, so any principal satisfies agents with restricted access.
	anybody := func(*http.Request) (gateway.Principal, error) { return gateway.Principal{}, nil }
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options, Principal: anybody})
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", c.team, err), team.Close())
	}
	if c.probe {
		return errors.Join(probe(ctx, c, team, stdout), g.Close(), team.Close())
	}
	text := c.team + " is good: " + agentNames(team.Agents)
	if len(team.Unserved) > 0 {
		text += "; not served: " + agentNames(team.Unserved)
	}
	if _, err := fmt.Fprintln(stdout, text); err != nil {
		return err
	}
	return errors.Join(g.Close(), team.Close())
}

// restricted returns the names of the agents that are for principals with certain roles.
func restricted(options map[string]gateway.AgentOptions) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(options)),
		func(name string) bool { return len(options[name].Allow) == 0 })
}

func agentNames(agents map[string]groupchat.Agent) string {
	return strings.Join(slices.Sorted(maps.Keys(agents)), ", ")
}
