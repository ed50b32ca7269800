package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/travel"
)

func main() {
	store := flag.String("store", "", "URL of the Redis, or file:PATH")
	path := flag.String("ledger", "", "file that gets a line per executed booking")
	lease := flag.Duration("lease", time.Second, "how long a run outlives a silent replica")
	buffer := flag.Duration("store-buffer", 5*time.Second, "how long a run waits for a store that is away")
	pace := flag.Duration("pace", 20*time.Millisecond, "pause between text deltas")
	flag.Parse()
	o := gateway.Options{Lease: *lease, StoreBuffer: *buffer, Pace: *pace, Heartbeat: 5 * time.Second, Shared: true}
	// A kill every other second hits one and the same run three times now and then. It is not its fault; what becomes
	// of a run that its replicas do die of is a test of package gateway's.
	o.RunAttempts = 10
	if err := serve(context.Background(), *store, *path, o); err != nil {
		fmt.Fprintln(os.Stderr, "replica:", err)
		os.Exit(1)
	}
}

// openStore opens a file, or a Redis.
func openStore(ctx context.Context, address string, log *slog.Logger) (state.Store, error) {
	if path, ok := strings.CutPrefix(address, "file:"); ok {
		return filestore.Open(path, filestore.Options{Logger: log})
	}
	return redisstore.Open(ctx, address, redisstore.Options{Logger: log})
}

// serve serves until the process is killed.
func serve(ctx context.Context, address, path string, o gateway.Options) error {
	o.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	store, err := openStore(ctx, address, o.Log)
	if err != nil {
		return err
	}
	// Appended to by all replicas: a line is one write, which the kernel does not interleave.
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	books := &desk{file: file}
	team := travel.Team()
	team.Middleware = []func(groupchat.Agent) groupchat.Agent{books.counting, books.booking}
	o.Agents = map[string]groupchat.Agent{
		"travel": team,
		"ask":    books.counting(groupchat.AgentFunc(books.ask)),
		"long":   long(books),
	}
	o.Store = store
	g, err := gateway.New(o)
	if err != nil {
		return err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", g)
	mux.HandleFunc("GET /chaos/working", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, books.working.Load()) // who asked may be gone
	})
	if _, err := fmt.Println(listener.Addr()); err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
