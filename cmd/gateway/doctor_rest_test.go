package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/doctor"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

// TestDoctorOfSettings breaks parts other than stores and teams.
func TestDoctorOfSettings(t *testing.T) {
	t.Parallel()
	const good = "alice:0000000000000000000000000000000000000000000000000000000000000000\n"
	keys := func(t *testing.T, mode os.FileMode, data string) string {
		t.Helper()
		path := writeFile(t, "keys", data)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate := func(t *testing.T, days int) string {
		t.Helper()
		p := newPair(t, "gateway.example", time.Now().Add(time.Duration(days)*24*time.Hour+time.Hour))
		return "-tls-cert " + p.cert + " -tls-key " + p.key
	}
	issuer := newIssuer(t)
	skewed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		issuer.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(skewed.Close)
	jwt := func(rest string) string { return "-auth jwt -jwt-audience gateway " + rest }
	webhook := func(url string) func(*testing.T) string {
		return func(*testing.T) string { return "-interrupt-webhook " + url }
	}
	tests := []struct {
		name string
		args func(t *testing.T) string
		want []string
		says string
	}{
		{"they fit", func(*testing.T) string { return "" }, []string{"settings: ok", "proxies: ok", "port: ok", "store: warning"}, ""},
		{"a bad value", func(*testing.T) string { return "-rate fast" }, []string{"settings: wrong"}, "-rate"},
		{"two settings that contradict", func(*testing.T) string { return "-auth jwt -keys-file keys" }, []string{"settings: wrong"}, "-keys-file"},
		{"nobody asked who others are", func(*testing.T) string { return "-addr :0" }, []string{"settings: wrong"}, "others can reach this address"},
		{"the same, written out", func(*testing.T) string { return "-addr :0 -auth none" }, []string{"settings: warning"}, "There is no authentication"},
		{"a certificate without a key", func(t *testing.T) string { return strings.Split(certificate(t, 90), " -tls-key")[0] }, []string{"settings: wrong"}, "needs its key"},
		{"a limit of a Redis", func(t *testing.T) string {
			return "-store-limit 1GiB -store " + redistest.Start(t, "--maxmemory", "100mb").URL()
		}, []string{"settings: wrong"}, "maxmemory"},
		{"a limit for nobody", func(*testing.T) string { return "-max-runs-per-principal 3" }, []string{"settings: warning"}, "-max-runs-per-principal"},
		{"keys in clear", func(t *testing.T) string { return "-addr :0 -auth keys -keys-file " + keys(t, 0o600, good) }, []string{"settings: warning", "keys: ok"}, "in clear"},

		{"keys that others read", func(t *testing.T) string { return "-auth keys -keys-file " + keys(t, 0o644, good) }, []string{"keys: warning", "settings: ok"}, "chmod 600"},
		{"keys that others write", func(t *testing.T) string { return "-auth keys -keys-file " + keys(t, 0o622, good) }, []string{"keys: wrong"}, "let themselves in"},
		{"no keys", func(t *testing.T) string { return "-auth keys -keys-file " + keys(t, 0o600, "") }, []string{"keys: warning"}, "all callers are refused"},
		{"no keys file", func(t *testing.T) string { return "-auth keys -keys-file " + filepath.Join(t.TempDir(), "keys") }, []string{"keys: wrong"}, "is not there"},
		{"a key in clear", func(t *testing.T) string { return "-auth keys -keys-file " + keys(t, 0o600, good+"bob:hush-hush\n") }, []string{"keys: wrong"}, "line 2"},

		{"an issuer", func(*testing.T) string { return jwt("-jwt-issuer " + issuer.URL) }, []string{"issuer: ok", "clock: ok"}, ""},
		{"another issuer's document", func(*testing.T) string { return jwt("-jwt-issuer " + issuer.URL + "/") }, []string{"issuer: wrong"}, "names another issuer"},
		{"an issuer that is away", func(*testing.T) string { return jwt("-jwt-issuer http://127.0.0.1:1") }, []string{"issuer: wrong"}, "cannot be read"},
		{"an issuer of a refused address", func(*testing.T) string { return jwt("-jwt-issuer http://169.254.169.254") }, []string{"issuer: wrong", "settings: warning"}, ""},
		{"an issuer with other algorithms", func(*testing.T) string { return jwt("-jwt-algorithms RS256 -jwt-issuer " + issuer.URL) }, []string{"issuer: wrong"}, ""},
		{"an issuer with another clock", func(*testing.T) string {
			return jwt("-jwt-issuer " + issuer.URL + " -jwks-url " + skewed.URL + "/keys")
		}, []string{"issuer: ok", "clock: wrong"}, "NTP"},

		{"a certificate", func(t *testing.T) string { return certificate(t, 90) + " -hosts gateway.example" }, []string{"certificate: ok"}, ""},
		{"one that expires soon", func(t *testing.T) string { return certificate(t, 13) }, []string{"certificate: warning"}, "in 13 days"},
		{"one that has expired", func(t *testing.T) string { return certificate(t, -2) }, []string{"certificate: wrong"}, "has expired"},
		{"one for another host", func(t *testing.T) string { return certificate(t, 90) + " -hosts other.example" }, []string{"certificate: warning"}, "other.example"},
		{"one with another's key", func(t *testing.T) string {
			one, other := newPair(t, "a", time.Now().Add(time.Hour)), newPair(t, "a", time.Now().Add(time.Hour))
			return "-tls-cert " + one.cert + " -tls-key " + other.key
		}, []string{"certificate: wrong"}, ""},

		{"a webhook", webhook(answering(t, http.StatusMethodNotAllowed, "text/plain", "")), []string{"webhook: ok"}, "nothing was posted"},
		{"a webhook at no path", webhook(answering(t, http.StatusNotFound, "text/plain", "")), []string{"webhook: warning"}, "404"},
		{"a webhook that is away", webhook("http://hush:hush@127.0.0.1:1/?hush=hush"), []string{"webhook: wrong"}, "cannot be reached"},
		{"a webhook of a refused address", webhook("http://169.254.169.254/"), []string{"webhook: wrong"}, "-allow-addresses"},

		{"proxies everywhere", func(*testing.T) string { return "-trusted-proxies 128.0.0.0/1" }, []string{"proxies: warning"}, "128.0.0.0/1"},
		{"proxies of a private network", func(*testing.T) string { return "-trusted-proxies 10.0.0.0/8,fd00::/8" }, []string{"proxies: ok"}, ""},
		{"everybody names callers", func(*testing.T) string { return "-auth header -auth-header X-User -auth-proxies 2000::/3" }, []string{"proxies: wrong"}, "-auth-proxies"},

		{"an address of somebody else", func(*testing.T) string { return "-auth none -addr 192.0.2.1:8080" }, []string{"port: wrong", "settings: warning"}, "not an address of this machine"},
		{"an audit log", func(t *testing.T) string { return "-audit-log " + filepath.Join(t.TempDir(), "audit") }, []string{"audit: ok"}, ""},
		{"an audit log nowhere", func(t *testing.T) string { return "-audit-log " + filepath.Join(t.TempDir(), "no", "audit") }, []string{"audit: wrong"}, "Make the directory"},
		{"more connections than files", func(*testing.T) string { return "-max-connections 2000000000" }, []string{"descriptors: warning"}, "LimitNOFILE"},
		{"more buffers than memory", func(*testing.T) string { return "-max-bodies 8000GiB" }, []string{"memory: warning"}, "-max-bodies"},
		{"a collector that is away", func(*testing.T) string { return "" }, []string{"telemetry: warning", "settings: ok"}, "cannot be reached"},
		{"a variable that means nothing", func(*testing.T) string { return "" }, []string{"settings: warning"}, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"a bad variable", func(*testing.T) string { return "" }, []string{"settings: wrong"}, "OTEL_TRACES_SAMPLER"},
		{"prompts in spans", func(*testing.T) string { return "-telemetry-content on" }, []string{"settings: warning"}, "-telemetry-content on"},
		{"a bad team file", func(t *testing.T) string { return "-config " + writeFile(t, "team.yaml", "version: 1\nagents: {}\n") }, []string{"team: wrong"}, "team.yaml:2"},
		{"roles without callers", func(t *testing.T) string {
			return "-config " + writeFile(t, "team.yaml", "version: 1\nagents: { a: { type: script, allow: [ editor ], steps: [ { say: hi } ] } }\n")
		}, []string{"team: ok", "settings: wrong"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := diagnoseWith(t, environmentOf(tt.name), "doctor", append([]string{"-addr", "127.0.0.1:0"}, strings.Fields(tt.args(t))...)...)
			d.want(t, tt.want...)
			if !strings.Contains(d.text, tt.says) {
				t.Errorf("doctor does not say %q:\n%s", tt.says, d.text)
			}
			if strings.Contains(d.text, "hush") {
				t.Errorf("doctor prints a secret:\n%s", d.text)
			}
		})
	}
}

// environmentOf returns the environment of a test.
func environmentOf(name string) map[string]string {
	env := map[string]string{webhookSecret: "hush-hush-hush"}
	switch name {
	case "a collector that is away":
		env["OTEL_TRACES_EXPORTER"], env["OTEL_EXPORTER_OTLP_ENDPOINT"], env["OTEL_EXPORTER_OTLP_HEADERS"] = "otlp", "http://127.0.0.1:1", "api-key=hush-hush"
	case "a variable that means nothing":
		env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:1"
	case "a bad variable":
		env["OTEL_TRACES_SAMPLER"] = "hush"
	}
	return env
}

// TestDoctorOfAPort tells a gateway that runs from another program.
func TestDoctorOfAPort(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t)
	addr := strings.TrimPrefix(url, "http://")
	diagnose(t, "doctor", "-addr", addr).want(t, "port: ok")
	diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-admin-addr", addr).want(t, "port: ok")
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it listens at once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	d := diagnose(t, "doctor", "-addr", listener.Addr().String())
	d.want(t, "port: wrong")
	diagnose(t, "doctor", "-addr", "127.0.0.1:0", "-admin-addr", listener.Addr().String()).want(t, "port: wrong")
	other := answering(t, http.StatusOK, "text/html", "hello")
	diagnose(t, "doctor", "-addr", strings.TrimPrefix(other, "http://")).want(t, "port: wrong")
}

// TestEveryQuestionIsAnswered by two installations that have everything between them, and no other is.
func TestEveryQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(openaitest.Serve(openaitest.Answer{Status: http.StatusOK, Body: `{"data":[{"id":"m"}]}`}))
	t.Cleanup(model.Close)
	team := writeFile(t, "team.yaml", `version: 1
models: { default: { base_url: "`+model.URL+`", model: m } }
mcp: { search: { url: "`+tools(t, "find")+`" } }
agents:
  far: { type: agui, url: "`+answering(t, http.StatusBadRequest, "text/plain", "")+`" }
  near: { type: llm, approve: [ find ], tools: [ { mcp: search } ] }
`)
	pair := newPair(t, "gateway.example", time.Now().Add(90*24*time.Hour))
	answered := map[string]bool{}
	for _, args := range [][]string{
		{
			"-store", redistest.Start(t).URL(), "-config", team, "-auth", "jwt", "-jwt-issuer", newIssuer(t).URL, "-jwt-audience", "gateway",
			"-interrupt-webhook", answering(t, http.StatusOK, "text/plain", ""), "-tls-cert", pair.cert, "-tls-key", pair.key,
		},
		{"-store", "file:" + threadsFile(t), "-auth", "keys", "-keys-file", writeFile(t, "keys", ""), "-audit-log", filepath.Join(t.TempDir(), "audit")},
	} {
		d := diagnoseWith(t, environmentOf("a collector that is away"), "doctor", append(args, "-addr", "127.0.0.1:0")...)
		for _, f := range d.Findings {
			answered[f.Name] = true
		}
	}
	for _, q := range doctor.Questions {
		if !answered[q.Name] {
			t.Errorf("nothing answers %s", q.Name)
		}
		delete(answered, q.Name)
	}
	for name := range answered {
		t.Errorf("%s is answered, and no question", name)
	}
}

// TestDoctorForPeople prints findings in lines, and what to do below them.
func TestDoctorForPeople(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"doctor", "-addr", "127.0.0.1:0"}, environment(nil), &out, &errs)
	if code != exitOK || !strings.Contains(out.String(), "warning    store: Threads are kept in memory") || !strings.Contains(out.String(), "\n           → Set -store") {
		t.Errorf("gateway doctor = %d\n%s%s", code, &out, &errs)
	}
	if json.Valid(out.Bytes()) {
		t.Error("it prints JSON")
	}
	if code := run(t.Context(), []string{"doctor", "-nonsense"}, environment(nil), &out, &errs); code != exitUsage {
		t.Errorf("gateway doctor -nonsense = %d, want %d", code, exitUsage)
	}
}
