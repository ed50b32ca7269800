package redisstore

import (
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// What says in Redis of which format it is.
//
// The record of the store stands in a key of its own and names the latest version that has used it. It is looked at when a
// backend is opened, at each ping, and before each transition of somebody who holds no lease: an older gateway beside a newer one
// begins nothing any more and takes nothing over from the moment the newer one has written it. The scripts do not see it, for in a
// cluster it is on another node. They see the mark of a thread, fieldFormat, which a version whose major is above 1 writes with
// every thread that it writes; a thread without one is of major 1.

//go:embed scripts/format.lua
var formatSource string

var formatScript = redis.NewScript(formatSource)

// fieldFormat is the major of the format that a thread was written in.
const fieldFormat = "format"

// later is what scripts answer of a thread that a later version has written.
const later = "later"

// scriptFormat tells scripts the major of this version.
var scriptFormat = fmt.Sprintf("local FORMAT = %d\n", state.CurrentFormat.Major)

// formatKey is the key of the store's record.
func (s *backend) formatKey() string { return s.o.Prefix + ":format" }

// errForeign says that another program keeps something under this gateway's keys.
var errForeign = errors.New("redisstore: what is stored there is not this gateway's")

// enterFormat notes that this version uses the store, unless a later one has. It fails with [state.ErrLater] if this version must leave
// the store alone.
func (s *backend) enterFormat(ctx context.Context) error {
	current := state.CurrentFormat
	found, err := formatScript.Run(ctx, s.main, []string{s.formatKey()}, current.Record(), current.Major, current.Minor,
		(s.o.ThreadTTL + grace).Milliseconds()).Text()
	if err != nil {
		return fmt.Errorf("redisstore: %w", err)
	}
	stored, err := s.checkFormat(found)
	if err == nil && stored.Later(current) {
		s.later.Do(func() {
			s.o.Logger.InfoContext(ctx, "a later version of the gateway uses this Redis; it can be served beside",
				slog.String("format", stored.String()), slog.String("known", current.String()))
		})
	}
	return err
}

// checkFormat reads the store's record; a store without one is of an earlier version, or empty.
func (s *backend) checkFormat(record string) (state.Format, error) {
	if record == "" {
		return state.Format{}, nil
	}
	stored, err := state.ParseFormat(record)
	if err != nil {
		return stored, fmt.Errorf("%w: its key %q has something else", errForeign, s.formatKey())
	}
	return stored, stored.Check()
}

// formatOf judges the record that was read along with something else. What could not be read is judged by what was.
func (s *backend) formatOf(record *redis.StringCmd) error {
	_, err := s.checkFormat(record.Val())
	return err
}
