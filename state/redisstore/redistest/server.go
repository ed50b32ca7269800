package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/agui-gateway/gateway/internal/port"
)

// patience is how long a server may take to do what it is waited for.
const patience = 30 * time.Second

// A Server is one redis-server process.
type Server struct {
	Addr string // host:port

	t    testing.TB
	dir  string
	args []string

	mu      sync.Mutex
	process *os.Process
	ended   chan struct{}
}

// Start starts a server with the given arguments of redis-server beside its own. Without any it keeps nothing on disk.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return start(t, func(port int) []string {
		return append([]string{"--port", strconv.Itoa(port), "--save", "", "--appendonly", "no"}, args...)
	})
}

// start starts a server with arguments that depend on its port, after those in first.
func start(t testing.TB, args func(port int) []string, first ...string) *Server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Fatal("redis-server is missing; install it with: apt-get install -y --no-install-recommends redis-server")
	}
	s := &Server{t: t, dir: t.TempDir()}
	reserved := port.ForTest(t)
	t.Cleanup(s.Kill)
	s.Addr = reserved.Addr()
	s.args = slices.Concat(first, []string{"--bind", "127.0.0.1", "--dir", s.dir, "--logfile", "redis.log",
		"--auto-aof-rewrite-percentage", "0"}, args(reserved.Port()))
	if err := s.launch(); err != nil {
		t.Fatalf("redis-server does not start: %v\n%s", err, s.log())
	}
	return s
}

// URL is the server's address for a store.
func (s *Server) URL() string { return "redis://" + s.Addr }

// Client returns a client of the server, closed with the test.
func (s *Server) Client() *redis.Client {
	c := redis.NewClient(&redis.Options{
		Addr: s.Addr, DialerRetries: 1,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("Close() = %v", err)
		}
	})
	return c
}

// Kill ends the server as a crash does, and waits for its end.
func (s *Server) Kill() {
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.process = nil
	s.mu.Unlock()
	if process == nil {
		return
	}
	if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("Kill() = %v", err)
	}
	<-ended
}

// Freeze stops the server where it is: it takes connections and is silent. Thaw continues it.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends what Freeze began.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(what syscall.Signal) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.process.Signal(what); err != nil {
		s.t.Fatalf("redis-server cannot be sent %v: %v", what, err)
	}
}

// Restart starts a killed server again, with what it has on disk.
func (s *Server) Restart() {
	s.t.Helper()
	if err := s.launch(); err != nil {
		s.t.Fatalf("redis-server does not start again: %v\n%s", err, s.log())
	}
}

// launch starts the process and waits until it answers.
func (s *Server) launch() error {
	cmd := exec.CommandContext(context.Background(), "redis-server", s.args...)
	cmd.Dir = s.dir
	dieWithParent(cmd)
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		// The kernel takes the end of the thread that started it for the parent's.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it was killed, or could not listen: Ping tells
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.mu.Lock()
	s.process, s.ended = cmd.Process, ended
	s.mu.Unlock()
	client := s.Client()
	for deadline := time.Now().Add(patience); ; {
		err := s.dial() // the client would log every failure
		if err == nil {
			err = client.Ping(context.Background()).Err()
		}
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return errors.New("it ended at once")
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("it does not answer: %w", err)
		}
	}
}

func (s *Server) dial() error {
	var dialer net.Dialer
	c, err := dialer.DialContext(context.Background(), "tcp", s.Addr)
	if err != nil {
		return err
	}
	return c.Close()
}

func (s *Server) log() string {
	raw, err := os.ReadFile(filepath.Join(s.dir, "redis.log"))
	if err != nil {
		return ""
	}
	return string(raw)
}

// Until waits until ok.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}
