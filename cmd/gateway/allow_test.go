package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
)

// A team file restricts an agent to roles, and the keys file assigns them. Without keys such a file is not served,
// because no caller could use the agent; it can still be checked.
func TestAllowInATeamFile(t *testing.T) {
	t.Parallel()
	team := writeFile(t, "team.yaml", "version: 1\nagents:\n  open: { type: script, steps: [ { say: Hi } ] }\n"+
		"  desk: { type: script, allow: [ editor ], steps: [ { say: Hello } ] }\n")
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"validate", "-config", team}, environment(nil), &out, &log); code != exitOK ||
		!strings.Contains(out.String(), "is good: desk, open") || !strings.Contains(log.String(), "warning: desk: `allow`") {
		t.Errorf("validate = %d, %s%s", code, &out, &log)
	}
	log.Reset()
	if code := run(t.Context(), []string{"-config", team, "-addr", "127.0.0.1:0"}, environment(nil), &out, &log); code != exitError ||
		!strings.Contains(log.String(), `agent "desk": allow names roles`) {
		t.Errorf("without keys: %d, %s", code, &log)
	}

	const secrets = "ada-0123456789abcdef0123456789abcdef eve-0123456789abcdef0123456789abcdef"
	ada, eve, _ := strings.Cut(secrets, " ")
	line := func(name, key, roles string) string {
		sum := sha256.Sum256([]byte(key))
		return name + ":" + hex.EncodeToString(sum[:]) + roles + "\n"
	}
	url, stop := startServer(t, "-config", team, "-auth", "keys", "-keys-file", writeFile(t, "keys", line("ada", ada, ":editor")+line("eve", eve, "")))
	ask := func(key, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var body bytes.Buffer
		if _, err := body.ReadFrom(response.Body); err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, strings.TrimSpace(body.String())
	}
	for _, test := range []struct {
		key, path string
		status    int
		want      string
	}{
		{ada, "/me", 200, `{"principal":{"id":"key:ada","roles":["editor"]},"auth":"keys"}`},
		{eve, "/me", 200, `{"principal":{"id":"key:eve","roles":[]},"auth":"keys"}`},
		{ada, "/agents/desk/capabilities", 200, `"desk"`},
		{eve, "/agents/desk/capabilities", 404, `"not_found"`},
		{eve, "/agents/open/capabilities", 200, `"open"`},
		{"nobody", "/me", 401, `"unauthorized"`},
	} {
		if status, body := ask(test.key, test.path); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("GET %s = %d %s, want %d %s", test.path, status, body, test.status, test.want)
		}
	}
	if code, log := stop(); code != exitOK {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
}
