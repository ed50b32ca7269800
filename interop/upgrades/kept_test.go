package upgrades_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
	"github.com/agui-gateway/gateway/state/statetest"
)

var update = flag.Bool("update", false, "keep the threads of this version")

// current is where the threads of this version are kept.
func current() string { return filepath.Join("testdata", state.CurrentFormat.String()) }

// shown is what clients were shown of kept threads.
type shown struct {
	Now     time.Time             `json:"now"` // by the clock of the store, when it was kept
	Threads map[string]shownState `json:"threads"`
}

type shownState struct {
	Document json.RawMessage `json:"document"`
	Log      []frame         `json:"log"`
}

// look is what clients are shown of a thread: the whole of it, and all that its log has. Of a live one it is what the
// log has so far.
func (w *world) look(c condition) shownState {
	w.Helper()
	id := c.id
	if id == "fork of idle" {
		id = w.forkOfIdle()
	}
	s := shownState{Document: json.RawMessage(w.must(c.user, http.MethodGet, "/threads/"+id, ""))}
	if c.live {
		s.Log = w.framesUpTo(c.user, id, "test.waiting")
		return s
	}
	s.Log = w.frames(w.must(c.user, http.MethodGet, "/threads/"+id+"/events?protocolVersion=1.0", "", "Last-Event-ID", "0-0"))
	return s
}

// A kind is a kind of store.
type kind struct {
	name string
	// empty opens an empty store, and returns a function that returns its content.
	empty func(t *testing.T, clock *statetest.Clock) (state.Store, func() []byte)
	// load opens a store with kept content.
	load func(t *testing.T, kept []byte, clock *statetest.Clock) state.Store
}

var kinds = []kind{
	{"redis", func(t *testing.T, clock *statetest.Clock) (state.Store, func() []byte) {
		server := redistest.Start(t)
		c := server.Client()
		return openRedis(t, server, clock), func() []byte {
			redistest.Until(t, "the request that waits", func() bool { return bytes.Contains(dump(t, c), []byte(`"queue"`)) })
			return still(t, func() []byte { return dump(t, c) })
		}
	}, func(t *testing.T, kept []byte, clock *statetest.Clock) state.Store {
		server := redistest.Start(t)
		restore(t, server.Client(), kept)
		return openRedis(t, server, clock)
	}},
	{"file", func(t *testing.T, clock *statetest.Clock) (state.Store, func() []byte) {
		path := filepath.Join(t.TempDir(), "threads.db")
		return openFile(t, path, clock), func() []byte {
			return still(t, func() []byte {
				raw, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return raw
			})
		}
	}, func(t *testing.T, kept []byte, clock *statetest.Clock) state.Store {
		path := filepath.Join(t.TempDir(), "threads.db")
		if err := os.WriteFile(path, kept, 0o600); err != nil {
			t.Fatal(err)
		}
		return openFile(t, path, clock)
	}},
}

func openRedis(t *testing.T, server *redistest.Server, clock *statetest.Clock) state.Store {
	t.Helper()
	s, err := redisstore.Open(t.Context(), server.URL(), redisstore.Options{
		LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Now: clock.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openFile(t *testing.T, path string, clock *statetest.Clock) state.Store {
	t.Helper()
	s, err := filestore.Open(path, filestore.Options{LogTTL: statetest.LogTTL, ThreadTTL: statetest.ThreadTTL, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// still reads until the result does not change.
func still(t *testing.T, read func() []byte) []byte {
	t.Helper()
	var last []byte
	same := 0
	redistest.Until(t, "the store to come to rest", func() bool {
		now := read()
		if bytes.Equal(now, last) {
			same++
		} else {
			last, same = now, 0
		}
		return same > 200
	})
	return last
}

// TestKept keeps the threads of this version with -update. Without, it checks that threads of this format are kept.
func TestKept(t *testing.T) {
	t.Parallel()
	if !*update {
		if _, err := os.Stat(current()); err != nil {
			t.Errorf("nothing of format %s is kept: go test ./interop/upgrades -run TestKept -update", state.CurrentFormat)
		}
		return
	}
	if err := os.MkdirAll(current(), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			clock := statetest.NewClock()
			store, keep := k.empty(t, clock)
			w := serve(t, store, k.name == "redis", clock, true)
			for _, c := range conditions {
				clock.Move(c.before)
				c.make(w)
			}
			s := shown{Threads: map[string]shownState{}}
			for _, c := range conditions {
				s.Threads[c.id] = w.look(c)
			}
			kept := keep()
			s.Now = clock.Now()
			raw, err := json.MarshalIndent(s, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			pack(t, filepath.Join(current(), k.name+".gz"), kept)
			pack(t, filepath.Join(current(), k.name+".shown.json.gz"), raw)
		})
	}
}

// TestGoesOn takes the kept threads: clients get the same events as before, with any cursor, and continue.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			goesOn(t, current(), k)
		})
	}
}

func goesOn(t *testing.T, dir string, k kind) {
	t.Helper()
	var was shown
	if err := json.Unmarshal(unpack(t, filepath.Join(dir, k.name+".shown.json.gz")), &was); err != nil {
		t.Fatal(err)
	}
	clock := statetest.NewClock()
	clock.Move(was.Now.Sub(clock.Now()))
	w := serve(t, k.load(t, unpack(t, filepath.Join(dir, k.name+".gz")), clock), k.name == "redis", clock, false)
	for _, c := range conditions {
		if c.goOn != nil {
			w.shows(c, was.Threads[c.id])
		}
	}
	clock.Move(time.Minute) // the leases of the older version's runs, and the place of the request that waited, are over
	for _, c := range conditions {
		if c.asks && c.goOn != nil {
			redistest.Until(t, "the notice of "+c.id, func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				return w.told[c.id]
			})
		}
	}
	for _, c := range conditions {
		if c.goOn != nil {
			c.goOn(w)
		}
	}
}

// shows holds what clients are shown of a thread to what they were shown by the version that kept it.
func (w *world) shows(c condition, was shownState) {
	w.Helper()
	is := w.look(c)
	if c.live { // it may have been taken over by now
		is.Document = was.Document
	}
	if !includes(w, is.Document, was.Document) {
		w.Errorf("%s is\n%s\nand was\n%s", c.id, is.Document, was.Document)
	}
	if len(is.Log) < len(was.Log) || !c.live && len(is.Log) != len(was.Log) {
		w.Fatalf("the log of %s has %d events, and had %d", c.id, len(is.Log), len(was.Log))
	}
	for i, f := range was.Log {
		if is.Log[i].ID != f.ID || !includes(w, is.Log[i].Data, f.Data) {
			w.Errorf("%s: event %d is %s %s and was %s %s", c.id, i, is.Log[i].ID, is.Log[i].Data, f.ID, f.Data)
		}
	}
	if c.live || c.id == "fork of idle" {
		return
	}
	for i, f := range was.Log[:len(was.Log)-1] {
		stream := w.must(c.user, http.MethodGet, "/threads/"+c.id+"/events?protocolVersion=1.0", "", "Last-Event-ID", f.ID)
		if got := w.frames(stream); !slices.EqualFunc(got, is.Log[i+1:], func(a, b frame) bool { return a.ID == b.ID && bytes.Equal(a.Data, b.Data) }) {
			w.Errorf("%s: with the cursor %s there are %d events, want %d:\n%s", c.id, f.ID, len(got), len(is.Log)-i-1, stream)
		}
	}
}

// includes reports whether a value has everything that another one has; objects may have more.
func includes(w *world, is, was json.RawMessage) bool {
	w.Helper()
	var a, b any
	if err := json.Unmarshal(is, &a); err != nil {
		w.Fatal(err)
	}
	if err := json.Unmarshal(was, &b); err != nil {
		w.Fatal(err)
	}
	return within(a, b)
}

func within(is, was any) bool {
	switch was := was.(type) {
	case map[string]any:
		object, ok := is.(map[string]any)
		for name, v := range was {
			ok = ok && within(object[name], v)
		}
		return ok
	case []any:
		list, ok := is.([]any)
		return ok && slices.EqualFunc(list, was, within)
	}
	return reflect.DeepEqual(is, was)
}

// pack writes a file of this directory's, compressed.
func pack(t *testing.T, path string, raw []byte) {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return raw
}
