package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// TestOnePrincipalTakesNothingFromAnother has one principal write twice as much as a store may have. With
// authentication the thread of another principal stays, unless a setting limits a principal's share.
func TestOnePrincipalTakesNothingFromAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args  string
		stays bool
	}{
		{"-auth keys -keys-file keys -store-limit 8MiB", true},
		{"-auth keys -keys-file keys -store-limit 8MiB -store file:FILE", true},
		{"-store-limit 8MiB", false},
		{"-auth keys -keys-file keys -store-limit 8MiB -max-stored-per-principal 1GiB", false},
	} {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.Replace(tt.args, "FILE", filepath.Join(t.TempDir(), "threads.db"), 1))
			c, err := parse(serveCommand(), args, environment(nil))
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.openStore(t.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			write := func(key state.Key) {
				t.Helper()
				r := &state.Request{Key: key, RunID: "r", Hash: "h", Era: agui.Era1, Messages: []agui.Message{
					{ID: "u", Role: agui.RoleUser, Content: agui.TextContent(strings.Repeat("x", 512<<10))},
				}}
				b, err := s.Begin(t.Context(), r, state.LeaseOptions{Attempt: key.ID, TTL: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.Commit(t.Context(), b.Lease, state.Commit{Number: 1, End: &state.End{Status: state.RunSuccess}}); err != nil {
					t.Fatal(err)
				}
			}
			mine := state.Key{Principal: "key:ada", Agent: "a", ID: "mine"}
			write(mine)
			for n := range 32 {
				write(state.Key{Principal: "key:eve", Agent: "a", ID: fmt.Sprint(n)})
			}
			_, _, err = s.Load(t.Context(), mine)
			if tt.stays && err != nil || !tt.stays && !errors.Is(err, state.ErrUnknownThread) {
				t.Errorf("Load() = %v", err)
			}
		})
	}
}

// TestOnlyARedisHasReplicas refuses -store-wait where nothing can be waited for.
func TestOnlyARedisHasReplicas(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-store-wait 1", "-store-wait 1 -store file:threads.db"} {
		c, err := parse(serveCommand(), strings.Fields(args), environment(nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.openStore(t.Context(), slog.New(slog.DiscardHandler)); !errors.Is(err, errWaitOfOthers) {
			t.Errorf("%s: openStore() = %v", args, err)
		}
	}
}
