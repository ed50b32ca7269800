package filestore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"

	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/filestore"
)

// pageBytes is the size of a page of the files that are damaged. A file begins with two meta pages.
const pageBytes = 4096

// harmSize is how many bytes of a fuzzed input are one change of the file: what to do, where (three bytes), a value.
const harmSize = 8

// harm applies the changes that an input encodes to a file.
func harm(data, changes []byte) []byte {
	for ; len(changes) >= harmSize && len(data) > 2*pageBytes; changes = changes[harmSize:] {
		what, value := changes[0], changes[4:8]
		at := int(changes[1])<<16 | int(changes[2])<<8 | int(changes[3])
		if what&0x80 != 0 { // near the beginning of a page, where its header and its elements are
			at = at>>8*pageBytes + at&0xFF
		}
		at %= len(data) - pageBytes
		switch what & 0x7F % 7 {
		case 0:
			data[at] = value[0]
		case 1:
			data[at] ^= 1 << (value[0] % 8)
		case 2:
			copy(data[at:], value[:2])
		case 3:
			copy(data[at:], value)
		case 4: // one page in the place of another
			from, to := int(binary.LittleEndian.Uint16(value))%(len(data)/pageBytes)*pageBytes, at/pageBytes*pageBytes
			copy(data[to:to+pageBytes], data[from:])
		case 5:
			data = data[:max(at, pageBytes)]
		case 6: // the checksums of the meta pages are right, whatever is in them
			for page := range 2 {
				meta := data[page*pageBytes+16:]
				sum := fnv.New64a()
				_, _ = sum.Write(meta[:56])
				binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
			}
		}
	}
	return data
}

// A damaged file is refused, or all that is in it can be read and it can be written to: nothing panics, and nothing
// of it is taken for something else.
func FuzzDamagedFile(f *testing.F) {
	file := filepath.Join(f.TempDir(), "threads.db")
	fill(f, file, 2)
	whole, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0x50, 0, 1, 0, 0, 0})                                                      // a byte
	f.Add([]byte{0x82, 0, 3, 8, 2, 0, 0, 0, 0x83, 0, 4, 10, 0xFF, 0, 0, 0})                       // the kind of a page, how many elements another has
	f.Add([]byte{4, 0, 0x40, 0, 3, 0, 0, 0})                                                      // a page in another's place
	f.Add([]byte{5, 0, 0x60, 0, 0, 0, 0, 0})                                                      // the end is missing
	f.Add([]byte{3, 0, 0, 32, 3, 0, 0, 0, 3, 0, 0x10, 32, 3, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0})    // another root
	f.Add([]byte{3, 0, 0, 24, 1, 0x20, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0})                             // pages of a size that there is not
	f.Add([]byte{4, 0, 0x20, 0, 1, 0, 0, 0, 3, 0, 0, 42, 1, 0, 0, 0, 3, 0, 0x10, 42, 1, 0, 0, 0}) // a meta page where none is
	f.Fuzz(func(t *testing.T, changes []byte) {
		file := path(t)
		if err := os.WriteFile(file, harm(bytes.Clone(whole), changes[:min(len(changes), 16*harmSize)]), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := filestore.Open(file, filestore.Options{})
		if err != nil {
			var refusal *filestore.Error
			if !errors.As(err, &refusal) {
				t.Fatalf("Open() = %v, want an Error", err)
			}
			return
		}
		defer closeStore(t, s)
		if _, err := contents(t, s); err != nil {
			t.Fatalf("what was not refused cannot be read: %v", err)
		}
		commit(t, s, begin(t, s, "new", "u1"), state.Commit{End: &state.End{Status: state.RunSuccess}})
	})
}
