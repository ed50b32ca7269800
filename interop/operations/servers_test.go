package operations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/internal/port"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// patience is how long a server may take to do what it is waited for.
const patience = 90 * time.Second

// built is the gateway as it is in this checkout, built once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "operations")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "gateway")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-tags", "grpcnotrace", "-o", path, filepath.Join(root, "cmd", "gateway"))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // a directory of the system's, which keeps the rest
	}
	os.Exit(code)
}

// A site is what the commands of docs/operations.md are for: servers on this machine, and a directory with their files.
type site struct {
	t     *testing.T
	dir   string
	ports map[string]int // by the port that the page names
	redis *redistest.Server
	args  []string // of both replicas
	env   []string // of both, besides the test's

	mu        sync.Mutex
	processes map[string]*process
}

// A process is a server of a site.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// replicas are the names of a site's gateways, with the ports that the page has for them.
var replicas = map[string]struct{ port, admin string }{"a": {"8080", "9464"}, "b": {"8081", "9465"}}

// openSite starts a Redis and two replicas with the team file, variables and further arguments.
func openSite(t *testing.T, team string, env []string, args ...string) *site {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, dir: t.TempDir(), ports: map[string]int{}, redis: redistest.Start(t), env: env, processes: map[string]*process{}}
	for _, documented := range []string{"8080", "8081", "8082", "9464", "9465", "9466", "9090", "6390"} {
		s.ports[documented] = port.ForTest(t).Port()
	}
	_, redisPort, _ := strings.Cut(s.redis.Addr, ":")
	s.ports["6379"], err = strconv.Atoi(redisPort)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(s.dir, "bin"), 0o700), os.Mkdir(filepath.Join(s.dir, "data"), 0o700), os.Symlink(binary, filepath.Join(s.dir, "bin", "gateway"))); err != nil {
		t.Fatal(err)
	}
	s.write("team.yaml", strings.ReplaceAll(team, "127.0.0.1:8081", s.address("8081")))
	s.args = append([]string{"serve", "-config", "team.yaml", "-log-format", "json", "-voice-delay", "0", "-lease", "1s"}, args...)
	for name := range replicas {
		s.startReplica(name)
	}
	for name := range replicas {
		s.until(s.url(name)+"/readyz", "ready")
	}
	return s
}

// address is that of a server, by the port that the page has.
func (s *site) address(port string) string { return "127.0.0.1:" + strconv.Itoa(s.ports[port]) }

// url is where a replica serves, and admin where its metrics are.
func (s *site) url(name string) string   { return "http://" + s.address(replicas[name].port) }
func (s *site) admin(name string) string { return "http://" + s.address(replicas[name].admin) }

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// startReplica starts a replica as whatever keeps it running does: its log grows, and its process id is beside it.
func (s *site) startReplica(name string) {
	s.t.Helper()
	at := replicas[name]
	p := s.start("replica-"+name, filepath.Join(s.dir, "bin", "gateway"), append(slices.Clone(s.args), "-store", s.redis.URL(), "-addr", s.address(at.port), "-admin-addr", s.address(at.admin))...)
	s.write("replica-"+name+".pid", strconv.Itoa(p.cmd.Process.Pid)+"\n")
	s.write("replica-"+name+".url", s.url(name)+"\n")
}

// startFile starts a gateway that has its threads in a file.
func (s *site) startFile() {
	s.t.Helper()
	p := s.start("gateway", filepath.Join(s.dir, "bin", "gateway"),
		append(slices.Clone(s.args), "-store", "file:data/threads.db", "-addr", s.address("8082"), "-admin-addr", s.address("9466"))...)
	s.write("gateway.pid", strconv.Itoa(p.cmd.Process.Pid)+"\n")
}

// start starts a server with its output in a file, and ends it with the test.
func (s *site) start(name, program string, args ...string) *process {
	s.t.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(context.Background(), program, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Env = s.dir, log, log, append(os.Environ(), s.env...)
	if err := errors.Join(p.cmd.Start(), log.Close()); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // how it ended is in its log
	}()
	s.mu.Lock()
	s.processes[name] = p
	s.mu.Unlock()
	s.t.Cleanup(func() { p.end(os.Kill) })
	return p
}

// end sends the process a signal, and waits until it has ended.
func (p *process) end(with os.Signal) {
	if p.cmd.Process.Signal(with) == nil {
		<-p.ended
	}
}

// kill ends a replica as a crash does.
func (s *site) kill(name string) {
	s.mu.Lock()
	p := s.processes["replica-"+name]
	s.mu.Unlock()
	p.end(syscall.SIGKILL)
}

// supervisor is where start-replica-*.sh and start-gateway.sh ask for a gateway, so that it is a child of the test like
// any other.
func (s *site) supervisor() {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if name := strings.TrimPrefix(r.URL.Path, "/"); name == "gateway" {
			s.startFile()
		} else {
			s.startReplica(name)
		}
	}))
	s.t.Cleanup(server.Close)
	s.write("start-gateway.sh", "curl -fsS -X POST "+server.URL+"/gateway\n")
	for name := range replicas {
		s.write("start-replica-"+name+".sh", "curl -fsS -X POST "+server.URL+"/"+name+"\n")
	}
}

// get returns the body of a resource that is answered with 200, or why it was not.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return string(body), nil
}

// until asks until the answer has a text, and returns the answer.
func (s *site) until(url, text string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		body, err := get(ctx, url)
		if err == nil && strings.Contains(body, text) {
			return body
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.t.Fatalf("GET %s has no %q but %s, %v\n%s", url, text, body, err, s.logs())
		}
	}
}

// post sends a request to a replica and returns its status and the answer.
func (s *site) post(replica, path, body string) (int, string) {
	s.t.Helper()
	return s.postTo(s.url(replica), path, body)
}

func (s *site) postTo(server, path, body string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, server+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

// say sends a message to an agent and returns the run's events.
func (s *site) say(replica, agent, thread, text string) string {
	s.t.Helper()
	_, events := s.post(replica, "/agents/"+agent, fmt.Sprintf(
		`{"protocolVersion":"1.0","threadId":%q,"runId":"r-%s","messages":[{"id":%q,"role":"user","content":%q}]}`, thread, thread, "m-"+text, text))
	return events
}

// logs are the last words of all servers.
func (s *site) logs() string {
	var b bytes.Buffer
	paths, _ := filepath.Glob(filepath.Join(s.dir, "*.log")) // the pattern is good
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "--- %s\n%s\n", filepath.Base(path), text[max(0, len(text)-3000):])
	}
	return b.String()
}
