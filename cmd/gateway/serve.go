package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/telemetry"
	"github.com/agui-gateway/gateway/travel"
	"github.com/agui-gateway/gateway/web"
)

// errAuthNotExplicit refuses to listen beyond this machine without authentication, unless a setting asks for that.
var errAuthNotExplicit = errors.New("-addr (GATEWAY_ADDR): others can reach this address without authentication; " +
	"listen on 127.0.0.1, set -auth keys, jwt or header, or write -auth none (GATEWAY_AUTH=none) out if that is meant")

// explicit returns an error if the server is reachable from other machines and no setting of authentication is given.
func (c *config) explicit() error {
	if !c.auth.explicit() && !loopback(c.addr) {
		return errAuthNotExplicit
	}
	return nil
}

// serve runs the server until ctx is done and the runs have ended or were handed over.
func serve(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	if err := cmp.Or(c.explicit(), c.checkTLS(), c.admin.check()); err != nil {
		return err
	}
	log := slog.New(gateway.BoundedLog(telemetry.LogHandler(c.logHandler(stderr))))
	c.options.Log, c.model.Log = log, log
	audit, err := c.openAudit(stdout)
	if err != nil {
		return err
	}
	defer audit.close()
	return c.withAuth(log, func() error {
		return c.withTelemetry(ctx, log, func(metrics http.Handler) error { return c.serve(ctx, metrics, log) })
	})
}

// serve runs the server for authenticated callers, and metrics for operators.
func (c *config) serve(ctx context.Context, metrics http.Handler, log *slog.Logger) error {
	reloads, stop := c.notifyReload()
	defer stop()
	c.options.Page = web.Handler()
	parts, err := c.open(ctx, log)
	if err != nil {
		return err
	}
	g, team := parts.gateway, parts.team
	stopAdmin, err := c.startAdmin(ctx, g, metrics, log)
	if err != nil {
		return errors.Join(err, parts.close())
	}
	defer stopAdmin()
	server, listener, err := c.listen(ctx, g, log)
	if err != nil {
		return errors.Join(err, parts.close())
	}
	served := make(chan error, 1) // buffered: no receiver after ctx is done
	go func() { served <- server.listenAndServe(listener) }()
	c.announce(log, listener.Addr())
	announceAgents(log, team)

	s := &teamReloader{c: c, g: g, log: log, team: team}
	for done := false; !done; {
		select {
		case <-reloads:
			s.reload()
		case err = <-served:
			done = true
		case <-ctx.Done():
			err = c.leave(g, server, log, served)
			done = true
		}
	}
	return errors.Join(err, g.Close(), s.close(), parts.store.Close())
}

// parts are a gateway and what it is made of.
type parts struct {
	gateway *gateway.Gateway
	team    *teamfile.Team
	store   state.Store
}

func (c *config) open(ctx context.Context, log *slog.Logger) (*parts, error) {
	team, err := c.loadTeam()
	if err != nil {
		return nil, err
	}
	store, err := c.openStore(ctx, log)
	if err != nil {
		return nil, errors.Join(err, team.Close())
	}
	c.options.Agents, c.options.Agent = team.Agents, team.Options
	c.options.Store, c.options.Shared = store, c.redis != "" || c.file != ""
	g, err := gateway.New(c.options)
	if err != nil {
		return nil, errors.Join(err, store.Close(), team.Close())
	}
	return &parts{gateway: g, team: team, store: store}, nil
}

func (p *parts) close() error { return errors.Join(p.gateway.Close(), p.store.Close(), p.team.Close()) }

const memoryLimit = 512 << 20

// shares divides the limit of a store: a principal gets one share unless -max-stored-per-principal is set.
const shares = 4

// errLimitOfRedis refuses a limit that would not be kept.
var errLimitOfRedis = errors.New("-store-limit (GATEWAY_STORE_LIMIT): a Redis has its own limit; set its maxmemory, " +
	"with the policy noeviction")

// errWaitOfOthers refuses a setting without effect.
var errWaitOfOthers = errors.New("-store-wait (GATEWAY_STORE_WAIT): only a Redis has replicas; set -store to one, " +
	"or leave this out")

// openStore opens the configured store. A file that cannot be used prevents the start. If a Redis is unreachable, the
// server starts unready and waits: both may start in any order. Refused credentials prevent the start.
func (c *config) openStore(ctx context.Context, log *slog.Logger) (state.Store, error) {
	if c.storeLimit != 0 && c.redis != "" {
		return nil, errLimitOfRedis
	}
	if c.storeWait > 0 && c.redis == "" {
		return nil, errWaitOfOthers
	}
	limit := c.storeLimit
	if c.file == "" {
		limit = cmp.Or(limit, memoryLimit)
	}
	share := int64(0)
	if c.auth.mode != authNone && c.options.Limits.StoredPerPrincipal == 0 {
		share = limit / shares
	}
	if c.file != "" {
		store, err := filestore.Open(c.file, filestore.Options{
			LogTTL: c.memory.LogTTL, ThreadTTL: c.memory.ThreadTTL, Limit: limit, Share: share, Logger: log,
		})
		if err != nil {
			return nil, fmt.Errorf("-store (GATEWAY_STORE): %w", err)
		}
		return store, nil
	}
	if c.redis == "" {
		c.memory.Limit, c.memory.Share = limit, share
		return memstore.New(c.memory), nil
	}
	store, err := redisstore.Open(ctx, c.redis, redisstore.Options{
		LogTTL: c.memory.LogTTL, ThreadTTL: c.memory.ThreadTTL, Logger: log, AllowUnreachable: true, Wait: c.storeWait,
	})
	if err != nil {
		return nil, fmt.Errorf("-store (GATEWAY_STORE): %w", err)
	}
	return store, nil
}

// leave ends the service: balancers are given time to send requests elsewhere, and then the runs time to end.
func (c *config) leave(g *gateway.Gateway, server *server, log *slog.Logger, served <-chan error) error {
	if c.drainDelay > 0 {
		log.Info("leaving: not ready any more, requests are still served", "for", c.drainDelay.String())
		g.Leave()
		select {
		case err := <-served:
			return err
		case <-time.After(c.drainDelay):
		}
	}
	log.Info("draining", "for", c.drain.String())
	c.drainEnds = time.Now().Add(c.drain)
	err := shutdown(g, server, c.drain)
	log.Info("stopped")
	return err
}

// shutdown waits for the runs for at most limit and then closes the connections.
func shutdown(g *gateway.Gateway, server *server, limit time.Duration) error {
	drain, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := g.Drain(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, server.Close())
	}
	shutdown, cancel := context.WithTimeout(context.Background(), shutdownGrace)
	defer cancel()
	if err := server.Shutdown(shutdown); err != nil {
		// A connection that is still open waits for the next run of its thread, which this replica will not have.
		return server.Close()
	}
	return nil
}

// demo makes the travel team, and notes whether it has no model.
func (c *config) demo(model model.Model) groupchat.Agent {
	c.scripted = c.scripted || model == nil
	return travel.New(travel.Options{Model: model})
}

func (c *config) readTeam() (*teamfile.Team, error) {
	return teamfile.Load(c.team, c.teamOptions())
}

func (c *config) teamOptions() teamfile.Options {
	if c.budgets == nil {
		c.budgets = &budget.Ledger{}
	}
	return teamfile.Options{
		Env:            c.modelEnv,
		Types:          map[string]teamfile.AgentType{"travel": c.demo},
		Model:          c.model,
		HTTP:           c.http,
		AllowAddresses: c.options.AllowAddresses,
		Log:            c.options.Log,
		ToolTimeout:    c.toolTimeout,
		Budgets:        c.budgets,
	}
}

// modelEnv looks up a variable in the environment. For those of the default model, flags come first.
func (c *config) modelEnv(name string) (string, bool) {
	for variable, value := range map[string]string{"OPENAI_BASE_URL": c.model.BaseURL, "OPENAI_MODEL": c.model.Name,
		"OPENAI_API_KEY": c.model.Key} {
		if name == variable {
			return value, value != ""
		}
	}
	return c.env(name)
}

// loadTeam returns the agents to serve. The caller closes the team when they are no longer served.
func (c *config) loadTeam() (*teamfile.Team, error) {
	if c.team == "" {
		model, err := c.defaultModel()
		if err != nil {
			return nil, err
		}
		return &teamfile.Team{
			Agents:  map[string]groupchat.Agent{"travel": c.demo(model)},
			Options: map[string]gateway.AgentOptions{"travel": {TypedAnswers: &gateway.TypedAnswers{Model: model}}},
		}, nil
	}
	team, err := c.readTeam()
	if err != nil {
		return nil, teamError(err)
	}
	return team, nil
}

// defaultModel is the model of the settings, nil if there is none.
func (c *config) defaultModel() (model.Model, error) {
	if c.model.BaseURL == "" && c.model.Key == "" {
		return nil, nil
	}
	model, err := openai.New(c.model)
	if err != nil {
		return nil, fmt.Errorf("-model-url, -model, -model-key (OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY): %w",
			err)
	}
	return model, nil
}

// teamError adds the name of the setting to the error of a team file.
func teamError(err error) error {
	var bad *teamfile.Error
	if errors.As(err, &bad) {
		return fmt.Errorf("-config (GATEWAY_CONFIG): the team file has mistakes\n%w", bad)
	}
	return fmt.Errorf("-config (GATEWAY_CONFIG): %w", err)
}

// announce logs the server's address, and the features that are off for lack of a setting.
func (c *config) announce(log *slog.Logger, addr net.Addr) {
	log.Info("listening", "addr", c.scheme()+addr.String())
	switch {
	case c.file != "":
		log.Info("threads are kept in a file", "file", c.file)
	case c.redis != "":
		log.Info("threads are kept in Redis", "server", publicHost(c.redis))
	default:
		log.Info("threads end with this process: -store file:PATH (GATEWAY_STORE) keeps them in a file, -store " +
			"redis://host:port for several machines")
	}
	if c.scripted {
		log.Info("the travel demo has no model, so it speaks from its script")
	}
}

// publicHost returns the address of a Redis without secrets.
func publicHost(redis string) string {
	u, err := url.Parse(redis)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// announceAgents logs the agents that callers may run, those of the file that they may not, and the file's warnings.
func announceAgents(log *slog.Logger, team *teamfile.Team) {
	for _, w := range team.Warnings {
		log.Warn("team file", "warning", w.String())
	}
	log.Info("agents", "served", agentNames(team.Agents), "not_served", agentNames(team.Unserved))
}

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
	return slog.NewJSONHandler(escapingWriter{w}, o)
}

func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
