package gateway_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
)

// A trimmedStore has trimmed a log, or a revision, for the next reader that asks for it.
type trimmedStore struct {
	state.Store
	log, revision atomic.Bool
}

func (s *trimmedStore) Tail(ctx context.Context, key state.Key, after state.FrameID) iter.Seq2[[]state.Frame, error] {
	if s.log.CompareAndSwap(true, false) {
		return func(yield func([]state.Frame, error) bool) { yield(nil, state.ErrTrimmed) }
	}
	return s.Store.Tail(ctx, key, after)
}

func (s *trimmedStore) Messages(ctx context.Context, key state.Key, rev int64) (state.Conversation, error) {
	if rev >= 0 && s.revision.CompareAndSwap(true, false) {
		return nil, state.ErrRevision
	}
	return s.Store.Messages(ctx, key, rev)
}

func newTrimmedWorld(t *testing.T) (*world, *trimmedStore) {
	t.Helper()
	store := &trimmedStore{Store: memstore.New(memstore.Options{})}
	closeLast(t, store)
	return newWorld(t, func(o *gateway.Options) { o.Store, o.Now = store, nil }), store
}

// TestAFollowerOfATrimmedLog between two runs is shown the thread again, and follows the next run.
func TestAFollowerOfATrimmedLog(t *testing.T) {
	t.Parallel()
	w, store := newTrimmedWorld(t)
	w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	store.log.Store(true)
	follower := w.open("GET", "/threads/t/events?follow=1&protocolVersion=1.0", "")
	follower.until(agui.TypeRunFinished)
	follower.until(agui.TypeRunFinished)
	if store.log.Load() {
		t.Error("the log was not read")
	}
	w.post("echo", input("t", "r2", []string{"u2:Hi"}))
	follower.until(agui.TypeRunFinished)
	if run := follower.finished().RunID; run != "r2" {
		t.Errorf("the follower is shown run %s, want r2", run)
	}
	follower.hangUp()
}

// TestAReaderOfATrimmedRevision is shown the thread as it is now: its frames cannot be read.
func TestAReaderOfATrimmedRevision(t *testing.T) {
	t.Parallel()
	w, store := newTrimmedWorld(t)
	first := w.post("echo", input("t", "r1", []string{"u1:Hi"}))
	w.post("echo", input("t", "r2", []string{"u2:Hi again"}))
	store.revision.Store(true)
	status, body := w.call("GET", "/threads/t/events?protocolVersion=1.0", "", "Last-Event-ID", first.records[len(first.records)-1].ID)
	if status != http.StatusOK || store.revision.Load() || strings.Count(body, `"RUN_FINISHED"`) != 1 || !strings.Contains(body, `"MESSAGES_SNAPSHOT"`) || !strings.Contains(body, "Hi again") {
		t.Errorf("the reader is shown %d %s", status, body)
	}
}
