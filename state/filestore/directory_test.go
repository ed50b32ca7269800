package filestore

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/internal/listed"
	"github.com/agui-gateway/gateway/state/store"
)

// TestAListSaysWhoAsks holds lists to what the questions of threads say.
func TestAListSaysWhoAsks(t *testing.T) {
	t.Parallel()
	b, err := openBackend(filepath.Join(t.TempDir(), "threads.db"), Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := store.New(b, store.Options{})
	t.Cleanup(func() { _ = s.Close() })
	asks := state.Key{Principal: "local", Agent: "a", ID: "asks"}
	done := state.Key{Principal: "local", Agent: "a", ID: "done"}
	run(t, s, asks, 1, 10, &state.End{Status: state.RunInterrupt})
	run(t, s, done, 1, 10, &state.End{Status: state.RunSuccess})
	want := map[string]state.Status{"asks": state.StatusInterrupted, "done": state.StatusIdle}
	page, err := s.List(t.Context(), state.Query{Principal: "local"})
	got := map[string]state.Status{}
	for _, thread := range page.Threads {
		got[thread.Key.ID] = thread.Status
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("List() = %v, %v, want %v", got, err, want)
	}
}

// FuzzListing compares the fields of a document that a list reads with those that package json reads.
func FuzzListing(f *testing.F) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)
	raw, err := marshal(threadDoc{Tag: "t", Deadline: now, Asks: now, Thread: &state.Thread{Title: "a trip", UpdatedAt: now, Open: []string{"q"}, Failed: true}, Gone: true})
	if err != nil {
		f.Fatal(err)
	}
	if !listed.Read(raw, new(listing).member) {
		f.Error("a document as it is stored is left to package json")
	}
	f.Add(raw)
	for _, text := range []string{`{}`, `{"thread":null}`, `{"thread":{"title":"a"},"thread":{"failed":true}}`, `{"Gone":true}`, `{"gone":true}x`, `{"deadline":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want listing
		wantErr := json.Unmarshal(raw, &want)
		got, err := readListing(raw)
		if (err == nil) != (wantErr == nil) || err != nil && !errors.Is(err, state.ErrDamaged) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("readListing(%q) = %+v, %v, want %+v, %v", raw, got, err, want, wantErr)
		}
	})
}
