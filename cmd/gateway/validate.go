package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/gateway"
)

// validate checks the team file as serve would read it.
func validate(_ context.Context, c *config, stdout, _ io.Writer) error {
	if c.team == "" {
		return usageError{"validate needs a team file; write -config FILE"}
	}
	team, err := c.readTeam()
	if err != nil {
		return teamError(err)
	}
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", c.team, err), team.Close())
	}
	names := strings.Join(slices.Sorted(maps.Keys(team.Agents)), ", ")
	if _, err := fmt.Fprintf(stdout, "%s is good: %s\n", c.team, names); err != nil {
		return err
	}
	return errors.Join(g.Close(), team.Close())
}
