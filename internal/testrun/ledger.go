package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// shownLines is how many lines of a failed test's output the ledger keeps.
const shownLines = 8

// A ledger keeps the flaky and the failed tests of all calls of one run of CI in files of a directory. Without a
// directory it keeps nothing.
type ledger struct{ dir string }

// flaky returns how many tests were flaky so far.
func (l ledger) flaky() (int, error) {
	if l.dir == "" {
		return 0, nil
	}
	data, err := os.ReadFile(filepath.Join(l.dir, "flaky"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return bytes.Count(data, []byte("\n")), nil
}

// addFlaky records a test that passed in its second run.
func (l ledger) addFlaky(f failure) error { return l.add("flaky", f.name+"\n") }

// addFailed records a failed test with the first lines of its output.
func (l ledger) addFailed(f failure) error {
	var b strings.Builder
	b.WriteString(f.name)
	if f.final != "" {
		fmt.Fprintf(&b, " (%s)", f.final)
	}
	b.WriteByte('\n')
	for _, line := range firstLines(f.output, shownLines) {
		fmt.Fprintf(&b, "    %s\n", strings.TrimSpace(line))
	}
	return l.add("failed", b.String())
}

// add appends text to a file.
func (l ledger) add(file, text string) error {
	if l.dir == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(l.dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
