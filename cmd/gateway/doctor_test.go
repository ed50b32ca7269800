package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/state/filestore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// A diagnosis is what doctor has printed as JSON.
type diagnosis struct {
	Verdict  string
	Findings []struct{ Name, Subject, Verdict, Sentence, Mend string }
	text     string
}

// diagnose runs doctor, or another command with the same output, and holds its exit code to its verdict.
func diagnose(t *testing.T, command string, args ...string) diagnosis {
	t.Helper()
	return diagnoseWith(t, nil, command, args...)
}

// diagnoseWith is diagnose with an environment.
func diagnoseWith(t *testing.T, env map[string]string, command string, args ...string) diagnosis {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append([]string{command, "-json"}, args...), environment(env), &out, &errs)
	d := diagnosis{text: out.String() + errs.String()}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("gateway %s = %d, %v\n%s", command, code, err, d.text)
	}
	if want := map[bool]int{true: exitError}[d.Verdict == "wrong"]; code != want {
		t.Errorf("gateway %s = %d for the verdict %q, want %d", command, code, d.Verdict, want)
	}
	return d
}

// verdict is the worst verdict of the findings of a name; empty if there is none.
func (d diagnosis) verdict(name string) string {
	order, worst := []string{"", "ok", "unchecked", "warning", "wrong"}, 0
	for _, f := range d.Findings {
		if f.Name == name {
			worst = max(worst, slices.Index(order, f.Verdict))
		}
	}
	return order[worst]
}

// want compares the diagnosis with verdicts by names of findings: "store: wrong". Another wrong finding is an error,
// too.
func (d diagnosis) want(t *testing.T, wants ...string) {
	t.Helper()
	for _, want := range wants {
		name, verdict, _ := strings.Cut(want, ": ")
		if got := d.verdict(name); got != verdict {
			t.Errorf("%s is %q, want %q\n%s", name, got, verdict, d.text)
		}
	}
	for _, f := range d.Findings {
		if f.Verdict == "wrong" && !slices.Contains(wants, f.Name+": wrong") {
			t.Errorf("%s is wrong, and should not be: %s", f.Name, f.Sentence)
		}
		if f.Verdict != "ok" && f.Verdict != "unchecked" && f.Mend == "" {
			t.Errorf("%s is %s, and nothing says how to mend it: %s", f.Name, f.Verdict, f.Sentence)
		}
		if f.Sentence == "" || !strings.HasSuffix(f.Sentence, ".") {
			t.Errorf("%s says %q, which is no sentence", f.Name, f.Sentence)
		}
	}
}

// acl gives the Redis a user gateway, with the password hush-hush and these rights, and returns the address.
func acl(t *testing.T, s *redistest.Server, rights ...any) string {
	t.Helper()
	if err := s.Client().Do(t.Context(), append([]any{"acl", "setuser", "gateway", "on", ">hush-hush"}, rights...)...).Err(); err != nil {
		t.Fatal(err)
	}
	return "redis://gateway:hush-hush@" + s.Addr
}

// TestDoctorOfARedis breaks a Redis in the ways in which people do.
func TestDoctorOfARedis(t *testing.T) {
	t.Parallel()
	good := func(t *testing.T) *redistest.Server {
		return redistest.Start(t, "--appendonly", "yes", "--maxmemory", "100mb")
	}
	tests := []struct {
		name  string
		store func(t *testing.T) string
		want  []string
	}{
		{"a good one", func(t *testing.T) string { return good(t).URL() }, []string{
			"store: ok", "store.format: ok", "store.version: ok", "store.role: ok", "store.eviction: ok", "store.persistence: ok", "store.room: ok", "store.rights: ok", "store.logs: ok", "clock: ok",
		}},
		{"the rights that the mending names", func(t *testing.T) string {
			return acl(t, good(t), "~agui:*", "&agui:*", "+@all", "-@dangerous", "+info", "+config|get", "+cluster|slots", "+cluster|shards")
		}, []string{"store: ok", "store.rights: ok", "store.eviction: ok", "store.persistence: ok"}},
		{"nobody there", func(t *testing.T) string {
			s := good(t)
			s.Kill()
			return s.URL()
		}, []string{"store: wrong"}},
		{"one that hangs", func(t *testing.T) string {
			s := good(t)
			s.Freeze()
			t.Cleanup(s.Thaw)
			return s.URL()
		}, []string{"store: wrong"}},
		{"a wrong password", func(t *testing.T) string {
			acl(t, redistest.Start(t))
			return strings.Replace(acl(t, good(t), "~*", "+@all"), "hush-hush", "hush-nush", 1)
		}, []string{"store: wrong"}},
		{"no password", func(t *testing.T) string {
			s := good(t)
			if err := s.Client().ConfigSet(t.Context(), "requirepass", "hush-hush").Err(); err != nil {
				t.Fatal(err)
			}
			return s.URL()
		}, []string{"store: wrong"}},
		{"a node of a cluster", func(t *testing.T) string { return redistest.StartCluster(t).Nodes[0].URL() }, []string{"store: wrong"}},
		{"sentinels", func(t *testing.T) string { return redistest.StartSentinel(t).URL() }, []string{"store: ok", "store.rights: ok", "store.role: warning"}},
		{"another master's sentinels", func(t *testing.T) string { return redistest.StartSentinel(t).URL() + "x" }, []string{"store: wrong"}},
		{"eviction", func(t *testing.T) string {
			return redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru").URL()
		}, []string{"store.eviction: wrong", "store.persistence: warning"}},
		{"eviction without a limit", func(t *testing.T) string { return redistest.Start(t, "--maxmemory-policy", "allkeys-lru").URL() }, []string{
			"store.eviction: warning", "store.room: warning", "store.rights: ok",
		}},
		{"a full one", func(t *testing.T) string { return redistest.Start(t, "--maxmemory", "1").URL() }, []string{"store.room: warning", "store.rights: wrong"}},
		{"a replica", func(t *testing.T) string {
			host, port, err := net.SplitHostPort(good(t).Addr)
			if err != nil {
				t.Fatal(err)
			}
			return redistest.Start(t, "--replicaof", host+" "+port).URL()
		}, []string{"store.role: wrong", "store.rights: wrong"}},
		{"no right to scripts", func(t *testing.T) string { return acl(t, good(t), "~*", "&*", "+@all", "-@scripting") }, []string{"store.rights: wrong", "store: ok"}},
		{"no right to the keys", func(t *testing.T) string { return acl(t, good(t), "~other:*", "&*", "+@all") }, []string{"store: wrong"}},
		{"no right to the channels", func(t *testing.T) string { return acl(t, good(t), "~*", "resetchannels", "+@all") }, []string{"store.rights: wrong"}},
		{"no right to ask", func(t *testing.T) string { return acl(t, good(t), "~*", "&*", "+@all", "-info") }, []string{"store.eviction: unchecked", "store.rights: ok"}},
		{"a later version", func(t *testing.T) string {
			s := good(t)
			if err := s.Client().Set(t.Context(), "agui:format", "agui-gateway threads 9", 0).Err(); err != nil {
				t.Fatal(err)
			}
			return s.URL()
		}, []string{"store.format: wrong"}},
		{"another program's", func(t *testing.T) string {
			s := good(t)
			if err := s.Client().Set(t.Context(), "agui:format", "something", 0).Err(); err != nil {
				t.Fatal(err)
			}
			return s.URL()
		}, []string{"store: wrong"}},
		{"a cluster", func(t *testing.T) string { return redistest.StartCluster(t).URL() }, []string{"store: ok", "store.rights: ok", "store.room: warning"}},
		{"a cluster with a node away", func(t *testing.T) string {
			c := redistest.StartCluster(t)
			c.Nodes[2].Kill()
			return c.URL()
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address := tt.store(t)
			d := diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-store", address)
			if tt.want == nil {
				if d.Verdict != "wrong" {
					t.Errorf("the verdict is %q, want wrong\n%s", d.Verdict, d.text)
				}
			} else {
				d.want(t, tt.want...)
			}
			if strings.Contains(d.text, "hush") {
				t.Errorf("doctor prints the password:\n%s", d.text)
			}
		})
	}
}

// TestDoctorLeavesNothingInARedis holds doctor to what it says: a probe's key that ends by itself, and nothing else.
func TestDoctorLeavesNothingInARedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	client := server.Client()
	if err := client.Set(t.Context(), "agui:other", "kept", 0).Err(); err != nil {
		t.Fatal(err)
	}
	diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-store", server.URL()).want(t, "store.rights: ok")
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || !slices.Equal(keys, []string{"agui:other"}) {
		t.Errorf("the Redis has %q, %v, want what it had before", keys, err)
	}
}

// threadsFile makes a store's file and returns its path.
func threadsFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "threads.db")
	store, err := filestore.Open(path, filestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDoctorOfAFile breaks a file, and holds doctor to leaving it as it is, byte for byte.
func TestDoctorOfAFile(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path string, at int64, text string) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		file func(t *testing.T) string
		want []string
	}{
		{"a good one", threadsFile, []string{"store: ok", "store.file: ok", "store.lock: ok", "store.directory: ok", "store.format: ok", "store.room: ok"}},
		{"none yet", func(t *testing.T) string { return filepath.Join(t.TempDir(), "new", "threads.db") }, []string{"store: ok", "store.directory: ok"}},
		{"one that another process has", func(t *testing.T) string {
			path := threadsFile(t)
			holder := exec.CommandContext(t.Context(), "flock", "-x", path, "sh", "-c", "echo has it; read end")
			in, err := holder.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := holder.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 6)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = in.Close()
				_ = holder.Wait() // which ends as its input does
			})
			return path
		}, []string{"store: ok", "store.lock: warning", "store.file: unchecked"}},
		{"a damaged one", func(t *testing.T) string {
			path := threadsFile(t)
			for page := range int64(12) { // each but the two that say where the others are
				write(t, path, (page+2)*int64(os.Getpagesize())+8, "\xff\xff\xff\xff\xff\xff")
			}
			return path
		}, []string{"store.file: wrong"}},
		{"one that ends too soon", func(t *testing.T) string {
			path := threadsFile(t)
			if err := os.Truncate(path, 9000); err != nil {
				t.Fatal(err)
			}
			return path
		}, []string{"store.file: wrong"}},
		{"another program's", func(t *testing.T) string { return writeFile(t, "notes.db", strings.Repeat("my notes ", 2000)) }, []string{"store: wrong"}},
		{"a directory", func(t *testing.T) string { return t.TempDir() }, []string{"store: wrong"}},
		{"below a file", func(t *testing.T) string { return filepath.Join(threadsFile(t), "threads.db") }, []string{"store: wrong", "store.directory: wrong"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := tt.file(t)
			before, _ := os.ReadFile(path) // there may be none
			d := diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-store", "file:"+path)
			d.want(t, tt.want...)
			after, _ := os.ReadFile(path)
			if !bytes.Equal(before, after) {
				t.Error("the file is another than before")
			}
			rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
			// of the store that wrote the file
			rest = slices.DeleteFunc(rest, func(file string) bool { return file == path+".reserve" })
			if len(rest) > 1 {
				t.Errorf("the directory has %q", rest)
			}
			if rest, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(rest) > 0 {
				t.Errorf("the directory has %q", rest)
			}
		})
	}
}

// TestDoctorOfModels has a model's server answer in the ways in which they do if something is not as it should be.
func TestDoctorOfModels(t *testing.T) {
	t.Parallel()
	list := openaitest.Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "application/json"}, Body: `{"object":"list","data":[{"id":"small"},{"id":"large"}]}`}
	page := openaitest.Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "text/html"}, Body: "<html><body>Welcome</body></html>"}
	missing := openaitest.Answer{Status: http.StatusNotFound, Body: `{"error":{"message":"no such thing","code":"model_not_found"}}`}
	tests := []struct {
		name, model string
		answers     []openaitest.Answer
		want, says  string
		asked       int
	}{
		{"in the list", "small", []openaitest.Answer{list}, "ok", "nothing was paid for", 1},
		{"not in the list, and there", "tiny", []openaitest.Answer{list, openaitest.Text("ok")}, "ok", "was asked to say a word", 2},
		{"not known", "tiny", []openaitest.Answer{list, missing}, "wrong", "which has large, small", 2},
		{"no list", "small", []openaitest.Answer{missing, openaitest.Text("ok")}, "ok", "was asked to say a word", 2},
		{"a wrong path", "small", []openaitest.Answer{missing}, "wrong", "refuses a request", 2},
		{"a wrong key", "small", []openaitest.Answer{{Status: http.StatusUnauthorized, Body: `{"error":{"message":"bad key hush-hush-hush"}}`}}, "wrong", "does not take the key", 1},
		{"a page", "small", []openaitest.Answer{page}, "wrong", "no reply of a model", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answers := openaitest.Serve(tt.answers...)
			server := httptest.NewServer(answers)
			t.Cleanup(server.Close)
			d := diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-model-url", server.URL+"/v1", "-model", tt.model, "-model-key", "hush-hush-hush")
			d.want(t, "model: "+tt.want)
			if !strings.Contains(d.text, tt.says) {
				t.Errorf("doctor does not say %q:\n%s", tt.says, d.text)
			}
			if n := len(answers.Requests()); n != tt.asked {
				t.Errorf("the server was asked %d times, want %d", n, tt.asked)
			}
			if strings.Contains(d.text, "hush") {
				t.Errorf("doctor prints the key:\n%s", d.text)
			}
		})
	}
}

// TestDoctorOfAModelThatIsNotThere hangs, is away, and has an address that is refused.
func TestDoctorOfAModelThatIsNotThere(t *testing.T) {
	t.Parallel()
	tests := []struct{ url, timeout, says string }{
		{hanging(t) + "/v1", "200ms", "cannot be reached"},
		{"http://127.0.0.1:1/v1", "1m", "cannot be reached"},
		{"http://169.254.169.254/v1", "1m", "-allow-addresses"},
	}
	for _, tt := range tests {
		d := diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-model-url", tt.url, "-model-timeout", tt.timeout)
		d.want(t, "model: wrong")
		if !strings.Contains(d.text, tt.says) {
			t.Errorf("of %s doctor does not say %q:\n%s", tt.url, tt.says, d.text)
		}
	}
}

// TestTheSample holds the sample of docs/doctor.md to what doctor prints of such an installation.
func TestTheSample(t *testing.T) {
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, _ := strings.Cut(string(page), "<!-- sample -->\n```\n")
	sample, _, found := strings.Cut(sample, "\n\n")
	if !found {
		t.Fatal("docs/doctor.md has no sample")
	}
	t.Chdir(t.TempDir())
	model := httptest.NewServer(openaitest.Serve(openaitest.Answer{Status: http.StatusOK, Body: `{"data":[{"id":"m"}]}`}))
	t.Cleanup(model.Close)
	if err := os.WriteFile("team.yaml", []byte(`version: 1
models: { default: { base_url: "`+model.URL+`", model: m } }
mcp: { search: { url: "`+tools(t, "read")+`" } }
agents: { desk: { type: llm, instructions: Be brief., tools: [ { mcp: search, only: [ find ] } ] } }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"doctor", "-addr", "127.0.0.1:0", "-config", "team.yaml", "-store", redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru").URL()},
		environment(nil), &out, &errs)
	version := regexp.MustCompile(`version [0-9.]+[0-9]`)
	got := version.ReplaceAllString(out.String(), "version")
	for line := range strings.Lines(version.ReplaceAllString(sample, "version")) {
		if !strings.Contains(got, strings.TrimRight(line, "\n")+"\n") {
			t.Errorf("docs/doctor.md has the line %q, which doctor does not print:\n%s", line, got)
		}
	}
}

// tools serves MCP over HTTP with tools of these names.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	s := toolServer(names)
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(server.Close)
	return server.URL
}

// toolServer is an MCP server with tools of these names.
func toolServer(names []string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	for _, name := range names {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: &jsonschema.Schema{Type: "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	}
	return s
}

// toolsVariable makes the test binary an MCP server over stdio, with the tools that it names.
const toolsVariable = "GATEWAY_TEST_TOOLS"

// serveTools serves MCP until stdin ends, and then ends the process.
func serveTools() {
	if err := toolServer(strings.Fields(os.Getenv(toolsVariable))).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(exitError)
	}
	os.Exit(exitOK)
}

// program is the entry of a team file for an MCP server over stdio with tools of these names.
func program(names string) string {
	return `command: [ "` + os.Args[0] + `" ], env: { ` + toolsVariable + `: "` + names + `" }`
}

// answering serves one answer to everything.
func answering(t *testing.T, status int, media, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // who hangs up has seen enough
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// hanging takes requests and answers none.
func hanging(t *testing.T) string {
	t.Helper()
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(end)
		server.Close()
	})
	return server.URL
}

// TestProbeOfA2A reads an agent's card, and asks it for a task that there is not.
func TestProbeOfA2A(t *testing.T) {
	t.Parallel()
	card := func(interfaces string) string {
		return answering(t, http.StatusOK, "application/json", `{"name":"Far","jsonrpc":"2.0","error":{"code":-32001},`+interfaces+`}`)
	}
	for _, tt := range []struct{ url, verdict, want string }{
		{card(`"supportedInterfaces":[{"url":"/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`), "remote: ok", "no run was begun"},
		{card(`"url":"/rpc","preferredTransport":"GRPC"`), "remote: wrong", "no interface of JSON-RPC: it has GRPC"},
		{card(`"url":"/rpc","protocolVersion":"2.0"`), "remote: wrong", "1.0 or 0.3: it has 2.0"},
		{card(`"url":"http://127.0.0.2/rpc"`), "remote: wrong", "`endpoint:`"},
		{answering(t, http.StatusNotFound, "text/plain", "no"), "remote: wrong", "agent-card.json"},
		{answering(t, http.StatusOK, "text/html", "<html>Sign in</html>"), "remote: wrong", "agent-card.json"},
		{answering(t, http.StatusForbidden, "text/plain", "no"), "remote: wrong", "does not let the gateway in"},
		{"http://127.0.0.1:1", "remote: wrong", "cannot be reached"},
	} {
		team := writeFile(t, "team.yaml", `version: 1
agents: { far: { type: a2a, url: "`+tt.url+`" } }`)
		d := diagnose(t, "validate", "-probe", "-config", team)
		d.want(t, tt.verdict)
		if !strings.Contains(d.text, tt.want) {
			t.Errorf("%s: %s", tt.want, d.text)
		}
	}
}

// TestProbeOfLangGraph asks a LangGraph server for its assistants.
func TestProbeOfLangGraph(t *testing.T) {
	t.Parallel()
	there := answering(t, http.StatusOK, "application/json", `[{"assistant_id":"1f0e","graph_id":"planner"},{"assistant_id":"2f0e","graph_id":"writer"}]`)
	for _, tt := range []struct{ url, assistant, verdict, want string }{
		{there, "planner", "remote: ok", "An agent answers at " + there + " (planner); no run was begun."},
		{there, "2f0e", "remote: ok", ""},
		{there, "plan", "remote: wrong", "the server has no such assistant; it has planner, writer."},
		{answering(t, http.StatusNotFound, "text/plain", "no"), "planner", "remote: wrong", "has no assistants to ask for (404)"},
		{answering(t, http.StatusOK, "text/html", "<html>Sign in</html>"), "planner", "remote: wrong", "not as a LangGraph server"},
		{answering(t, http.StatusForbidden, "text/plain", "no"), "planner", "remote: wrong", "does not let the gateway in"},
		{"http://127.0.0.1:1", "planner", "remote: wrong", "cannot be reached"},
	} {
		team := writeFile(t, "team.yaml", `version: 1
agents: { far: { type: langgraph, url: "`+tt.url+`", assistant: "`+tt.assistant+`" } }`)
		d := diagnose(t, "validate", "-probe", "-config", team)
		d.want(t, tt.verdict)
		if !strings.Contains(d.text, tt.want) {
			t.Errorf("%s %s: %s", tt.url, tt.assistant, d.text)
		}
	}
}

// TestProbeOfNames asks servers whether names of tools are clear.
func TestProbeOfNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ one, two, agent, want, says string }{
		{"find", "read", "approve: [ read ]", "mcp.names: ok", "no two servers"},
		{"find", "read", "approve: [ remove ]", "mcp.names: wrong", "which is no tool"},
		{"find", "find", "remember: [ thread ]", "mcp.names: wrong", "several sources have a tool"},
	} {
		team := writeFile(t, "team.yaml", `version: 1
models: { default: { base_url: "http://127.0.0.1:1/v1", model: m } }
mcp: { one: { url: "`+tools(t, tt.one)+`" }, two: { url: "`+tools(t, tt.two)+`" } }
agents: { a: { type: llm, `+tt.agent+`, tools: [ { mcp: one }, { mcp: two } ] } }
`)
		d := diagnose(t, "validate", "-probe", "-config", team)
		d.want(t, tt.want, "model: wrong")
		if !strings.Contains(d.text, tt.says) {
			t.Errorf("%s: %s", tt.agent, d.text)
		}
	}
}

// TestProbe asks what a team has elsewhere, by `validate -probe` and by doctor, which say the same.
func TestProbe(t *testing.T) {
	t.Parallel()
	other, stop := startServer(t)
	t.Cleanup(func() { stop() })
	tests := []struct {
		name string
		mcp  string // of a server search, of which an agent names the tool find
		url  string // of a remote agent
		want []string
		says string
	}{
		{"all is well", "url: " + tools(t, "find", "read"), other + "/agents/travel", []string{"mcp: ok", "mcp.tools: ok", "remote: ok"}, ""},
		{"a tool is missing", "url: " + tools(t, "read"), other + "/agents/travel", []string{"mcp: ok", "mcp.tools: wrong"}, "no tool find; it has read"},
		{"a program", program("find"), other + "/agents/travel", []string{"mcp: ok", "mcp.tools: ok", "remote: ok"}, ""},
		{"a program without the tool", program("read"), other + "/agents/travel", []string{"mcp: ok", "mcp.tools: wrong"}, "no tool find; it has read"},
		{"no MCP server", "url: " + answering(t, http.StatusNotFound, "text/plain", "no"), other + "/agents/travel", []string{"mcp: wrong"}, ""},
		{"no program", "command: [ ./not-there ]", other + "/agents/travel", []string{"mcp: wrong"}, ""},
		{"a program that ends", `command: [ sh, "-c", "echo cannot open the vault >&2; exit 3" ]`, other + "/agents/travel", []string{"mcp: wrong"}, "cannot open the vault"},
		{"no such agent", "url: " + tools(t, "find"), other + "/agents/nobody", []string{"remote: wrong"}, "is not there (404)"},
		{"a page", "url: " + tools(t, "find"), answering(t, http.StatusOK, "text/html", "<html>Sign in</html>"), []string{"remote: wrong"}, "web page"},
		{"JSON, and no agent", "url: " + tools(t, "find"), answering(t, http.StatusOK, "application/json", "{}"), []string{"remote: wrong"}, "not as an AG-UI agent"},
		{"no POST", "url: " + tools(t, "find"), answering(t, http.StatusMethodNotAllowed, "application/json", "{}"), []string{"remote: wrong"}, "takes no POST"},
		{"not let in", "url: " + tools(t, "find"), answering(t, http.StatusUnauthorized, "application/json", "{}"), []string{"remote: wrong"}, "does not let the gateway in"},
		{"it wants another input", "url: " + tools(t, "find"), answering(t, http.StatusUnprocessableEntity, "application/json", `{"detail":[]}`), []string{"remote: ok"}, ""},
		{"it hangs", "url: " + tools(t, "find"), hanging(t), []string{"remote: wrong"}, "does not answer in time"},
		{"nobody there", "url: " + tools(t, "find"), "http://127.0.0.1:1/agent", []string{"remote: wrong"}, "cannot be reached"},
		{"an address that is refused", "url: http://169.254.169.254/mcp", "http://169.254.169.254/agent", []string{"mcp: wrong", "remote: wrong"}, "-allow-addresses"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := httptest.NewServer(openaitest.Serve(openaitest.Answer{Status: http.StatusOK, Body: `{"data":[{"id":"m"}]}`}))
			t.Cleanup(model.Close)
			team := writeFile(t, "team.yaml", `version: 1
models: { default: { base_url: "`+model.URL+`", api_key: hush-hush-hush, model: m } }
mcp: { search: { `+tt.mcp+` } }
agents:
  far: { type: agui, url: "`+tt.url+`", headers: { Authorization: Bearer hush-hush-hush } }
  near: { type: llm, instructions: Be brief., tools: [ { mcp: search, only: [ find ] } ] }
`)
			for _, command := range []string{"validate -probe", "doctor -addr 127.0.0.1:0"} {
				words := strings.Fields(command)
				d := diagnose(t, words[0], append(words[1:], "-config", team)...)
				d.want(t, append(tt.want, "model: ok")...)
				if !strings.Contains(d.text, tt.says) {
					t.Errorf("gateway %s does not say %q:\n%s", command, tt.says, d.text)
				}
				if strings.Contains(d.text, "hush") {
					t.Errorf("gateway %s prints the key:\n%s", command, d.text)
				}
			}
		})
	}
}
