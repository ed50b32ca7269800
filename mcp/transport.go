package mcp

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// exitGrace is how long a program may take to end after its stdin was closed, and again after SIGTERM. Some programs do
// not notice that their stdin was closed.
const exitGrace = time.Second

// inherited lists the variables of the gateway's environment that a program gets. The others may be secrets.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP",
	"SYSTEMROOT", "SYSTEMDRIVE", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PATHEXT", "COMSPEC", "PROGRAMFILES",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// transport returns the transport for one try to connect. A program is killed when ctx is done. The caller calls done
// if the try fails.
func (s *Server) transport(ctx context.Context) (t sdk.Transport, done func()) {
	if s.o.URL != "" {
		return &sdk.StreamableClientTransport{Endpoint: s.o.URL, HTTPClient: s.http(), MaxRetries: 2}, func() {}
	}
	cmd := exec.CommandContext(ctx, s.o.Command, s.o.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.o.Dir, s.environment(), exitGrace
	cmd.Stderr = &logWriter{s: s}
	return &sdk.CommandTransport{Command: cmd, TerminateDuration: exitGrace}, func() {
		if cmd.Process != nil {
			_ = cmd.Process.Kill() // it may have ended
		}
	}
}

// environment returns the environment of a program.
func (s *Server) environment() []string {
	env := []string{}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range s.o.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// A logWriter logs what a program writes to stderr, line by line. It is for one goroutine.
type logWriter struct {
	s    *Server
	line []byte
	last []string // the last lines that are not empty
}

// Write takes the next bytes.
func (w *logWriter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		w.line = append(w.line, line[:min(len(line), maxLine-len(w.line))]...)
		if line[len(line)-1] != '\n' {
			continue
		}
		if text := string(bytes.TrimSpace(w.line)); text != "" {
			w.last = append(w.last[max(0, len(w.last)+1-maxKeptLines):], text)
			w.s.lastFailure.set(slices.Clone(w.last)...)
			w.s.o.Log.Debug("mcp: stderr", "server", w.s.o.Name, "line", w.s.redacted(text))
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}
