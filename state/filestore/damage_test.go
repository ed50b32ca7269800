package filestore_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// refused holds Open to refusing a file with a sentence that names it, and to leaving it as it is.
func refused(t *testing.T, file string, want error, sentence string) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := filestore.Open(file, filestore.Options{})
	if err == nil {
		t.Fatalf("Open() = a store, want %v", errors.Join(want, s.Close()))
	}
	var bad *filestore.Error
	if !errors.Is(err, want) || !errors.As(err, &bad) || bad.Path != file || !strings.Contains(err.Error(), file+" "+sentence) {
		t.Errorf("Open() = %v, want an Error that is %v and says %q of the file", err, want, sentence)
	}
	_, looked := filestore.Inspect(t.Context(), file)
	_, copied := filestore.Copy(t.Context(), file, path(t))
	for name, err := range map[string]error{"Inspect": looked, "Copy": copied} {
		if !errors.Is(err, want) || !errors.As(err, &bad) || bad.Path != file || !strings.Contains(err.Error(), file+" "+sentence) {
			t.Errorf("%s() = %v, want what Open() says", name, err)
		}
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed, %v", err)
	}
	left, err := filepath.Glob(file + "?*")
	left = slices.DeleteFunc(left, func(name string) bool { return name == file+".reserve" }) // of the store that was there before
	if err != nil || len(left) > 0 {
		t.Errorf("left beside the file: %v, %v", left, err)
	}
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	file := path(t)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAFileThatIsNoneOfOursIsRefused(t *testing.T) {
	t.Parallel()
	other := path(t)
	db, err := bolt.Open(other, 0o600, &bolt.Options{NoFreelistSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		b, err := tx.CreateBucket([]byte("members"))
		if err != nil {
			return err
		}
		return b.Put([]byte("k"), []byte("v"))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"text": write(t, []byte("version: 1\n")), "empty": write(t, nil), "zeros": write(t, make([]byte, 1<<16)),
		"SQLite": write(t, append([]byte("SQLite format 3\x00"), make([]byte, 8192)...)), "another program's bbolt": other,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, file, filestore.ErrForeign, "is not a store of this gateway")
		})
	}
}

func TestADirectoryIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if s, err := filestore.Open(dir, filestore.Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open() = %v, %v, want an error that names the directory", s, err)
	}
}

func TestAFileOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]struct {
		err  error
		says string
	}{
		"agui-gateway threads 2":   {filestore.ErrLater, "was written by a later version of the gateway (format 2, this one knows 1)"},
		"agui-gateway threads 0":   {filestore.ErrOlder, "was written by an earlier version of the gateway (format 0, this one knows 1)"},
		"agui-gateway threads 1.2": {filestore.ErrOlder, "was written by an earlier version of the gateway (format 0, this one knows 1)"},
	} {
		t.Run(record, func(t *testing.T) {
			t.Parallel()
			refused(t, ofFormat(t, record), want.err, want.says)
		})
	}
}

// ofFormat returns a file with the record of another version, which stores threads in another way.
func ofFormat(t *testing.T, record string) string {
	t.Helper()
	file := filled(t)
	db, err := bolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		if err := tx.DeleteBucket([]byte("threads")); err != nil {
			return err
		}
		b, err := tx.CreateBucket([]byte("threads"))
		if err != nil {
			return err
		}
		return errors.Join(b.Put([]byte("k"), []byte("v")), tx.Bucket([]byte("format")).Put([]byte("version"), []byte(record)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestADamagedFileIsRefused(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	said := bytes.LastIndex(data, []byte("another answer"))
	for name, harm := range map[string]func([]byte) []byte{
		"its end is missing":     func(data []byte) []byte { return data[:len(data)/2] },
		"most of it is missing":  func(data []byte) []byte { return data[:5000] },
		"both meta pages broken": func(data []byte) []byte { data[16+40]++; data[4096+16+40]++; return data },
		"a page is zeros":        func(data []byte) []byte { clear(data[said&^4095:][:4096]); return data },
		"a page is noise": func(data []byte) []byte {
			for i := range 4096 {
				data[said&^4095+i] = byte(i * 31)
			}
			return data
		},
		"a page is another": func(data []byte) []byte { copy(data[said&^4095:][:4096], data[3*4096:]); return data },
		"a letter":          func(data []byte) []byte { data[said]++; return data },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, write(t, harm(bytes.Clone(data))), filestore.ErrDamaged, "is damaged (")
		})
	}
}

// A file with one wrong bit is refused, or the bit is in no record: other data is never shown, and nothing panics.
// The two meta pages are excluded: without the newer one the older counts, as after a power cut.
func TestAFileWithAWrongBitIsRefusedOrHasAllItHad(t *testing.T) {
	t.Parallel()
	file := filled(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, file, filestore.Options{})
	want, err := contents(t, s)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	const bits = 160
	for range bits {
		bit := random.IntN(8 * (len(data) - 2*4096))
		at := 2*4096 + bit/8
		harmed := bytes.Clone(data)
		harmed[at] ^= 1 << (bit % 8)
		if err := os.WriteFile(file, harmed, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := filestore.Open(file, filestore.Options{})
		if err != nil {
			if !errors.Is(err, filestore.ErrDamaged) && !errors.Is(err, filestore.ErrForeign) && !errors.Is(err, filestore.ErrLater) {
				t.Fatalf("bit %d of byte %d: Open() = %v", bit%8, at, err)
			}
			found++
			continue
		}
		got, err := contents(t, s)
		closeStore(t, s)
		if err != nil || got != want {
			t.Fatalf("bit %d of byte %d: the threads are %s, %v; want %s", bit%8, at, got, err, want)
		}
	}
	if found < bits/4 {
		t.Errorf("%d of %d wrong bits were found, want a quarter or more", found, bits)
	}
}

// With one of the two meta pages broken, as after a power cut while it was written, the other counts.
func TestAFileWithOneMetaPageIsGood(t *testing.T) {
	t.Parallel()
	for page := range 2 {
		data, err := os.ReadFile(filled(t))
		if err != nil {
			t.Fatal(err)
		}
		clear(data[page*4096:][:4096])
		s := open(t, write(t, data), filestore.Options{})
		got, err := contents(t, s)
		if n := strings.Count(got, `"int-t`); err != nil || n < 11 {
			t.Errorf("without page %d there are %d questions, %v", page, n, err)
		}
	}
}

func TestASecondProcessIsToldThatTheFileIsInUse(t *testing.T) {
	t.Parallel()
	if file := os.Getenv("FILESTORE_TEST_OPEN"); file != "" {
		_, err := filestore.Open(file, filestore.Options{})
		fmt.Println(errors.Is(err, filestore.ErrInUse), err)
		return
	}
	file := path(t)
	s := open(t, file, filestore.Options{})
	second := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	second.Env = append(os.Environ(), "FILESTORE_TEST_OPEN="+file)
	out, err := second.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "true filestore: "+file+" is in use by another process") {
		t.Errorf("the second process says %s, %v", out, err)
	}
	ask(t, s, begin(t, s, "t1", "u1"), "still here")
	closeStore(t, s)
	s = open(t, file, filestore.Options{})
	got, err := contents(t, s)
	if err != nil || !strings.Contains(got, "still here") {
		t.Errorf("the threads are %s, %v", got, err)
	}
}

func TestNamesOfAnyKindAreKeptApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	keys := []state.Key{
		{Principal: "a", Agent: "b", ID: "c"}, {Principal: "a", Agent: "c", ID: "b"}, {Principal: "a\x00", Agent: "b", ID: "c"},
		{Principal: "a", Agent: "\x00b", ID: "c"}, {Principal: "a", Agent: "b", ID: "c\x00\x01"}, {Principal: "a/b", Agent: "", ID: ""},
		{Principal: "a", Agent: "b", ID: "\xff\xfe"}, {Principal: "é", Agent: "🙂", ID: long},
	}
	file := path(t)
	s := open(t, file, filestore.Options{})
	for i, key := range keys {
		b, err := s.Begin(t.Context(), &state.Request{
			Key: key, RunID: fmt.Sprint(i), State: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)),
			Messages: []agui.Message{{ID: long, Role: agui.RoleUser, Content: agui.TextContent("hello")}},
		}, state.LeaseOptions{Attempt: fmt.Sprint("attempt", i), TTL: 1})
		if err != nil || b.Lease == nil {
			t.Fatalf("Begin(%q) = %+v, %v", key, b, err)
		}
		commit(t, s, b.Lease, state.Commit{End: &state.End{Status: state.RunSuccess}})
	}
	closeStore(t, s)
	s = open(t, file, filestore.Options{})
	for i, key := range keys {
		got, err := s.State(t.Context(), key, -1)
		if err != nil || string(got) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("State(%q) = %s, %v", key, got, err)
		}
		found, err := s.Find(t.Context(), key.Principal, key.ID)
		if err != nil || !slices.Contains(found, key) {
			t.Errorf("Find(%q) = %q, %v", key, found, err)
		}
		page, err := s.List(t.Context(), state.Query{Principal: key.Principal})
		shown := false
		for _, summary := range page.Threads {
			shown = shown || summary.Key == key
		}
		if err != nil || !shown {
			t.Errorf("List(%q) lacks %q, %v", key.Principal, key, err)
		}
	}
}
