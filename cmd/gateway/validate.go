package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
)

// validate checks the team file as serve would read it, and what the settings say of callers.
func validate(_ context.Context, c *config, stdout, stderr io.Writer) error {
	if c.team == "" {
		return usageError{"validate needs a team file; write -config FILE"}
	}
	if _, err := c.auth.open(slog.New(slog.DiscardHandler)); err != nil { // it has asked nobody, so there is nothing to stop
		return err
	}
	team, err := c.readTeam()
	if err != nil {
		return teamError(err)
	}
	for _, w := range team.Warnings {
		printError(stderr, errors.New("warning: "+w.String()))
	}
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", c.team, err), team.Close())
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

// agentNames are the names of agents as people list them.
func agentNames(agents map[string]groupchat.Agent) string {
	return strings.Join(slices.Sorted(maps.Keys(agents)), ", ")
}
