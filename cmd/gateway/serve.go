package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/travel"
	"github.com/agui-gateway/gateway/web"
)

// Time limits of the server. There is none for writing: a stream lasts as long as its run, and the gateway
// limits each write.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	// lastWords is how long readers have, once the runs are over, to be told so.
	lastWords = 2 * time.Second
)

// errNotPublic is X1: nothing starts where others can reach it unless told so in words.
var errNotPublic = errors.New("-addr (GATEWAY_ADDR): others can reach this address and nobody has to prove who they are; " +
	"listen on 127.0.0.1, or write -auth none (GATEWAY_AUTH=none) out if that is meant")

// serve runs the server until ctx is done and the runs have ended or were cut short.
func serve(ctx context.Context, c *config, _, stderr io.Writer) error {
	if !c.public && !loopback(c.addr) {
		return errNotPublic
	}
	log := slog.New(gateway.BoundedLog(c.logHandler(stderr)))
	c.options.Log, c.model.Log = log, log
	hungUp, stop := c.hangUps()
	defer stop()
	team, err := c.loadTeam()
	if err != nil {
		return err
	}
	store, err := c.openStore(ctx, log)
	if err != nil {
		return errors.Join(err, team.Close())
	}
	c.options.Agents, c.options.Agent = team.Agents, team.Options
	c.options.Store, c.options.Shared = store, c.redis != ""
	c.options.Page = web.Handler()
	g, err := gateway.New(c.options)
	if err != nil {
		return errors.Join(err, store.Close(), team.Close())
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("-addr (GATEWAY_ADDR): %w", err), g.Close(), store.Close(), team.Close())
	}
	server := &http.Server{
		Handler:           g,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1) // so that it can be left behind when the server is closed
	go func() { served <- server.Serve(listener) }()
	c.announce(log, listener.Addr())
	announceAgents(log, team)

	s := &staff{c: c, g: g, log: log, team: team}
	for done := false; !done; {
		select {
		case <-hungUp:
			s.reload()
		case err = <-served:
			done = true
		case <-ctx.Done():
			log.Info("draining", "for", c.drain.String())
			err = end(g, server, c.drain)
			log.Info("stopped")
			done = true
		}
	}
	return errors.Join(err, g.Close(), s.close(), store.Close())
}

// openStore opens what the store setting names. A Redis that cannot be reached yet is waited for, not ready, because
// whatever starts both starts them in no order; one that refuses the credentials stops the start.
func (c *config) openStore(ctx context.Context, log *slog.Logger) (state.Store, error) {
	if c.redis == "" {
		return state.NewMemory(c.memory), nil
	}
	store, err := redisstore.Open(ctx, c.redis, redisstore.Options{
		LogTTL: c.memory.LogTTL, ThreadTTL: c.memory.ThreadTTL, Logger: log, Late: true,
	})
	if err != nil {
		return nil, fmt.Errorf("-store (GATEWAY_STORE): %w", err)
	}
	return store, nil
}

// end lets the runs come to their end for at most limit, then the connections.
func end(g *gateway.Gateway, server *http.Server, limit time.Duration) error {
	drain, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := g.Drain(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, server.Close())
	}
	shutdown, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil {
		// Who still reads waits for a next run that will not come here.
		return server.Close()
	}
	return nil
}

// demo makes the travel team, and remembers whether it has nothing but its script.
func (c *config) demo(model *model.Model) groupchat.Agent {
	c.scripted = c.scripted || model == nil
	return travel.New(travel.Options{Model: model})
}

// readTeam reads the team file as serve and validate know it.
func (c *config) readTeam() (*teamfile.Team, error) {
	return teamfile.Load(c.team, teamfile.Options{
		Env:         c.modelEnv,
		Types:       map[string]teamfile.AgentType{"travel": c.demo},
		Model:       c.model,
		Log:         c.options.Log,
		ToolTimeout: c.toolTimeout,
	})
}

// modelEnv is the environment, in which the settings of the model are what the flags say.
func (c *config) modelEnv(name string) (string, bool) {
	for variable, value := range map[string]string{"OPENAI_BASE_URL": c.model.BaseURL, "OPENAI_MODEL": c.model.Name, "OPENAI_API_KEY": c.model.Key} {
		if name == variable {
			return value, value != ""
		}
	}
	return c.env(name)
}

// loadTeam finds the agents to serve. The team is to be closed when they are served no more.
func (c *config) loadTeam() (*teamfile.Team, error) {
	if c.team == "" {
		model, err := c.defaultModel()
		if err != nil {
			return nil, err
		}
		return &teamfile.Team{Agents: map[string]groupchat.Agent{"travel": c.demo(model)}}, nil
	}
	team, err := c.readTeam()
	if err != nil {
		return nil, teamError(err)
	}
	return team, nil
}

// defaultModel is the model of the settings, nil if there is none.
func (c *config) defaultModel() (*model.Model, error) {
	if c.model.BaseURL == "" && c.model.Key == "" {
		return nil, nil
	}
	model, err := model.New(c.model)
	if err != nil {
		return nil, fmt.Errorf("-model-url, -model, -model-key (OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY): %w", err)
	}
	return model, nil
}

// teamError says of a bad team file what is wrong with it, and of a missing one whose setting it was.
func teamError(err error) error {
	var bad *teamfile.Error
	if errors.As(err, &bad) {
		return fmt.Errorf("-config (GATEWAY_CONFIG): the team file needs mending\n%w", bad)
	}
	return fmt.Errorf("-config (GATEWAY_CONFIG): %w", err)
}

// announce says where the server is, and what somebody might miss.
func (c *config) announce(log *slog.Logger, addr net.Addr) {
	log.Info("listening", "addr", "http://"+addr.String())
	if c.redis == "" {
		log.Info("threads are kept in memory and do not survive a restart")
	}
	if c.scripted {
		log.Info("no model is configured: the travel demo speaks from its script")
	}
}

// announceAgents says which agents callers may run, which of the file's they may not, and what in the file was hardly meant.
func announceAgents(log *slog.Logger, team *teamfile.Team) {
	for _, w := range team.Warnings {
		log.Warn("team file", "warning", w.String())
	}
	log.Info("agents", "served", agentNames(team.Agents), "not_served", agentNames(team.Unserved))
}

// logHandler writes what the log settings say.
func (c *config) logHandler(w io.Writer) slog.Handler {
	format := c.logFormat
	if format == "" {
		format = "json"
		if terminal(w) {
			format = "text"
		}
	}
	o := &slog.HandlerOptions{Level: c.logLevel}
	if format == "text" {
		return slog.NewTextHandler(w, o)
	}
	return slog.NewJSONHandler(w, o)
}

// terminal reports whether somebody looks at w.
func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
