package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

var update = flag.Bool("update", false, "rewrite docs/settings.md")

// environment is a lookup in m.
func environment(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := m[name]
		return value, ok
	}
}

func serveCommand() command { return commands()[0] }

// writeFile puts data into a new file and returns its path.
func writeFile(t *testing.T, name, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPrecedence sets one setting everywhere, and takes away the first place again and again.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := writeFile(t, "env", "# a comment\nGATEWAY_DRAIN=2s\n")
	env := map[string]string{"GATEWAY_DRAIN": "3s"}
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want time.Duration
	}{
		{"flag", []string{"-drain", "1s", "-env-file", file}, env, time.Second},
		{"flag with two dashes", []string{"--drain=1s"}, env, time.Second},
		{"env file", []string{"-env-file", file}, env, 2 * time.Second},
		{"environment", nil, env, 3 * time.Second},
		{"default", nil, nil, 20 * time.Second},
		{"an empty flag is none", []string{"-drain="}, env, 3 * time.Second},
		{"an empty variable is none", nil, map[string]string{"GATEWAY_DRAIN": ""}, 20 * time.Second},
		{"nobody names a file", nil, map[string]string{"GATEWAY_ENV_FILE": file}, 20 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := parse(serveCommand(), tt.args, environment(tt.env))
			if err != nil || c.drain != tt.want {
				t.Errorf("parse(%q).drain = %v, %v, want %v", tt.args, c.drain, err, tt.want)
			}
		})
	}
}

// TestDefaults parses nothing: every default is a good value, and those of the library are the same.
func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := parse(serveCommand(), nil, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(c.addr, c.team, c.auth.mode, c.drain, c.logLevel, c.logFormat, c.memory.ThreadTTL, c.memory.LogTTL,
		c.options.Disconnect, c.options.OnBusy, c.options.SubagentEvents, c.options.Pace, c.options.Heartbeat, c.options.Origins == nil)
	if want := fmt.Sprintln("127.0.0.1:8080", "", "none", 20*time.Second, "INFO", "", 720*time.Hour, time.Hour,
		gateway.Cancel, gateway.Reject, gateway.SubagentsAuto, 30*time.Millisecond, 15*time.Second, true); got != want {
		t.Errorf("parse() = %s, want %s", got, want)
	}
	want := gateway.Limits{
		Header: 32 << 10, Body: 8 << 20, Event: 8 << 20, Thread: 6 << 20, State: 1 << 20, Depth: 64, Messages: 2000, File: 4 << 20, Files: 16, PatchOps: 1000, Runs: 10000, Readers: 64, Queue: 8,
		Bodies: 256 << 20, Answers: 256 << 20, ReadersTotal: 10000, RunsPerPrincipal: 100, ReadersPerPrincipal: 1000, TokensPerPrincipal: -1, Rate: 20, RateBurst: 40,
	}
	if c.options.Limits != want {
		t.Errorf("parse().Limits = %+v, want %+v", c.options.Limits, want)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	c, err := parse(serveCommand(), strings.Fields("-addr [::1]:0 -config x.yaml -store memory -voice-delay 0 -cors-origins https://a.example,http://b:8080 "+
		"-disconnect detach -on-busy queue -subagent-events off -interrupt-ttl 1h30m -max-body 1KiB -max-state 2GiB -max-answers 17GiB -max-event 77 "+
		"-max-thread 5B -max-depth 3 -rate 0 -rate-burst 7 -max-tokens-per-principal 5000000000 -token-window 1h -log-level debug -log-format text -drain 0s"), environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	o := c.options
	got := fmt.Sprintln(c.addr, c.team, o.Pace, o.Origins, o.Disconnect, o.OnBusy, o.SubagentEvents, o.InterruptTTL,
		o.Limits.Body, o.Limits.State, o.Limits.Event, o.Limits.Thread, o.Limits.Depth, o.Limits.Rate, o.Limits.RateBurst,
		o.Limits.TokensPerPrincipal, o.TokenWindow, c.logLevel, c.logFormat, c.drain)
	want := fmt.Sprintln("[::1]:0", "x.yaml", 0*time.Second, "[https://a.example http://b:8080]", "detach", "queue", "off", 90*time.Minute,
		1024, 2<<30, 77, 5, 3, -1, 7, 5_000_000_000, time.Hour, "DEBUG", "text", 0*time.Second)
	if got != want {
		t.Errorf("parse() = %s, want %s", got, want)
	}
}

// TestBadValues gives each setting values it cannot have, by flag and by environment: one line, with both names,
// without the value.
func TestBadValues(t *testing.T) {
	t.Parallel()
	bad := map[string][]string{
		"addr":      {"8080", "127.0.0.1", "127.0.0.1:http!", "127.0.0.1:70000", "http://127.0.0.1:80"},
		"store":     {"redis+file://:hush-hush@127.0.0.1", "redis://:hush-hush@127.0.0.1:http", "http://127.0.0.1", "disk", "file:", "file://", "file://data/threads.db"},
		"auth":      {"open", "hush hush", "keys,jwt"},
		"keys-file": {"hush-hush"}, "auth-header": {"hush hush"}, "auth-roles-header": {"hush hush"},
		"auth-proxies": {"hush-hush", "10.0.0.0/8,", "0.0.0.0/0", "10.0.0.0/33"},
		"jwt-issuer":   {"hush hush"}, "jwks-url": {"hush-hush", "ftp://hush-hush/x", "https://user:hush-hush@host/keys"},
		"jwt-audience": {"hush hush", "a,,b", ","}, "jwt-algorithms": {"HS256", "none", "RS256,none", "rs256"},
		"jwt-leeway": {"10", "-1s", "6m", "soon"}, "jwt-roles": {"hush hush"},
		"cors-origins":    {"example.com", "https://a.example/", "https://a.example/x", "https://A.example", "https://a.example,,", "null,*x"},
		"hosts":           {"https://gateway.example", "gateway.example:443", "a.example,,b.example", "*.example", "a b", "[::1]", "gateway.example/x"},
		"trusted-proxies": {"proxy.example", "10.0.0.0/33", "10.0.0.1:80", "10.0.0.0/8,,", "0.0.0.0/0", "::/0", "10.0.0.1/8/8"},
		"disconnect":      {"stop"}, "on-busy": {"wait"}, "subagent-events": {"maybe"},
		"model-url": {"hush-hush", "ftp://host", "http://"}, "model": {"gpt 4"}, "model-key": {"hush hush", "hush\n"},
		"model-price":       {"0.40", "input=1", "input=1,output=-1", "input=1,output=x", "input=1,output=1,input=2", "input=1,output=1,reasoning=2", "input=NaN,output=1"},
		"interrupt-webhook": {"hush-hush", "ftp://hush-hush/x", "https://", "https://hush-hush/not-signed"},
		"allow-addresses":   {"hush-hush", "metadata.google.internal", "169.254.169.254:80", "169.254.0.0/33", "169.254.169.254,,", "fe80::1%eth0"},
		"audit-log":         {"/", "/dev/null/audit.log"},
		"audit-content":     {"yes", "ON"},
		"admin-addr":        {"9464", "127.0.0.1", "http://127.0.0.1:9464"}, "admin-auth": {"open", "hush"}, "telemetry-content": {"yes", "hush"},
		"log-level": {"loud", "1"}, "log-format": {"xml"},
	}
	for _, name := range strings.Fields("token-window detach-grace interrupt-ttl thread-ttl log-ttl heartbeat lease run-timeout store-buffer model-timeout tool-timeout") {
		bad[name] = []string{"10", "soon", "-1s", "0s"}
	}
	bad["drain-delay"] = []string{"10", "-1s"}
	bad["voice-delay"], bad["drain"] = []string{"10", "-1s"}, []string{"10", "-1s"}
	bad["lease"], bad["log-ttl"] = append(bad["lease"], "1ms"), append(bad["log-ttl"], "59s")
	for _, name := range strings.Fields("max-depth max-messages max-files max-patch-ops max-runs max-readers max-readers-total max-queue rate-burst run-attempts") {
		bad[name] = []string{"0", "-1", "many", "1.5", "9999999999999999999999"}
	}
	for _, name := range strings.Fields("max-runs-per-principal max-readers-per-principal max-tokens-per-principal rate store-wait") {
		bad[name] = []string{"-1", "many", "1.5", "9999999999999999999999"}
	}
	for _, name := range strings.Fields("max-body max-bodies max-answers max-event max-thread max-state max-file store-limit") {
		bad[name] = []string{"0", "-1", "8 MB", "MiB", "1.5MiB", "9999999999999GiB"}
	}
	bad["max-stored-per-principal"] = []string{"-1", "8 MB", "MiB", "9999999999999GiB"}
	bad["tls-cert"], bad["tls-key"] = []string{"hush-hush.pem"}, []string{"hush-hush.pem"}
	bad["max-connections"], bad["max-header"] = bad["max-runs"], bad["max-body"]
	bad["max-bodies"], bad["max-answers"] = append(bad["max-bodies"], "63MiB"), append(bad["max-answers"], "63MiB")
	for _, s := range serveCommand().settingsOf(&config{}) {
		t.Run(s.flag, func(t *testing.T) {
			t.Parallel()
			if len(bad[s.flag]) == 0 && s.flag != "config" && s.flag != "env-file" {
				t.Errorf("no bad value of -%s is tried", s.flag)
			}
			for _, value := range bad[s.flag] {
				for _, source := range []struct {
					args []string
					env  map[string]string
				}{{[]string{"-" + s.flag, value}, nil}, {nil, map[string]string{s.env(): value}}} {
					var out, log bytes.Buffer
					code := run(context.Background(), source.args, environment(source.env), &out, &log)
					if want := "gateway: -" + s.flag + " (" + s.env() + "): "; code != exitError || !strings.HasPrefix(log.String(), want) ||
						strings.Count(log.String(), "\n") != 1 || out.Len() != 0 || strings.Contains(log.String(), "hush") {
						t.Errorf("run(%q, %v) = %d, %q, want one line that begins with %q", source.args, source.env, code, log.String(), want)
					}
				}
			}
		})
	}
}

// TestCommandLine is about arguments other than values of settings.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	badLine := writeFile(t, "env", "A=1\nno assignment\n")
	tests := []struct {
		args []string
		env  map[string]string
		code int
		want string // a part of the output
	}{
		{[]string{"dance"}, nil, exitUsage, `there is no command "dance"`},
		{[]string{"serve", "-model-size", "x"}, nil, exitUsage, "-model-size"},
		{[]string{"-nope"}, nil, exitUsage, "`gateway serve -h` lists"},
		{[]string{"version", "-addr", "127.0.0.1:0"}, nil, exitUsage, "-addr"},
		{[]string{"serve", "team.yaml"}, nil, exitUsage, `"team.yaml" is not understood`},
		{[]string{"validate"}, nil, exitUsage, "-config"},
		{[]string{"-addr"}, nil, exitUsage, "-addr"},
		{[]string{"-env-file", "/does/not/exist"}, nil, exitError, "-env-file: open /does/not/exist"},
		{[]string{"-env-file", badLine}, nil, exitError, badLine + ":2: not KEY=VALUE"},
		{[]string{"-config", "/does/not/exist"}, nil, exitError, "-config (GATEWAY_CONFIG): teamfile: open"},
		{[]string{"help"}, nil, exitOK, "healthcheck"},
		{[]string{"-h"}, nil, exitOK, "GATEWAY_MAX_READERS"},
		{[]string{"-h"}, nil, exitOK, "validate     check a team file"},
		{[]string{"--help"}, nil, exitOK, "usage: gateway [command] [flags]"},
		{[]string{"validate", "--help"}, nil, exitOK, "GATEWAY_CONFIG"},
		{[]string{"version"}, nil, exitOK, "gateway "},
		// X1: nothing is reachable from other machines without an explicit setting.
		{[]string{"-addr", ":0"}, nil, exitError, "-auth none (GATEWAY_AUTH=none)"},
		{[]string{"-addr", "0.0.0.0:0"}, nil, exitError, "-auth none"},
		{[]string{"-addr", "[::]:0"}, nil, exitError, "-auth none"},
		{[]string{"-addr", "192.0.2.1:0"}, nil, exitError, "-auth none"},
		{[]string{"-addr", "gateway.example:0"}, nil, exitError, "-auth none"},
		{nil, map[string]string{"GATEWAY_ADDR": ":0"}, exitError, "-auth none"},
		{[]string{"-addr", ":0", "-auth="}, map[string]string{"GATEWAY_AUTH": ""}, exitError, "-auth none"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.args, tt.env), func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			code := run(context.Background(), tt.args, environment(tt.env), &out, &log)
			if got := out.String() + log.String(); code != tt.code || !strings.Contains(got, tt.want) {
				t.Errorf("run(%q) = %d, %q, want %d and %q", tt.args, code, got, tt.code, tt.want)
			}
			if (code == exitOK) != (log.Len() == 0) {
				t.Errorf("run(%q) = %d and complains %q", tt.args, code, log.String())
			}
		})
	}
}

func TestEnvLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ line, name, value string }{
		{"", "", ""},
		{"  # A=1", "", ""},
		{"A=1", "A", "1"},
		{" export A = b c # said\r", "A", "b c"},
		{"A=#", "A", ""},
		{"A=b#c", "A", "b#c"},
		{"A=", "A", ""},
		{"A=x=y", "A", "x=y"},
		{`A='b # "c" \n'  # said`, "A", `b # "c" \n`},
		{`A="b\n\"c\" \\ \$ \d # e"`, "A", "b\n\"c\" \\ $ \\d # e"},
		{`A=""`, "A", ""},
	}
	for _, tt := range tests {
		if name, value, err := envLine(tt.line); name != tt.name || value != tt.value || err != nil {
			t.Errorf("envLine(%q) = %q, %q, %v, want %q, %q", tt.line, name, value, err, tt.name, tt.value)
		}
	}
	for _, line := range []string{"A", "=1", "A B=1", `A="b`, "A='b", `A="b" c`} {
		if name, value, err := envLine(line); err == nil {
			t.Errorf("envLine(%q) = %q, %q, want an error", line, name, value)
		}
	}
}

// TestDocumentation holds docs/settings.md to the table.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/settings.md", "<!-- settings -->\n", "<!-- /settings -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	shown, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/settings.md has no %s … %s", begin, end)
	}
	var b strings.Builder
	b.WriteString("| flag | environment | default | |\n| --- | --- | --- | --- |\n")
	for _, s := range (&config{}).settings() {
		fmt.Fprintf(&b, "| -%s | %s | %s | %s |\n", s.flag, cmp.Or(s.env(), "–"), cmp.Or(s.def, "–"), s.help)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != b.String() {
		t.Error("docs/settings.md does not have the settings as they are; run go test ./cmd/gateway -run Documentation -update")
	}
}
