package operations

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// deskTeam has the demo, and an agent that asks a model.
const deskTeam = `version: 1
agents:
  travel: { type: travel }
`

// A block is one of commands in docs/operations.md or docs/outages.md.
type block struct{ name, language, text string }

var (
	fenced = regexp.MustCompile("(?m)(?:^<!-- tested: ([a-z ]+) -->\n)?^```(\\w*)\n((?:.*\n)*?)```$")
	ported = regexp.MustCompile(`\b(8080|8081|8082|9464|9465|9466|9090|6379|6390)\b`)
)

// blocks reads the pages, in the order in which their commands are run.
func blocks(t *testing.T) (list []block) {
	t.Helper()
	for _, page := range pages {
		for _, found := range fenced.FindAllStringSubmatch(string(readFile(t, root, "docs", page)), -1) {
			list = append(list, block{found[1], found[2], found[3]})
		}
	}
	return list
}

// notRun are the programs that cannot be had where tests run; what asks for them is marked console.
var notRun = []string{"kubectl"}

// prints is what a block has to print, by its name.
var prints = map[string][]string{
	"look":          {`"status": ?"ready"|ready`, `(?m)^gateway_open_runs.* 0$`},
	"rules":         {`SUCCESS: .* is valid prometheus config`, `(?m)^  SUCCESS$`},
	"morning":       {`event="opened"`},
	"one run":       {`"msg":"run: ended"`, `"status":"success"`, `"trace_id":"[0-9a-f]{32}"`, `"kind":"turn"`},
	"one request":   {`"code":"not_found"`},
	"redis memory":  {`used_memory_human:`, `(?m)^noeviction$`},
	"redis backup":  {`RDB looks OK`},
	"redis restore": {`(?m)^OK$`, `(?m)agui-gateway threads 1"?$`},
	"file backup":   {`kept/monday.db has a copy of data/threads.db, checked: 1 threads`},
	"file restore":  {`"id":"kept"`},
	"doctor":        {`ok +store: The Redis can be reached`, `ok +team:`, `0 wrong`},
	"rolling":       {`version=`},
	"keys":          {`(?m)^ada$`},
	"certificate":   {`notAfter=`, `will not expire`},
	"team file":     {``},
	"redis full":    {`OK`, `ready`, `[0-9] thread`, `nothing was deleted`},
	"stop":          {`"stopped":false`},
	"profiles":      {``},
}

// TestCommandsOfOperations runs the commands of these pages one after another, as an operator would, with real
// servers.
func TestCommandsOfOperations(t *testing.T) {
	t.Parallel()
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // it takes spans, without which there are no traces
	t.Cleanup(collector.Close)
	s := openSite(t, deskTeam, []string{"OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL})
	s.startPrometheus()
	s.supervisor()
	s.prepare()
	ran := map[string]bool{}
	for _, b := range blocks(t) {
		switch {
		case b.language == "console":
			continue
		case b.language != "sh" || prints[b.name] == nil:
			t.Errorf("nobody knows what the block %q in %s has to print:\n%s", b.name, b.language, b.text)
			continue
		}
		ran[b.name] = true
		if !t.Run(b.name, func(t *testing.T) { s.command(t, b) }) {
			t.Fatal(s.logs())
		}
	}
	for name := range prints {
		if !ran[name] {
			t.Errorf("no page has a block %q", name)
		}
	}
}

// TestCommandsThatAreNotRunAreOfPrograms says why a block is not run.
func TestCommandsThatAreNotRunAreOfPrograms(t *testing.T) {
	t.Parallel()
	for _, b := range blocks(t) {
		if b.language != "console" {
			continue
		}
		for line := range strings.Lines(b.text) {
			if program, _, _ := strings.Cut(line, " "); !slices.Contains(notRun, program) {
				t.Errorf("the block is not run, and its %q could be", strings.TrimSpace(line))
			}
		}
	}
}

// prepare makes what the page says is there: a trip that was planned, files of keys and certificates.
func (s *site) prepare() {
	s.t.Helper()
	s.trip("trip-1")
	s.startFile()
	s.until("http://"+s.address("8082")+"/readyz", "ready")
	if status, events := s.postTo("http://"+s.address("8082"), "/agents/travel",
		`{"protocolVersion":"1.0","threadId":"kept","runId":"r","messages":[{"id":"m","role":"user","content":"Plan my trip"}]}`); status != http.StatusOK {
		s.t.Fatalf("the gateway with a file answers %d: %s", status, events)
	}
	s.redis.Client().ConfigSet(s.t.Context(), "maxmemory-policy", "noeviction")
	out, err := exec.CommandContext(s.t.Context(), "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
		"-subj", "/CN=gateway.example.org", "-keyout", filepath.Join(s.dir, "tls.key"), "-out", filepath.Join(s.dir, "tls.crt")).CombinedOutput()
	if err != nil {
		s.t.Fatalf("openssl: %v\n%s", err, out)
	}
	deploy, err := filepath.Abs(filepath.Join(root, "deploy"))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.Symlink(deploy, filepath.Join(s.dir, "deploy")); err != nil {
		s.t.Fatal(err)
	}
	s.until("http://"+s.address("9090")+"/api/v1/query?query=gateway_interrupts_total", `"opened"`)
	s.t.Cleanup(func() { // the Redis that a command starts ends with the test
		text, err := os.ReadFile(filepath.Join(s.dir, "restored", "redis.pid"))
		if err != nil {
			return // the command was not reached
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
			s.t.Errorf("the restored Redis has the process id %q: %v", text, err)
		}
	})
}

// trip plans a trip to its end, with the answers given at the other replica than the one that asked.
func (s *site) trip(thread string) {
	s.t.Helper()
	events := s.say("a", "travel", thread, "Plan my trip")
	for strings.Contains(events, `"interrupts":[`) {
		question := question.FindString(events)
		_, events = s.post("b", "/agents/travel", `{"protocolVersion":"1.0","threadId":"`+thread+`","runId":"answer","messages":[],
			"resume":[{"interruptId":"`+question+`","status":"resolved","payload":`+recommended(events)+`}]}`)
	}
	if !strings.Contains(events, `"outcome":{"type":"success"}`) {
		s.t.Fatalf("the trip was not planned: %s", events)
	}
}

// question is the id of one.
var question = regexp.MustCompile(`int_[a-z0-9-]+`)

// recommended is what the question would have answered.
func recommended(events string) string {
	const name = `"recommendation":`
	rest := events[strings.LastIndex(events, name)+len(name):]
	depth := 0
	for i, r := range rest {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return rest[:i+1]
			}
		}
	}
	return "null"
}

// command runs a block, with the site's ports instead of the page's.
func (s *site) command(t *testing.T, b block) {
	t.Helper()
	text := ported.ReplaceAllStringFunc(b.text, func(port string) string { return strconv.Itoa(s.ports[port]) })
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", text)
	shell.Dir = s.dir
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, text, out)
	}
	for _, pattern := range prints[b.name] {
		if !regexp.MustCompile(pattern).Match(out) {
			t.Errorf("it does not print %q:\n%s\n%s", pattern, text, out)
		}
	}
}
