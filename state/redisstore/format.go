package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

// How Redis names the format of what it stores.
//
// The record of the store is a key that names the format of the threads. It is read when a backend is opened, at each
// ping, and before each transition without a lease. If a gateway of another format takes the Redis, this one starts no
// run from then on and takes none over. Scripts cannot read the record, which is on another node of a cluster. They
// read fieldFormat of the thread, which a version with a format above 1 writes to each thread; a thread without it is
// of format 1.

// fieldFormat is the field with the format of a thread.
const fieldFormat = "format"

// later is the answer of a script for a thread of a later format.
const later = "later"

// scriptFormat defines the format of this version for scripts.
var scriptFormat = fmt.Sprintf("local FORMAT = %d\n", state.CurrentFormat)

// formatKey is the key of the store's record.
func (s *backend) formatKey() string { return s.o.Prefix + ":format" }

// errForeign: another program has written to this gateway's keys.
var errForeign = errors.New("redisstore: what is stored there is not this gateway's")

// enterFormat writes the record of a store that has none, and checks the record of any other.
func (s *backend) enterFormat(ctx context.Context) error {
	p, keep := s.main.Pipeline(), s.o.ThreadTTL+grace
	p.SetArgs(ctx, s.formatKey(), state.CurrentFormat.Record(), redis.SetArgs{Mode: "NX", TTL: keep})
	record := p.GetEx(ctx, s.formatKey(), keep)
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) { // Nil: there was a record
		return fmt.Errorf("redisstore: %w", err)
	}
	return s.formatOf(record)
}

// checkFormat reads the store's record. A store without one is empty.
func (s *backend) checkFormat(record string) (state.Format, error) {
	if record == "" {
		return 0, nil
	}
	stored, err := state.ParseFormat(record)
	if errors.Is(err, state.ErrFormat) {
		return stored, fmt.Errorf("%w: its key %q has something else", errForeign, s.formatKey())
	}
	return stored, err
}

// formatOf checks a record that was read in a pipeline. The caller handles the error of the pipeline.
func (s *backend) formatOf(record *redis.StringCmd) error {
	_, err := s.checkFormat(record.Val())
	return err
}
