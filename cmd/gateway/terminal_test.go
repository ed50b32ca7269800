package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// serveTeam starts a gateway that ends with the test, if not before.
func serveTeam(t *testing.T, binary string, args ...string) *process {
	t.Helper()
	p := startProcess(t, binary, args...)
	t.Cleanup(func() { // the test's context has ended the process
		receive(t, "the server ends", p.ended)
		_ = p.cmd.Wait() // it was killed
	})
	return p
}

// A window is a terminal with the binary in it.
type window struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File

	mu    sync.Mutex
	shown strings.Builder // everything, escape sequences included
	more  chan struct{}   // there is more, or it is over
	over  bool
	read  int // up to where a test has looked, in the text without escape sequences
}

// openWindow runs the binary in a terminal of so many columns.
func openWindow(t *testing.T, columns uint16, env []string, binary string, args ...string) *window {
	t.Helper()
	w := &window{t: t, cmd: exec.CommandContext(t.Context(), binary, args...), more: make(chan struct{}, 1)}
	w.cmd.Env = append([]string{"HOME=" + t.TempDir(), "TERM=xterm-256color"}, env...)
	file, err := pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 24, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	w.file = file
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.collect()
	}()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it has ended, unless the test has failed
		_ = w.cmd.Wait()
		_ = file.Close()
		<-done
	})
	return w
}

func (w *window) collect() {
	buffer := make([]byte, 4096)
	for {
		n, err := w.file.Read(buffer)
		w.mu.Lock()
		w.shown.Write(buffer[:n])
		w.over = err != nil
		w.mu.Unlock()
		select {
		case w.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// escapes are the allowed escape sequences, of the program and of line editing: colours, and moves within lines.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[mGKABCD]")

// text is what a person reads.
func (w *window) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.ReplaceAll(escapes.ReplaceAllString(w.shown.String(), ""), "\r", "")
}

// raw is what the terminal was sent.
func (w *window) raw() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown.String()
}

// sees waits for texts, one behind the other.
func (w *window) sees(wants ...string) *window {
	w.t.Helper()
	deadline := time.After(patience)
	for _, want := range wants {
		for {
			text := w.text()
			if i := strings.Index(text[w.read:], want); i >= 0 {
				w.read += i + len(want)
				break
			}
			w.mu.Lock()
			over := w.over
			w.mu.Unlock()
			if over && !strings.Contains(w.text()[w.read:], want) {
				w.t.Fatalf("the program ended without %q; behind what was seen:\n%s", want, w.text()[w.read:])
			}
			select {
			case <-w.more:
			case <-deadline:
				w.t.Fatalf("%q is not shown; behind what was seen:\n%s\nall of it:\n%s", want, text[w.read:], text)
			}
		}
	}
	return w
}

// types types keys.
func (w *window) types(keys string) *window {
	w.t.Helper()
	if _, err := w.file.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// enter waits for a prompt, and types a line there.
func (w *window) enter(prompt, line string) *window {
	w.t.Helper()
	return w.sees(prompt).types(line + "\r")
}

// interrupt waits for a prompt, and presses Ctrl-C there once the line is being edited: before that it is a signal.
func (w *window) interrupt(prompt string) *window {
	w.t.Helper()
	return w.sees(prompt).types("x").sees("x").types(ctrlC)
}

// Keys.
const (
	ctrlC     = "\x03"
	clearLine = "\x15"
)

// ends waits for the end of the program, and wants its exit code.
func (w *window) ends(code int) {
	w.t.Helper()
	late := time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
	err := w.cmd.Wait()
	if !late.Stop() {
		w.t.Error("never: the program ends")
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if got := w.cmd.ProcessState.ExitCode(); got != code {
		w.t.Errorf("exit code %d, want %d; shown was\n%s", got, code, w.text())
	}
}
