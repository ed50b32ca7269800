package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/gateway/teamfile/teamtest"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// conversationFlags are the flags of `gateway test` besides settings.
type conversationFlags struct {
	only                    *regexp.Regexp
	record, update, verbose bool
}

// conversationSettings are the settings that count for a team that is tested.
func conversationSettings(c *config) []setting {
	settings := c.settingsNamed("config", "env-file", "model-url", "model", "model-key", "model-timeout",
		"tool-timeout", "allow-addresses")
	for i := range settings {
		if settings[i].flag == "config" {
			settings[i].help = "team file of conversations that name none; without one they are held with the " +
				"built-in travel team"
		}
	}
	return append(settings, setting{"run", "",
		"play only conversations with a path that matches this regular expression", func(value string) (err error) {
			c.conversations.only, err = regexp.Compile(value)
			if err != nil {
				return errors.New("no regular expression")
			}
			return nil
		}})
}

// playConversations plays the conversations at a path and prints the results.
func playConversations(ctx context.Context, c *config, stdout, _ io.Writer) error {
	c.options.Log = slog.New(slog.DiscardHandler) // errors are in the report
	flags := c.conversations
	load := c.teamOptions()
	load.Types = map[string]teamfile.AgentType{"travel": demoOf(*c)}
	results, err := teamtest.Run(ctx, c.operand, teamtest.Options{
		Load: load, Team: c.team, Only: flags.only, Record: flags.record, Update: flags.update, Otherwise: builtIn(*c),
	})
	if err != nil {
		return err
	}
	if err := reportConversations(results, c, stdout); err != nil {
		return err
	}
	failed := 0
	for _, r := range results {
		if !r.OK() {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d conversations come to something else", failed, len(results))
	}
	return nil
}

// demoOf makes a travel team for one of several conversations that are played concurrently.
func demoOf(c config) teamfile.AgentType {
	return func(m model.Model) groupchat.Agent {
		local := c
		return local.demo(m)
	}
}

// builtIn makes the team that is served without a team file.
func builtIn(c config) func(teamfile.Options) (*teamfile.Team, error) {
	return func(o teamfile.Options) (*teamfile.Team, error) {
		local := c
		local.model = o.Model
		m, err := local.defaultModel()
		if err != nil {
			return nil, err
		}
		if m != nil && o.Substitutes.Model != nil {
			m = cmp.Or(o.Substitutes.Model("default", m), m)
		}
		return &teamfile.Team{Agents: map[string]groupchat.Agent{"travel": local.demo(m)}}, nil
	}
}

func reportConversations(results []*teamtest.Result, c *config, stdout io.Writer) error {
	if c.json {
		out := json.NewEncoder(stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(results)
	}
	for _, r := range results {
		if err := r.Write(stdout, c.conversations.verbose); err != nil {
			return err
		}
	}
	return nil
}
