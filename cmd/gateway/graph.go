package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/mermaid"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// graphSettings are the settings that count for a team that is drawn, and which of its agents are.
func graphSettings(c *config) []setting {
	return append(c.settingsNamed("config", "env-file", "model-url", "model", "model-key"),
		setting{"agent", "", "draw only this agent", text(&c.agent)})
}

// graph prints the served agents as a Mermaid flowchart. It contacts no server.
func graph(_ context.Context, c *config, stdout, _ io.Writer) error {
	team, err := c.loadTeam()
	if err != nil {
		return err
	}
	defer func() { _ = team.Close() }() // nothing was started
	agents := team.Agents
	if c.agent != "" {
		if agents[c.agent] == nil {
			return fmt.Errorf("-agent: there is no agent %q; there are %s", c.agent, agentNames(agents))
		}
		agents = map[string]groupchat.Agent{c.agent: agents[c.agent]}
	}
	var infos []profile.Info
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		info := profile.Info{}
		if describer, ok := groupchat.As[profile.Describer](agents[name]); ok {
			info = describer.Describe()
		}
		info.Name = name
		infos = append(infos, info)
	}
	_, err = io.WriteString(stdout, mermaid.Flowchart(infos...))
	return err
}
