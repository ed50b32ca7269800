package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/internal/port"
)

// A process is a server that was started, and where it listens.
type process struct {
	cmd   *exec.Cmd
	url   string
	out   *os.File          // what it says; removed with it
	ended chan struct{}     // closed when it has ended
	port  *port.Reservation // of a server that cannot choose its port
}

var (
	listening = regexp.MustCompile(`(?m)\blistening\b.*?\b(http://[\d.:]+\d)`)
	forAdmins = regexp.MustCompile(`(?m)\badmin:.*?\b(http://[\d.:]+\d)`)
)

// start starts a server and waits until its output matches says: a group in brackets is its address.
func start(ctx context.Context, says *regexp.Regexp, program string, args ...string) (*process, error) {
	out, err := os.CreateTemp("", "bench-*.log")
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program, args...), out: out, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, p.remove())
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // it is killed in the end, if it does not end before
	}()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		said, err := os.ReadFile(out.Name())
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
		if found := says.FindSubmatch(said); found != nil {
			p.url = string(found[len(found)-1])
			return p, nil
		}
		select {
		case <-p.ended:
			deadline = time.Time{}
		default:
		}
	}
	said, err := p.tail()
	return nil, errors.Join(fmt.Errorf("%s does not listen: %s", program, said), err, p.stop())
}

// tail is the end of what the process said.
func (p *process) tail() (string, error) {
	data, err := os.ReadFile(p.out.Name())
	return string(data[max(0, len(data)-1000):]), err
}

// admin returns the address for operators that a gateway has logged. It logs that before it listens.
func (p *process) admin() (string, error) {
	said, err := os.ReadFile(p.out.Name())
	if err != nil {
		return "", err
	}
	found := forAdmins.FindSubmatch(said)
	if found == nil {
		return "", fmt.Errorf("%s has logged no address for operators", p.cmd.Path)
	}
	return string(found[1]), nil
}

// stop ends the process and waits until it has ended.
func (p *process) stop() error {
	err := p.cmd.Process.Kill()
	<-p.ended
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	if p.port != nil {
		err = errors.Join(err, p.port.Close())
	}
	return errors.Join(err, p.remove())
}

func (p *process) remove() error { return errors.Join(p.out.Close(), os.Remove(p.out.Name())) }

// Servers are the processes of a measurement, with the folder where they have their files.
type servers struct {
	program, dir string // program is this one
	stops        []func() error
}

func (s *servers) prepare() (err error) {
	if s.program, err = os.Executable(); err != nil {
		return err
	}
	s.dir, err = os.MkdirTemp("", "bench-")
	return err
}

// started keeps a process that will be stopped.
func (s *servers) started(p *process, err error) (*process, error) {
	if err == nil {
		s.stops = append(s.stops, p.stop)
	}
	return p, err
}

// stop stops all processes and removes their files.
func (s *servers) stop() (err error) {
	for _, stop := range slices.Backward(s.stops) {
		err = errors.Join(err, stop())
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

var ready = regexp.MustCompile(`Ready to accept connections`)

// startRedis starts a redis-server on a port that is reserved until it is stopped, with its files in dir. It forks no
// process to rewrite its file: that would outlive a kill, and write in dir while dir is removed.
func startRedis(ctx context.Context, dir string, args ...string) (*process, error) {
	reserved, err := port.Reserve()
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, ready, "redis-server",
		append([]string{"--bind", "127.0.0.1", "--port", strconv.Itoa(reserved.Port()), "--dir", dir,
			"--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-percentage", "0"},
			args...)...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("redis-server (apt-get install redis-server): %w", err), reserved.Close())
	}
	p.url, p.port = "redis://"+reserved.Addr(), reserved
	return p, nil
}
