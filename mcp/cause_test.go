package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestTheCauseOfAServersFailure is in the log: the request and the answer, without secrets.
func TestTheCauseOfAServersFailure(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-token"
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("the token " + secret + " has expired\n"))
	}))
	t.Cleanup(refusing.Close)
	at := strings.Replace(refusing.URL, "http://", "http://ann:"+secret+"@", 1) + "/mcp?key=" + secret
	broken := program(t, "broken")
	broken.Env["MCP_SECRET"] = secret
	for name, tt := range map[string]struct {
		o    Options
		want []string
	}{
		"a site that refuses":      {Options{URL: at, Headers: map[string]string{"Authorization": "Bearer " + secret}, HTTP: client(t)}, []string{refusing.URL + "/mcp", "401", "has expired"}},
		"a site that is not there": {Options{URL: "http://127.0.0.1:1/mcp?key=" + secret}, []string{"http://127.0.0.1:1/mcp", "connection refused"}},
		"a program that dies":      {broken, []string{"cannot open the vault: •••"}},
		"a program that is not":    {Options{Command: "/does/not/exist"}, []string{"/does/not/exist", "no such file"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log logged
			tt.o.Log, tt.o.backoff = log.logger(), time.Hour
			_, err := start(t, tt.o).Source(SourceOptions{}).Tools(t.Context())
			if err == nil {
				t.Fatal("it has tools")
			}
			for _, text := range []string{err.Error(), log.at("WARN")} {
				for _, want := range tt.want {
					if !strings.Contains(text, want) {
						t.Errorf("the cause lacks %q:\n%s", want, text)
					}
				}
			}
			if strings.Contains(log.String()+err.Error(), "s3cret") {
				t.Errorf("the cause tells a secret:\n%s%v", &log, err)
			}
		})
	}
}

// TestTheCauseOfAToolsFailure is the tool's text, without its arguments.
func TestTheCauseOfAToolsFailure(t *testing.T) {
	t.Parallel()
	const diagnosis = "a diagnosis that is nobody's business"
	source := start(t, program(t, "serve")).Source(SourceOptions{})
	for tool, want := range map[string]string{"fails": "no such city", "refuses": "broken inside", "quotes": "cannot read •••"} {
		_, err := call(t.Context(), t, source, tool, `{"x":"`+diagnosis+`"}`)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "server test") {
			t.Errorf("%s: the cause lacks %q: %v", tool, want, err)
		}
		if err != nil && strings.Contains(err.Error(), "diagnosis") {
			t.Errorf("%s: the cause tells what the tool was told: %v", tool, err)
		}
	}
}

// TestExplanation lists the lines of stderr that explain a crash.
func TestExplanation(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("starting\n", 40)
	for name, tt := range map[string]struct{ stderr, want string }{
		"Node": {
			"node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module '/srv/x.js'\n    at Module._load (node:internal:1)\n" +
				"    at node:internal/main {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
			"Error: Cannot find module '/srv/x.js' | code: 'MODULE_NOT_FOUND', | requireStack: [] | Node.js v20.20.2",
		},
		"Python": {
			"Traceback (most recent call last):\n  File \"/srv/x.py\", line 1, in <module>\n    import nothing\nModuleNotFoundError: No module named 'nothing'\n",
			"ModuleNotFoundError: No module named 'nothing'",
		},
		"Go":              {"panic: no configuration\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: no configuration | goroutine 1 [running]: | main.main()"},
		"an error before": {"error: first\nretrying\nfatal: second\n", "fatal: second"},
		"a few lines":     {"one\ntwo\n", "one | two"},
		"many lines":      {long + "one\ntwo\n", "starting | starting | starting | one | two"},
		"nothing":         {"\n\n", ""},
	} {
		s := start(t, Options{Command: "/does/not/exist"})
		w := &logWriter{s: s}
		if _, err := w.Write([]byte(tt.stderr)); err != nil {
			t.Fatal(err)
		}
		if got := s.lastFailure.get(); got != tt.want {
			t.Errorf("%s: the explanation is %q, want %q", name, got, tt.want)
		}
		if len(w.last) > maxKeptLines {
			t.Errorf("%s: %d lines are kept", name, len(w.last))
		}
	}
}
