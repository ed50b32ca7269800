package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// Limits of the server for operators. It has few and cheap requests; a profile takes thirty seconds by default.
const (
	adminConnections  = 32
	adminHeader       = 16 << 10
	adminReadTimeout  = 10 * time.Second
	adminWriteTimeout = 2 * time.Minute
)

type adminSettings struct {
	addr string // empty: nowhere
	auth string // "none": callers need no authentication, by an explicit setting
}

// errAdminNotExplicit refuses to show metrics beyond this machine without an explicit setting.
var errAdminNotExplicit = errors.New("-admin-addr (GATEWAY_ADMIN_ADDR): others can reach this address without " +
	"authentication; listen on 127.0.0.1, or write -admin-auth none (GATEWAY_ADMIN_AUTH=none) out if that is meant")

// errAdminNowhere refuses a word about an address that there is not.
var errAdminNowhere = errors.New("-admin-auth (GATEWAY_ADMIN_AUTH): there is no -admin-addr that it could be about")

func (a adminSettings) check() error {
	switch {
	case a.addr == "" && a.auth != "":
		return errAdminNowhere
	case a.addr != "" && a.auth == "" && !loopback(a.addr):
		return errAdminNotExplicit
	}
	return nil
}

// startAdmin serves g's operators at the address of the settings, if there is one, until stop is called.
func (c *config) startAdmin(ctx context.Context, g *gateway.Gateway, metrics http.Handler,
	log *slog.Logger) (stop func(), err error) {
	if c.admin.addr == "" {
		return func() {}, nil
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", c.admin.addr)
	if err != nil {
		return nil, fmt.Errorf("-admin-addr (GATEWAY_ADMIN_ADDR): %w", err)
	}
	o := gateway.AdminOptions{Metrics: metrics}
	if loopback(c.admin.addr) {
		o.Profiles, o.Backup = profiles(), c.backups(log)
	}
	s := &server{most: adminConnections, log: log}
	s.Server = &http.Server{
		Handler:           g.Admin(o),
		ReadHeaderTimeout: adminReadTimeout,
		ReadTimeout:       adminReadTimeout,
		WriteTimeout:      adminWriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    adminHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ConnState:         s.count,
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.listenAndServe(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("admin: the address is not served any more", "error", err)
		}
	})
	log.Info("admin: metrics and health, for operators", "addr", "http://"+listener.Addr().String(), "profiles",
		o.Profiles != nil)
	return func() {
		_ = s.Close() // the remaining requests have no waiting caller
		serving.Wait()
	}, nil
}

// profiles serves the process' profiles for `go tool pprof`. It omits the command line, which may contain secrets.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
