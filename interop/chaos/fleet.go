package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A replica is one gateway process, and those that take its place after it was killed.
type replica struct {
	args []string
	logs string
	*process
	serving   atomic.Pointer[address]
	takeovers *atomic.Int64
}

// An address is where a replica serves, and which version: the path of its binary.
type address struct{ url, version string }

// start starts the process and returns when it serves.
func (r *replica) start(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, r.args[0], r.args[1:]...)
	// Pipes of our own: the process's own would be closed under their readers when it ends.
	out, stdout, err := os.Pipe()
	if err != nil {
		return err
	}
	log, stderr, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	r.process, err = launch(cmd)
	if err := errors.Join(err, stdout.Close(), stderr.Close()); err != nil {
		return err
	}
	go r.listen(log)
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("a replica does not start, see %s: %w", r.logs, err)
	}
	r.serving.Store(&address{"http://" + strings.TrimSpace(addr), r.args[0]})
	return nil
}

// listen keeps the log, and counts the takeovers in it.
func (r *replica) listen(log io.ReadCloser) {
	file, err := os.OpenFile(r.logs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err) // the directory is ours
	}
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, `"run: taken over"`) {
			r.takeovers.Add(1)
		}
		_, _ = file.WriteString(line) // it only explains
		if err != nil {
			_, _ = file.Close(), log.Close()
			return
		}
	}
}

// working is how many turns the replica is at, -1 if it does not say.
func (r *replica) working(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.serving.Load().url+"/chaos/working", nil)
	if err != nil {
		return -1
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return -1
	}
	defer func() { _ = response.Body.Close() }() // a few bytes, read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return -1
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return -1
	}
	return n
}

// A fleet is replicas on one Redis, and the proxy before them; or one gateway on a file.
type fleet struct {
	redis     *database // nil on a file
	replicas  []*replica
	proxy     *proxy // nil on a file
	ledger    string
	takeovers atomic.Int64

	older, newer string // the binaries of a rolling start
}

const fleetSize = 3

// startFleet starts everything, in a new directory.
func startFleet(ctx context.Context, binary, dir string) (*fleet, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f := &fleet{ledger: dir + "/ledger"}
	var err error
	if f.redis, err = startDatabase(ctx, dir); err != nil {
		return nil, err
	}
	for i := range fleetSize {
		if err := f.add(ctx, binary, f.redis.url(), fmt.Sprintf("%s/replica-%d.log", dir, i)); err != nil {
			f.end()
			return nil, err
		}
	}
	f.proxy, err = startProxy(ctx, f.replicas)
	if err != nil {
		f.end()
		return nil, err
	}
	return f, nil
}

// startOnFile starts one gateway with its threads in a file, in a new directory.
func startOnFile(ctx context.Context, binary, dir string) (*fleet, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f := &fleet{ledger: dir + "/ledger"}
	return f, f.add(ctx, binary, "file:"+dir+"/threads.db", dir+"/gateway.log")
}

// add starts one more replica.
func (f *fleet) add(ctx context.Context, binary, store, logs string) error {
	r := &replica{
		args: []string{binary, "-store", store, "-ledger", f.ledger, "-lease", lease.String()}, logs: logs,
		takeovers: &f.takeovers,
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	f.replicas = append(f.replicas, r)
	return nil
}

// lease is how long a run outlives a silent replica here.
const lease = time.Second

// end ends all that was started.
func (f *fleet) end() {
	var all sync.WaitGroup
	for _, r := range f.replicas {
		all.Go(r.kill)
	}
	all.Wait()
	if f.redis != nil {
		f.redis.stop()
	}
	if f.proxy != nil {
		f.proxy.close()
	}
}

// any returns the address of any replica, or of the proxy.
func (f *fleet) any() string {
	if i := rand.IntN(len(f.replicas) + 1); i < len(f.replicas) || f.proxy == nil {
		return f.replicas[min(i, len(f.replicas)-1)].serving.Load().url
	}
	return f.proxy.url
}
