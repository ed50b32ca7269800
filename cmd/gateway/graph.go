package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/mermaid"
	"github.com/agui-gateway/gateway/groupchat"
)

// graphSettings are the settings that count for a team that is drawn, and which of its agents are.
func graphSettings(c *config) []setting {
	names := []string{"config", "env-file", "model-url", "model", "model-key"}
	settings := slices.DeleteFunc(c.settings(), func(s setting) bool { return !slices.Contains(names, s.flag) })
	return append(settings, setting{"agent", "", "draw only this agent", text(&c.agent)})
}

// graph prints the served agents as a Mermaid flowchart. It contacts no server.
func graph(_ context.Context, c *config, stdout, _ io.Writer) error {
	agents, closeTeam, err := c.drawnAgents()
	if err != nil {
		return err
	}
	defer closeTeam()
	if c.agent != "" {
		if agents[c.agent] == nil {
			return fmt.Errorf("-agent: there is no agent %q; there are %s", c.agent, agentNames(agents))
		}
		agents = map[string]groupchat.Agent{c.agent: agents[c.agent]}
	}
	var infos []groupchat.Info
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		info := groupchat.Info{}
		if describer, ok := groupchat.As[groupchat.Describer](agents[name]); ok {
			info = describer.Describe()
		}
		info.Name = name
		infos = append(infos, info)
	}
	_, err = io.WriteString(stdout, mermaid.Flowchart(infos...))
	return err
}

// drawnAgents returns the agents of the team file or, without one, the built-in team.
func (c *config) drawnAgents() (map[string]groupchat.Agent, func(), error) {
	if c.team == "" {
		m, err := c.defaultModel()
		if err != nil {
			return nil, nil, err
		}
		return map[string]groupchat.Agent{"travel": c.demo(m)}, func() {}, nil
	}
	team, err := c.readTeam()
	if err != nil {
		return nil, nil, teamError(err)
	}
	return team.Agents, func() { _ = team.Close() }, nil // nothing was started
}
