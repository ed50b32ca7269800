package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agui-gateway/gateway/errcode"
)

// A server is one gateway as people run it, with an address for operators, and those that take its place after it was
// stopped.
type server struct {
	name  string
	args  []string
	dir   string // of its log and profiles
	young bool   // it is stopped and started again in each round
	*process
	serving, admin atomic.Pointer[string] // URLs
	takeovers      atomic.Int64
	mu             sync.Mutex
	faults         []string // lines of the log that tell of one
}

// start starts the process and returns when it serves.
func (s *server) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, s.args[0],
		append(s.args[1:], "-log-format", "json", "-admin-addr", "127.0.0.1:0")...)
	log, stderr, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stderr = stderr
	cmd.Env = append(os.Environ(), "GATEWAY_INTERRUPT_WEBHOOK_SECRET=whsec")
	s.process, err = launch(cmd)
	if err := errors.Join(err, stderr.Close()); err != nil {
		return err
	}
	listening := make(chan struct{})
	go s.listen(log, listening)
	select {
	case <-listening:
		return nil
	case <-s.ended:
	case <-time.After(hungAfter):
	}
	return fmt.Errorf("%s does not start, see %s", s.name, s.file("log"))
}

// file is the path of a file about the server.
func (s *server) file(kind string) string { return filepath.Join(s.dir, s.name+"."+kind) }

// A logLine has the used members of a line of the log.
type logLine struct{ Level, Msg, Addr, Code string }

// foreseen reports whether an error is one of those that a soak brings about, or counts elsewhere.
func (l logLine) foreseen() bool {
	code := errcode.Code(l.Code)
	return code == errcode.Draining || code == errcode.StoreUnavailable || strings.HasPrefix(l.Msg, "webhook: given up")
}

// listen keeps the log and reads it, and closes listening when the server does that.
func (s *server) listen(log io.ReadCloser, listening chan<- struct{}) {
	file, err := os.OpenFile(s.file("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err) // the directory is ours
	}
	defer func() { _, _ = file.Close(), log.Close() }() // the log only explains
	lines := bufio.NewReader(log)
	for {
		text, err := lines.ReadString('\n')
		_, _ = file.WriteString(text)
		if err != nil {
			return
		}
		var line logLine
		plain := json.Unmarshal([]byte(text), &line) != nil
		switch {
		case plain, line.Level == "ERROR" && !line.foreseen():
			s.mu.Lock()
			s.faults = append(s.faults, text)
			s.mu.Unlock()
		case strings.HasPrefix(line.Msg, "admin:"):
			s.admin.Store(&line.Addr)
		case line.Msg == "listening":
			s.serving.Store(&line.Addr)
			close(listening)
		case line.Msg == "run: taken over":
			s.takeovers.Add(1)
		}
	}
}

// drain asks the process to end, and waits until it has.
func (s *server) drain() {
	s.signal(syscall.SIGTERM)
	<-s.ended
}

// ask gets a page of the operators' address.
func (s *server) ask(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, *s.admin.Load()+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s of %s is %s", path, s.name, response.Status)
	}
	return body, nil
}

// metrics returns the metrics that have no labels.
func (s *server) metrics(ctx context.Context) (map[string]float64, error) {
	body, err := s.ask(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	values := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				values[name] = v
			}
		}
	}
	return values, nil
}

// heap collects garbage and returns how many bytes are left on the heap.
func (s *server) heap(ctx context.Context) (float64, error) {
	const collect = "/debug/pprof/heap?gc=1&debug=1"
	if _, err := s.ask(ctx, collect); err != nil { // what pools hold goes at the second time
		return 0, err
	}
	body, err := s.ask(ctx, collect)
	if err != nil {
		return 0, err
	}
	_, text, _ := strings.Cut(string(body), "# HeapAlloc = ")
	text, _, _ = strings.Cut(text, "\n")
	return strconv.ParseFloat(text, 64)
}

// keep writes profiles to files, for the search of leaks.
func (s *server) keep(ctx context.Context, when string) error {
	for kind, path := range map[string]string{"heap": "/debug/pprof/heap?gc=1",
		"goroutines": "/debug/pprof/goroutine?debug=1"} {
		profile, err := s.ask(ctx, path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.file(when+"-"+kind), profile, 0o600); err != nil {
			return err
		}
	}
	return nil
}
