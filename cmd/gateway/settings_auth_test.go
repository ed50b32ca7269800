package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuthSettingsBelongTogether refuses settings that would admit no caller, or every caller, and names the setting.
func TestAuthSettingsBelongTogether(t *testing.T) {
	t.Parallel()
	keys := writeFile(t, "keys", "# nobody yet\n")
	broken := writeFile(t, "broken", "hush-hush\n")
	jwt := "-auth jwt -jwt-issuer https://issuer.example -jwt-audience gateway "
	for _, tt := range []struct {
		args string
		env  map[string]string
		want string // begins the error; empty means none
	}{
		{args: ""},
		{args: "-auth none"},
		{args: "-auth keys -keys-file " + keys},
		{env: map[string]string{"GATEWAY_AUTH": "keys", "GATEWAY_KEYS_FILE": keys}},
		{args: jwt},
		{args: jwt + "-jwks-url http://127.0.0.1:1/keys -jwt-algorithms ES256,EdDSA -jwt-leeway 0s -jwt-roles /realm_access/roles"},
		{args: "-auth jwt -jwt-issuer accounts.example -jwt-audience a,b -jwks-url https://accounts.example/keys"},
		{args: "-auth header -auth-header X-Forwarded-User -auth-roles-header X-Groups -auth-proxies 10.0.0.1,10.1.0.0/16,fe80::1%eth0"},

		{args: "-auth keys", want: "-keys-file (GATEWAY_KEYS_FILE): -auth keys needs it; `gateway key NAME >> keys`"},
		{args: "-auth keys -keys-file /does/not/exist", want: "-keys-file (GATEWAY_KEYS_FILE): keys file /does/not/exist"},
		{args: "-auth keys -keys-file " + broken, want: "-keys-file (GATEWAY_KEYS_FILE): keys file " + broken + ": line 1 is not name:sha256-hex"},
		{args: "-auth jwt", want: "-jwt-issuer (GATEWAY_JWT_ISSUER): -auth jwt needs it"},
		{args: "-auth jwt -jwt-issuer https://issuer.example", want: "-jwt-audience (GATEWAY_JWT_AUDIENCE): -auth jwt needs it"},
		{args: "-auth jwt -jwt-issuer accounts.example -jwt-audience a", want: "-jwt-issuer, -jwks-url (GATEWAY_JWT_ISSUER, GATEWAY_JWKS_URL): the issuer is not a URL"},
		{args: "-auth header -auth-proxies 10.0.0.1", want: "-auth-header (GATEWAY_AUTH_HEADER): -auth header needs it"},
		{args: "-auth header -auth-header X-User", want: "-auth-proxies (GATEWAY_AUTH_PROXIES): -auth header needs it"},
		{args: "-auth header -auth-header Cookie -auth-proxies 10.0.0.1", want: "-auth-header, -auth-roles-header (GATEWAY_AUTH_HEADER, GATEWAY_AUTH_ROLES_HEADER): not a header's name"},
		// Who names a keys file wants callers to have keys, and would not notice that they need none.
		{args: "-keys-file " + keys, want: "-keys-file (GATEWAY_KEYS_FILE): this belongs to -auth keys (GATEWAY_AUTH=keys), but -auth is none"},
		{env: map[string]string{"GATEWAY_KEYS_FILE": keys}, want: "-keys-file (GATEWAY_KEYS_FILE): this belongs to -auth keys"},
		{args: "-auth none -jwt-issuer https://issuer.example", want: "-jwt-issuer (GATEWAY_JWT_ISSUER): this belongs to -auth jwt"},
		{args: jwt + "-keys-file " + keys, want: "-keys-file (GATEWAY_KEYS_FILE): this belongs to -auth keys (GATEWAY_AUTH=keys), but -auth is jwt"},
		{args: "-auth keys -jwt-leeway 1m -keys-file " + keys, want: "-jwt-leeway (GATEWAY_JWT_LEEWAY): this belongs to -auth jwt"},
		{args: "-auth-proxies 10.0.0.1", want: "-auth-proxies (GATEWAY_AUTH_PROXIES): this belongs to -auth header"},
	} {
		team := writeFile(t, "team.yaml", "version: 1\nagents: { a: { type: script, steps: [ { say: x } ] } }\n")
		for _, command := range []string{"validate", "serve"} {
			if command == "serve" && tt.want == "" {
				continue // it would run until it is stopped
			}
			var out, log bytes.Buffer
			args := append([]string{command, "-config", team}, strings.Fields(tt.args)...)
			code := run(t.Context(), args, environment(tt.env), &out, &log)
			if tt.want == "" && code != exitOK {
				t.Errorf("%s %s %v = %d, %s", command, tt.args, tt.env, code, &log)
			}
			if tt.want != "" && (code != exitError || !strings.HasPrefix(log.String(), "gateway: "+tt.want) || strings.Count(log.String(), "\n") != 1 || strings.Contains(log.String(), "hush")) {
				t.Errorf("%s %s %v = %d, %q, want one line that begins with %q", command, tt.args, tt.env, code, log.String(), tt.want)
			}
		}
	}
}

// TestKeyCommand makes a key with a line that serve accepts: only the line goes to stdout, and the key is shown once.
func TestKeyCommand(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"key", "ada", "-roles", "editor,admin"}, environment(nil), &out, &log); code != exitOK {
		t.Fatalf("key = %d, %s", code, &log)
	}
	line, key := out.String(), lastLine(log.String())
	if !strings.HasPrefix(line, "ada:") || !strings.HasSuffix(line, ":editor,admin\n") || strings.Count(line, "\n") != 1 || strings.Contains(line, key) ||
		!strings.HasPrefix(key, "key_") || strings.Count(log.String(), key) != 1 {
		t.Errorf("key printed %q and %q", line, log.String())
	}
	url, stop := startServer(t, "-auth", "keys", "-keys-file", writeFile(t, "keys", line))
	for credential, want := range map[string]int{key: 200, "": 401, "key_" + strings.Repeat("a", 52): 401} {
		if status, body := getAs(t, credential, url+"/threads"); status != want {
			t.Errorf("GET /threads as %q = %d, %s, want %d", credential, status, body, want)
		}
	}
	if code, log := stop(); code != exitOK || strings.Contains(log, key) {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"key"}, exitUsage, "write `gateway key NAME`"},
		{[]string{"key", "-roles", "a"}, exitUsage, "write `gateway key NAME`"},
		{[]string{"key", "-h"}, exitOK, "-roles"},
		{[]string{"key", "ada", "-h"}, exitOK, "-roles"},
		{[]string{"key", "ada", "bob"}, exitUsage, `"bob" is not understood`},
		{[]string{"key", "ada", "-addr", ":1"}, exitUsage, "-addr"},
		{[]string{"key", "a:b"}, exitError, "colon"},
		{[]string{"key", "ada", "-roles", "a,,b"}, exitError, "role that is empty"},
	} {
		var out, log bytes.Buffer
		if code := run(t.Context(), tt.args, environment(nil), &out, &log); code != tt.code || !strings.Contains(out.String()+log.String(), tt.want) {
			t.Errorf("run(%q) = %d, %s%s, want %d and %q", tt.args, code, &out, &log, tt.code, tt.want)
		}
	}
	// Without its line the key is worthless and is not shown.
	log.Reset()
	if code := run(t.Context(), []string{"key", "ada"}, environment(nil), brokenPipe{}, &log); code != exitError || strings.Contains(log.String(), "key_") {
		t.Errorf("key without stdout = %d, %s", code, &log)
	}
	if matches, err := filepath.Glob("keys*"); err != nil || len(matches) != 0 {
		t.Errorf("key wrote %q, %v", matches, err)
	}
}

// lastLine is the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestFlagsAndOperandsInAnyOrder wants a command line to mean the same wherever its operand is.
func TestFlagsAndOperandsInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args    []string
		operand string
		store   string
		yes     bool
		want    string // a part of the error; empty means none
	}{
		{[]string{"key:ada", "-store", "memory", "-yes"}, "key:ada", "memory", true, ""},
		{[]string{"-store", "memory", "-yes", "key:ada"}, "key:ada", "memory", true, ""},
		{[]string{"-yes", "key:ada", "-store=memory"}, "key:ada", "memory", true, ""},
		{[]string{"-store", "memory", "--", "-odd"}, "-odd", "memory", false, ""},
		{[]string{"-"}, "-", "", false, ""},
		{[]string{"-yes"}, "", "", false, "write `gateway delete PRINCIPAL`"},
		{[]string{"key:ada", "-yes", "key:bob"}, "", "", false, `"key:bob" is not understood`},
		{[]string{"key:ada", "--", "-yes"}, "", "", false, `"-yes" is not understood`},
		{[]string{"key:ada", "-nope"}, "", "", false, "-nope"},
		{[]string{"-yes", "-h", "key:ada"}, "", "", false, "help requested"},
	} {
		c, err := parse(commands()[indexOfCommand(t, "delete")], tt.args, environment(nil))
		switch {
		case tt.want != "":
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parse(%q) error = %v, want %q", tt.args, err, tt.want)
			}
		case err != nil:
			t.Errorf("parse(%q) error = %v", tt.args, err)
		case c.operand != tt.operand || c.yes != tt.yes || tt.store != "" && c.sourceOf("store") != sourceFlag:
			t.Errorf("parse(%q) has operand %q, -yes %t and -store from %s", tt.args, c.operand, c.yes, c.sourceOf("store"))
		}
	}
}
