// Command provider serves a team file with models by Ollama's own API: the gateway as a library, with one more
// provider.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"

	_ "example.com/provider/ollama" // the type ollama-native of models
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	file := flag.String("config", "team.yaml", "the team file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr, *file, func(net.Addr) {}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve serves the agents of a team file until ctx ends. Ready gets the address.
func serve(ctx context.Context, addr, file string, ready func(net.Addr)) error {
	team, err := teamfile.Load(file, teamfile.Options{})
	if err != nil {
		return err // every mistake of the file, one a line
	}
	defer func() { _ = team.Close() }() // its connections are not needed any more
	g, err := gateway.New(gateway.Options{Agents: team.Agents, Agent: team.Options})
	if err != nil {
		return err
	}
	defer func() { _ = g.Close() }() // live runs have ended, or had their time
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second}
	drained := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = g.Drain(limited)         // runs that take longer end with an error
		_ = server.Shutdown(limited) // and so do connections
	})
	defer drained()
	slog.Info("serving", "address", listener.Addr().String(), "agents", len(team.Agents))
	ready(listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
