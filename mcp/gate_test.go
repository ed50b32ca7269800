package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
)

// A gate holds calls of the tool wait, whether its server is a program or in this process.
type gate struct {
	url     string
	arrived chan struct{} // a call is held
	open    chan struct{} // closed by the test, to let calls through
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{arrived: make(chan struct{}, 10), open: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		g.arrived <- struct{}{}
		select {
		case <-g.open:
		case <-r.Context().Done():
		}
	}))
	closeAfter(t, server)
	g.url = server.URL
	return g
}

// arguments are those of a call that the gate holds.
func (g *gate) arguments() []byte { return fmt.Appendf(nil, `{"gate":%q}`, g.url) }

// call calls the tool wait and returns what it ends with.
func (g *gate) call(ctx context.Context, wait groupchat.Tool) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := wait.Call(ctx, groupchat.ToolCall{Arguments: g.arguments()})
		ended <- err
	}()
	return ended
}

// await waits until the gate holds a call.
func (g *gate) await(t *testing.T) {
	t.Helper()
	select {
	case <-g.arrived:
	case <-time.After(patience):
		t.Fatal("no call has come to the gate")
	}
}

// passGate is the tool wait: it waits at the gate of its arguments.
func passGate(ctx context.Context, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	var in struct{ Gate string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, in.Gate, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, response.Body) // it is empty
	return text("done"), response.Body.Close()
}

// pidOf returns the process id that the tool pid answered.
func pidOf(t *testing.T, r tools.Result) int {
	t.Helper()
	pid, err := strconv.Atoi(r.Content.Text())
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

var stateOf = regexp.MustCompile(`(?m)^State:\s+(\w)`)

// stopProgram suspends a process and waits until all its threads are stopped, as in a deadlock. It
// returns false if the process has ended.
func stopProgram(t *testing.T, pid int) (stopped bool) {
	t.Helper()
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	eventually(t, func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		states := ""
		for _, path := range threads {
			if status, err := os.ReadFile(path); err == nil { // the thread may have ended
				states += string(stateOf.FindSubmatch(status)[1])
			}
		}
		stopped = strings.Trim(states, "T") == "" && states != ""
		return stopped || strings.Trim(states, "ZX") == ""
	})
	return stopped
}

// count is how many calls are under way on a connection.
func (c *connection) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.underway)
}

// connectionOf is the connection that a server has now, nil if none.
func connectionOf(s *Server) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}
