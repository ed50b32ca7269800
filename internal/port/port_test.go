package port_test

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/internal/port"
)

// listen listens on addr.
func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// dial connects to addr and closes the connection.
func dial(ctx context.Context, addr string) error {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return c.Close()
}

// TestAServerListensOnAReservedPort starts and stops a server several times. Between two servers a connection is
// refused. It is not parallel: a program that another test starts has, until its exec, a copy of the listening socket.
func TestAServerListensOnAReservedPort(t *testing.T) {
	r := port.ForTest(t)
	if r.Addr() != "127.0.0.1:"+strconv.Itoa(r.Port()) {
		t.Errorf("Addr() = %s, Port() = %d", r.Addr(), r.Port())
	}
	for range 3 {
		if err := dial(t.Context(), r.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("without a server: %v, want that the connection is refused", err)
		}
		l := listen(t, r.Addr())
		if err := dial(t.Context(), r.Addr()); err != nil {
			t.Errorf("with a server: %v", err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	l := listen(t, r.Addr())
	if err := errors.Join(r.Close(), r.Close(), dial(t.Context(), r.Addr()), l.Close()); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// TestAReservedPortIsNotGivenToOthers reserves so many ports that one of them would be chosen twice, were it not
// reserved. While all of them are reserved, it takes as many ports for connections.
func TestAReservedPortIsNotGivenToOthers(t *testing.T) {
	t.Parallel()
	const many = 500
	reserved := map[int]bool{}
	for range many {
		r := port.ForTest(t)
		if reserved[r.Port()] {
			t.Fatalf("port %d is reserved twice", r.Port())
		}
		reserved[r.Port()] = true
	}
	l := listen(t, "127.0.0.1:0")
	defer func() { _ = l.Close() }()
	for range many {
		var dialer net.Dialer
		c, err := dialer.DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		for _, addr := range []net.Addr{l.Addr(), c.LocalAddr()} {
			if reserved[addr.(*net.TCPAddr).Port] {
				t.Fatalf("%s is reserved", addr)
			}
		}
	}
	for p := range reserved { // a socket without SO_REUSEADDR that asks for the port
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p}}
		if _, err := dialer.DialContext(t.Context(), "tcp", l.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatalf("a connection from port %d: %v, want that it is in use", p, err)
		}
	}
}

// TestProgramsListenOnReservedPorts starts the programs that get a port as an argument: Redis, also as a member of a
// cluster, and Node.
func TestProgramsListenOnReservedPorts(t *testing.T) {
	t.Parallel()
	var ports []int
	for range 3 {
		ports = append(ports, port.ForTest(t).Port())
	}
	redis, bus, node := strconv.Itoa(ports[0]), strconv.Itoa(ports[1]), strconv.Itoa(ports[2])
	for range 2 { // the second time is a restart
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		var ended sync.WaitGroup
		for _, command := range [][]string{
			{"redis-server", "--bind", "127.0.0.1", "--port", redis, "--save", "", "--cluster-enabled", "yes", "--cluster-port", bus},
			{"node", "-e", "require('http').createServer().listen(" + node + ", '127.0.0.1')"},
		} {
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir = t.TempDir()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended.Go(func() {
				if err := cmd.Wait(); ctx.Err() == nil {
					t.Errorf("%s ended: %v", command[0], err)
					end()
				}
			})
		}
		for _, p := range []string{redis, bus, node} {
			err := dial(ctx, "127.0.0.1:"+p)
			for ; errors.Is(err, syscall.ECONNREFUSED) && ctx.Err() == nil; err = dial(ctx, "127.0.0.1:"+p) {
				time.Sleep(5 * time.Millisecond)
			}
			if err != nil {
				t.Errorf("nobody listens on port %s: %v", p, err)
			}
		}
		end()
		ended.Wait()
	}
}
