package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// erasePatience bounds the time for stopped runs of other processes to end before they are deleted anyway.
const erasePatience = 5 * time.Second

// errNoStore is the error of principal commands without a store outside the gateway's memory.
var errNoStore = errors.New("-store (GATEWAY_STORE): threads in memory are known to the gateway that has them alone; " +
	"ask it with GET /me/export or DELETE /me, or name the file or the Redis that a gateway keeps them in")

// principalStore opens the store for a command about a principal. A file that a gateway has open is refused.
func (c *config) principalStore(ctx context.Context, stderr io.Writer) (state.Store, error) {
	if c.redis == "" && c.file == "" {
		return nil, errNoStore
	}
	if _, err := os.Stat(c.file); c.file != "" && errors.Is(err, fs.ErrNotExist) { // a gateway would make one
		return nil, fmt.Errorf("-store (GATEWAY_STORE): there is no such file: %s", c.file)
	}
	store, err := c.openStore(ctx, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if errors.Is(err, filestore.ErrInUse) {
		return nil, fmt.Errorf("%w. While a gateway runs on the file, ask that with GET /me/export or DELETE /me, "+
			"or stop it first", err)
	}
	if err != nil {
		return nil, err
	}
	if err := store.Ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("-store (GATEWAY_STORE): %w", err), store.Close())
	}
	return store, nil
}

// export writes what the store has of a principal to stdout.
func export(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	store, err := c.principalStore(ctx, stderr)
	if err != nil {
		return err
	}
	_, err = gateway.ExportPrincipal(ctx, store, c.operand, stdout)
	return errors.Join(err, store.Close())
}

// erase deletes all data of the principal. It stops live runs of other replicas, and overwrites deleted data.
func erase(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	store, err := c.principalStore(ctx, stderr)
	if err != nil {
		return err
	}
	if !c.yes {
		n, err := gateway.ExportPrincipal(ctx, store, c.operand, io.Discard)
		if err == nil {
			err = fmt.Errorf("%q has %d threads; write -yes behind the command to delete them for good", c.operand, n)
		}
		return errors.Join(err, store.Close())
	}
	patience := erasePatience
	if c.file != "" {
		patience = 0 // only this process has the file, so there are no runs
	}
	n, err := gateway.ErasePrincipal(ctx, store, c.operand, patience)
	if err := errors.Join(err, store.Close()); err != nil {
		return fmt.Errorf("%d threads of %q are deleted, and some remain: %w", n, c.operand, err)
	}
	if c.file != "" { // deleted data stays in empty pages of the file until it is opened again
		if store, err = c.principalStore(ctx, stderr); err == nil {
			err = store.Close()
		}
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "%d threads of %q are deleted, and everything else of theirs\n", n, c.operand)
	return err
}
