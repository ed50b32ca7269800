package filestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// A thread is written by the holder of its lease, and is there again when the file is opened the next time.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "threads")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "threads.db")
	ctx := context.Background()
	key := state.Key{Principal: "local", Agent: "travel", ID: "trip-1"}

	store, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		panic(err)
	}
	begun, err := store.Begin(ctx, &state.Request{
		Key: key, RunID: "run-1", State: json.RawMessage(`{"to":"Rome"}`),
		Messages: []agui.Message{{ID: "m1", Role: agui.RoleUser, Content: agui.TextContent("By train, please")}},
	}, state.LeaseOptions{Attempt: "attempt-1", TTL: 10 * time.Second})
	if err != nil {
		panic(err)
	}
	_, err = store.Commit(ctx, begun.Lease, state.Commit{State: json.RawMessage(`{"to":"Rome","by":"train"}`), End: &state.End{Status: state.RunSuccess}})
	if err != nil {
		panic(err)
	}
	if err := store.Close(); err != nil {
		panic(err)
	}

	store, err = filestore.Open(path, filestore.Options{})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	snapshot, err := store.Snapshot(ctx, key)
	if err != nil {
		panic(err)
	}
	fmt.Println(snapshot.Runs[0].Status, string(snapshot.State))
	// Output: success {"to":"Rome","by":"train"}
}
