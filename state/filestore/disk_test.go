//go:build linux

package filestore_test

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sectorSize is how many bytes a disk writes together, if it writes them at all.
const sectorSize = 512

// A diskWrite is a write that nothing has made last yet: the disk may have done it, in part too, or not.
type diskWrite struct {
	at   int64
	data []byte // nil: the file has the size at from now on
	done bool   // acknowledged
}

// apply does the write in data, or the sectors of it that keep selects. Data behind the end of the file is lost: a
// file grows before it is written to.
func (w *diskWrite) apply(data []byte, keep func() bool) []byte {
	if w.data == nil {
		if !keep() {
			return data
		}
		return append(data, make([]byte, max(0, int(w.at)-len(data)))...)[:w.at]
	}
	for from := 0; from < len(w.data); from += sectorSize {
		if at := int(w.at) + from; keep() && at < len(data) {
			copy(data[at:], w.data[from:min(from+sectorSize, len(w.data))])
		}
	}
	return data
}

// A diskFile is a file or a folder, with its lasting data and the data that may last.
type diskFile struct {
	folder  bool
	lasting []byte
	writes  []*diskWrite
}

// A diskNaming is a change of names in one folder that nothing has made last yet. The names are paths; those without a
// file are taken away.
type diskNaming struct {
	folder string
	files  map[string]*diskFile
	done   bool // acknowledged
}

func (n *diskNaming) apply(names map[string]*diskFile) {
	for path, f := range n.files {
		if f == nil {
			delete(names, path)
		} else {
			names[path] = f
		}
	}
}

// A disk has the files below a folder as the system calls of a process made them. Data before an fsync survives a
// power cut; of the rest any part may, in any order.
type disk struct {
	top     string
	acks    string // the file in which the process writes a line for each acknowledgment
	forgets bool   // this one does not do what fsync asks for

	now     map[string]*diskFile // as the process sees it
	lasting map[string]*diskFile
	namings []*diskNaming
	lines   int // of acks
}

func newDisk(top, acks string) *disk {
	return &disk{top: top, acks: acks, now: map[string]*diskFile{}, lasting: map[string]*diskFile{}}
}

// sysCall is a system call, the end of one that took a while, or both, as strace writes it.
var sysCall = regexp.MustCompile(`^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$`)

// replay applies a trace, and calls cut before each moment with more lasting data or more acknowledged writes.
func (d *disk) replay(trace io.Reader, cut func() error) error {
	calls := map[string]func(ok bool) error{} // by thread, the end of the call that it is in
	lines := bufio.NewReader(trace)
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return cut()
		} else if err != nil {
			return err
		}
		m := sysCall.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue // a signal, or the end of a process
		}
		thread, began, rest := m[1], m[3], m[4]
		if began != "" {
			if calls[thread], err = d.begin(began, rest, cut); err != nil {
				return err
			}
		}
		if end := calls[thread]; end != nil && !strings.HasSuffix(rest, "<unfinished ...>") {
			calls[thread] = nil
			if err := end(!strings.Contains(rest, " = -1 ")); err != nil {
				return err
			}
		}
	}
}

// texts are the names and data in a system call, which strace -xx -y writes byte by byte.
func texts(rest string) []string {
	var list []string
	for {
		from := strings.IndexAny(rest, `"<`)
		if from < 0 {
			return list
		}
		rest = rest[from+1:]
		end := strings.IndexAny(rest, `">`)
		if end < 0 {
			return list
		}
		if text, err := hex.DecodeString(strings.ReplaceAll(rest[:end], `\x`, "")); err == nil {
			list = append(list, string(text))
		}
		rest = rest[end+1:]
	}
}

// lastNumber is the last argument of a system call.
func lastNumber(rest string) int64 {
	args, _, _ := strings.Cut(strings.TrimSuffix(rest, " <unfinished ...>"), ")")
	n, err := strconv.ParseInt(args[strings.LastIndex(args, " ")+1:], 10, 64)
	if err != nil {
		panic("no number at the end of " + rest)
	}
	return n
}

// begin applies a system call at its beginning, and returns its effect at its end.
func (d *disk) begin(call, rest string, cut func() error) (end func(ok bool) error, err error) {
	texts := texts(rest)
	name := func(i int) string { // within the folder, empty if it is elsewhere
		if i >= len(texts) {
			return ""
		}
		name, err := filepath.Rel(d.top, texts[i])
		if err != nil || strings.HasPrefix(name, "..") {
			return ""
		}
		return name
	}
	switch call {
	case "openat":
		if d.now[name(1)] == nil && name(1) != "" && strings.Contains(rest, "O_CREAT") {
			return d.rename(map[string]*diskFile{name(1): {}}), nil
		}
	case "mkdirat":
		if name(1) != "" {
			return d.rename(map[string]*diskFile{name(1): {folder: true}}), nil
		}
	case "linkat":
		if name(3) != "" {
			return d.rename(map[string]*diskFile{name(3): d.now[name(1)]}), nil
		}
	case "renameat", "renameat2":
		if name(3) != "" {
			return d.rename(map[string]*diskFile{name(3): d.now[name(1)], name(1): nil}), nil
		}
	case "unlinkat":
		if name(1) != "" {
			return d.rename(map[string]*diskFile{name(1): nil}), nil
		}
	case "write":
		if len(texts) > 0 && texts[0] == d.acks {
			err := cut()
			d.lines++
			return nil, err
		}
	case "ftruncate":
		if f := d.now[name(0)]; f != nil {
			return f.write(&diskWrite{at: lastNumber(rest)}), nil
		}
	case "pwrite64":
		if f := d.now[name(0)]; f != nil {
			return f.write(&diskWrite{at: lastNumber(rest), data: []byte(texts[1])}), nil
		}
	case "fsync", "fdatasync":
		if name(0) != "" {
			return d.sync(name(0), cut), nil
		}
	}
	return nil, nil
}

func (f *diskFile) write(w *diskWrite) func(bool) error {
	f.writes = append(f.writes, w)
	return func(bool) error { w.done = true; return nil }
}

func (d *disk) rename(files map[string]*diskFile) func(bool) error {
	n := &diskNaming{files: files}
	for path := range files {
		n.folder = filepath.Dir(path)
	}
	d.namings = append(d.namings, n)
	return func(ok bool) error {
		if n.done = true; !ok {
			n.files = nil
		}
		n.apply(d.now)
		return nil
	}
}

// sync makes all earlier writes lasting, at its end.
func (d *disk) sync(path string, cut func() error) func(bool) error {
	all := func() bool { return true }
	var writes []*diskWrite
	f := d.now[path]
	if f != nil {
		for _, w := range f.writes {
			if w.done {
				writes = append(writes, w)
			}
		}
	}
	var namings []*diskNaming
	for _, n := range d.namings {
		if n.done && n.folder == path {
			namings = append(namings, n)
		}
	}
	return func(ok bool) error {
		if err := cut(); err != nil || !ok || d.forgets {
			return err
		}
		for _, w := range writes {
			f.lasting = w.apply(f.lasting, all)
			f.writes = slices.DeleteFunc(f.writes, func(o *diskWrite) bool { return o == w })
		}
		for _, n := range namings {
			n.apply(d.lasting)
			d.namings = slices.DeleteFunc(d.namings, func(o *diskNaming) bool { return o == n })
		}
		return nil
	}
}

// open reports whether there is something that a power cut could take.
func (d *disk) open() bool {
	return len(d.namings) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(d.now)), func(f *diskFile) bool { return len(f.writes) > 0 })
}

// writeTo writes to a folder what a power cut leaves: what lasts, and what keep chooses of the rest. It is asked
// for each change of names and each sector, in the order in which they were written.
func (d *disk) writeTo(folder string, keep func() bool) error {
	names := maps.Clone(d.lasting)
	for _, n := range d.namings {
		if keep() {
			n.apply(names)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(names)) { // folders come before their files
		f := names[path]
		if f.folder {
			if err := os.Mkdir(filepath.Join(folder, path), 0o700); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		}
		data := slices.Clone(f.lasting)
		for _, w := range f.writes {
			data = w.apply(data, keep)
		}
		// Without its folder, the file is lost.
		if err := os.WriteFile(filepath.Join(folder, path), data, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
