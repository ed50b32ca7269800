package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/cmd/gateway/internal/chat"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/inprocess"
	"github.com/agui-gateway/gateway/telemetry"
)

// Exit codes of chat in addition to those of all commands, for scripts.
const (
	exitQuestion = 3
	exitStopped  = 130
)

// chatFlags are the flags of `gateway chat` besides the server's settings.
type chatFlags struct {
	url, thread, keep string
	header            http.Header
}

// chatSettings are the settings of a conversation, and those for a team that is served in this process.
func chatSettings(c *config) []setting {
	settings := c.settingsNamed(strings.Fields("config env-file store model-url model model-key voice-delay " +
		"interrupt-ttl thread-ttl log-ttl run-timeout model-timeout tool-timeout allow-addresses log-level")...)
	for i, s := range settings {
		switch s.flag {
		case "config":
			settings[i].help = "team file that is served in this process; without one, and without -url, it is the " +
				"built-in travel team"
		case "log-level":
			settings[i].def = "warn" // the log and the conversation share a terminal
		}
	}
	return append([]setting{
		{"url", "", "the agent's URL at any AG-UI server, or a gateway's address with -agent", text(&c.chat.url)},
		{"agent", "", "which agent of the gateway or the team; it needs no name where there is one", word(&c.agent)},
		{"thread", "", "continue this conversation; a new one gets a new id", word(&c.chat.thread)},
		{"header", "", "\"Name: value\" for each request to -url; may be given several times, and in the " +
			"environment with a line for each", headers(&c.chat.header)},
		{"keep", "on", "on or off: whether conversations with servers that store none are stored in local files, to " +
			"continue later", oneOf(&c.chat.keep, "on", "off")},
	}, settings...)
}

// headers reads lines of headers; the error does not quote them, for they may hold a secret.
func headers(p *http.Header) func(string) error {
	return func(value string) error {
		*p = http.Header{}
		for text := range strings.Lines(value) {
			name, value, ok := strings.Cut(strings.TrimSpace(text), ":")
			if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
				return errors.New(`not a header; write "Name: value"`)
			}
			p.Add(name, strings.TrimSpace(value))
		}
		return nil
	}
}

// converse holds a conversation with an agent: with a person at a terminal, or with what standard input has.
func converse(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	// An interrupt stops a run and not the program, for which main has ended ctx.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	o := chat.Options{In: os.Stdin, Out: stdout, Err: stderr, Interrupts: interrupts, Thread: c.chat.thread,
		NewID: uuid.NewString}
	begin := c.chatElsewhere
	if c.chat.url == "" {
		begin = c.chatHere
	}
	end, err := begin(ctx, &o, stderr)
	if err != nil {
		return err
	}
	if chat.IsTerminal() && terminal(stdout) {
		t := chat.OpenTerminal()
		defer func() { _ = t.Close() }() // it returns nil
		noColour, _ := c.env("NO_COLOR")
		dumb, _ := c.env("TERM")
		o.Lines, o.Colour = t, noColour == "" && dumb != "dumb"
	}
	return errors.Join(chatEnding(chat.Run(ctx, o)), end())
}

// chatEnding returns the program's error for the end of a conversation.
func chatEnding(err error) error {
	switch {
	case errors.Is(err, chat.ErrQuestion):
		return exitCode(exitQuestion)
	case errors.Is(err, chat.ErrStopped):
		return exitCode(exitStopped)
	case errors.Is(err, chat.ErrNothing):
		return usageError{"there is nothing to say; write it to standard input"}
	}
	return err
}

// chatElsewhere configures o for an agent of another server.
func (c *config) chatElsewhere(ctx context.Context, o *chat.Options, _ io.Writer) (end func() error, err error) {
	if c.team != "" && c.sourceOf("url") == c.sourceOf("config") {
		return nil, usageError{"name the agent's -url or a team file with -config, not both"}
	}
	place := chat.Place{URL: c.chat.url, Header: c.chat.header, HTTP: cmp.Or(c.http, egress.New())}
	at, err := place.Agent(ctx, c.agent)
	if err != nil {
		return nil, err
	}
	o.Client, err = client.New(client.Options{URL: at, Headers: c.chat.header, HTTP: place.HTTP, Timeout: -1})
	if err != nil {
		return nil, err
	}
	o.Agent, o.Agents = cmp.Or(c.agent, o.Client.Agent()), place.Agents
	o.Reads = func(ctx context.Context) bool { return place.Reads(ctx, o.Agent) }
	o.Again, o.AgainAlso = c.continueCommand()
	o.Where = "at " + o.Client.String()
	if dir := stateDir(c.env); c.chat.keep == "on" && dir != "" {
		o.Kept = &chat.Kept{Dir: filepath.Join(dir, "agui-gateway", "chat"), URL: o.Client.String()}
	}
	return func() error { place.HTTP.CloseIdleConnections(); return nil }, nil
}

// chatHere configures o for an agent of a team that is served in this process only.
func (c *config) chatHere(ctx context.Context, o *chat.Options, stderr io.Writer) (end func() error, err error) {
	if len(c.chat.header) > 0 && c.sourceOf("header") == sourceFlag {
		return nil, usageError{"-header is for an agent at a -url"}
	}
	c.logFormat = "text"
	log := slog.New(gateway.BoundedLog(telemetry.LogHandler(c.logHandler(stderr))))
	c.options.Log, c.model.Log = log, log
	parts, err := c.open(ctx, log)
	if err != nil {
		return nil, err
	}
	name := c.agent
	if names := slices.Sorted(maps.Keys(parts.team.Agents)); name == "" && len(names) == 1 {
		name = names[0]
	} else if !slices.Contains(names, name) {
		return nil, errors.Join(usageError{fmt.Sprintf("-agent: name one of the agents that are served: %s",
			strings.Join(names, ", "))}, parts.close())
	}
	o.Client, err = client.New(client.Options{
		URL: "http://localhost/agents/" + name, Server: client.ServerGateway, HTTP: inprocess.Client(parts.gateway),
		Timeout: -1,
	})
	if err != nil {
		return nil, errors.Join(err, parts.close())
	}
	typed := parts.team.Options[name].TypedAnswers != nil
	o.Reads = func(context.Context) bool { return typed }
	o.Agent, o.Where = name, "of "+cmp.Or(c.team, "the built-in team")
	if c.options.Shared {
		o.Again, o.AgainAlso = c.continueCommand()
	}
	return parts.close, nil
}

func (c *config) sourceOf(flag string) string {
	for _, e := range c.effective {
		if e.Setting == flag {
			return e.Source
		}
	}
	return sourceDefault
}

// continueCommand returns this conversation's command line without thread and secrets; also names the omitted flags.
func (c *config) continueCommand() (command, also string) {
	words := []string{"gateway", "chat"}
	for _, e := range c.effective {
		switch {
		case e.Source != sourceFlag || e.Setting == "thread":
		case e.Setting == "header", e.Setting == "model-key", e.Setting == "store" && c.redis != "":
			also += " -" + e.Setting
		case publicURL(e) != e.Value:
			also += " -" + e.Setting
			fallthrough
		default:
			words = append(words, "-"+e.Setting, chat.Quote(publicURL(e)))
		}
	}
	return strings.Join(words, " "), strings.TrimSpace(also)
}

// publicURL returns the value of a setting; for a URL, without secrets.
func publicURL(e effectiveValue) string {
	u, err := url.Parse(e.Value)
	if e.Setting != "url" || err != nil {
		return e.Value
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// stateDir returns the directory for state of the user's programs; empty if unknown.
func stateDir(env func(string) (string, bool)) string {
	if dir, _ := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if runtime.GOOS == "windows" {
		dir, _ := env("LOCALAPPDATA")
		return dir
	}
	if home, _ := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "state")
	}
	return ""
}
