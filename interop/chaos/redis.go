package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/internal/port"
)

// A database is a redis-server that keeps its data, and can be killed and started again on the same port.
type database struct {
	port *port.Reservation // also while the server is away
	addr string
	dir  string
	*process
}

func startDatabase(ctx context.Context, dir string) (*database, error) {
	reserved, err := port.Reserve()
	if err != nil {
		return nil, err
	}
	d := &database{port: reserved, addr: reserved.Addr(), dir: dir}
	if err := d.start(ctx); err != nil {
		d.stop()
		return nil, err
	}
	return d, nil
}

// stop ends the server for good.
func (d *database) stop() {
	if d.process != nil {
		d.kill()
	}
	_ = d.port.Close() // nothing is written to it
}

// start starts the server and waits until it answers. It forks no process to rewrite its file: that would outlive a
// kill.
func (d *database) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "redis-server", "--port", strconv.Itoa(d.port.Port()), "--bind", "127.0.0.1",
		"--dir", d.dir,
		"--logfile", "redis.log", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec",
		"--auto-aof-rewrite-percentage", "0")
	var err error
	if d.process, err = launch(cmd); err != nil {
		return fmt.Errorf("redis-server (apt-get install redis-server): %w", err)
	}
	for deadline := time.Now().Add(hungAfter); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if answer, err := d.ask(ctx, "PING"); err == nil && answer == any("PONG") {
			return nil
		}
		select {
		case <-d.ended:
			log, _ := os.ReadFile(d.dir + "/redis.log") // best effort: it only explains
			return fmt.Errorf("redis-server ended at once: %s", log)
		default:
		}
	}
	return errors.New("redis-server does not answer")
}

func (d *database) url() string { return "redis://" + d.addr }

// ask sends one command and returns the reply: a string, an int64, nil or a []any of these.
func (d *database) ask(ctx context.Context, args ...string) (any, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", d.addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // everything was read
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return nil, err
	}
	return readReply(bufio.NewReader(conn))
}

// readReply reads one reply of Redis' protocol, version 2.
func readReply(r *bufio.Reader) (any, error) {
	head, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	head = strings.TrimSuffix(head, "\r\n")
	if head == "" {
		return nil, errors.New("redis: empty reply")
	}
	kind, rest := head[0], head[1:]
	if kind == '+' {
		return rest, nil
	}
	if kind == '-' {
		return nil, errors.New("redis: " + rest)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || kind == ':' || n < 0 {
		if kind == ':' {
			return n, err
		}
		return nil, err
	}
	if kind == '$' {
		text := make([]byte, n+2)
		if _, err := io.ReadFull(r, text); err != nil {
			return nil, err
		}
		return string(text[:n]), nil
	}
	list := make([]any, n)
	for i := range list {
		if list[i], err = readReply(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// logs returns the ids of every thread's log as Redis has it, by key.
func (d *database) logs(ctx context.Context) (map[string][]string, error) {
	keys, err := d.ask(ctx, "KEYS", "agui:*:ev")
	if err != nil {
		return nil, err
	}
	logs := map[string][]string{}
	list, _ := keys.([]any)
	for _, k := range list {
		key, _ := k.(string)
		entries, err := d.ask(ctx, "XRANGE", key, "-", "+")
		if err != nil {
			return nil, err
		}
		all, _ := entries.([]any)
		for _, e := range all {
			if pair, ok := e.([]any); ok && len(pair) > 0 {
				id, _ := pair[0].(string)
				logs[key] = append(logs[key], id)
			}
		}
	}
	return logs, nil
}
