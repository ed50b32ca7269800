package auth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway"
)

// request is a GET with headers, in pairs.
func request(t *testing.T, headers ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/threads", nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// lineOf is the line that a keys file has of a key.
func lineOf(name, key string) string {
	hash := sha256.Sum256([]byte(key))
	return name + ":" + hex.EncodeToString(hash[:])
}

func writeKeys(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantRefused holds a refusal to the code unauthorized, and its cause to what it may quote.
func wantRefused(t *testing.T, what string, p gateway.Principal, err error, cause string, secrets ...string) {
	t.Helper()
	wantCode(t, errcode.Unauthorized, what, p, err, cause, secrets...)
}

// wantUnknown is wantRefused of a credential that cannot be checked.
func wantUnknown(t *testing.T, what string, p gateway.Principal, err error, cause string) {
	t.Helper()
	wantCode(t, errcode.AuthUnavailable, what, p, err, cause)
}

func wantCode(t *testing.T, code errcode.Code, what string, p gateway.Principal, err error, cause string, secrets ...string) {
	t.Helper()
	if errcode.Of(err) != code || p.ID != "" || !strings.Contains(fmt.Sprint(err), cause) {
		t.Errorf("%s = %v, %v, want %s with %q", what, p, err, code, cause)
	}
	for _, s := range secrets {
		if strings.Contains(fmt.Sprint(err), s) {
			t.Errorf("%s: the cause quotes the credential: %v", what, err)
		}
	}
}

// TestKeysKnowWhoHasAKey sends keys in the ways that clients do, and in some that none should.
func TestKeysKnowWhoHasAKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	writeKeys(t, path, "# who may call", "", lineOf("ada", "ada-1"), lineOf("ada", "ada-2")+":editor,admin", lineOf("bob@example.com", "bob-1")+":urn:team:reader")
	keys, err := OpenKeys(KeysOptions{File: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		headers []string
		id      string
		roles   []string
		cause   string
	}{
		{name: "bearer", headers: []string{"Authorization", "Bearer ada-1"}, id: "key:ada"},
		{name: "the scheme in any case", headers: []string{"authorization", "bEaReR   ada-1"}, id: "key:ada"},
		{name: "a second key of the same name, with roles", headers: []string{"Authorization", "Bearer ada-2"}, id: "key:ada", roles: []string{"editor", "admin"}},
		{name: "X-API-Key", headers: []string{"X-API-Key", "bob-1"}, id: "key:bob@example.com", roles: []string{"urn:team:reader"}},
		{name: "X-API-Key beside a proxy's password", headers: []string{"X-API-Key", "bob-1", "Authorization", "Basic eDp5"}, id: "key:bob@example.com", roles: []string{"urn:team:reader"}},
		{name: "none", cause: "no credentials"},
		{name: "another key", headers: []string{"Authorization", "Bearer ada-3"}, cause: "not in the keys file"},
		{name: "the hash in place of the key", headers: []string{"X-API-Key", strings.TrimPrefix(lineOf("ada", "ada-1"), "ada:")}, cause: "not in the keys file"},
		{name: "the name and the key", headers: []string{"X-API-Key", "ada:ada-1"}, cause: "not in the keys file"},
		{name: "a key and more", headers: []string{"X-API-Key", "ada-1 "}, cause: "not in the keys file"},
		{name: "an empty key", headers: []string{"X-API-Key", ""}, cause: "no credentials"},
		{name: "an empty bearer", headers: []string{"Authorization", "Bearer "}, cause: "not Bearer"},
		{name: "no scheme", headers: []string{"Authorization", "ada-1"}, cause: "not Bearer"},
		{name: "another scheme", headers: []string{"Authorization", "Basic ada-1"}, cause: "not Bearer"},
		{name: "two in one", headers: []string{"Authorization", "Bearer ada-1 ada-2"}, cause: "not Bearer"},
		{name: "two with a comma", headers: []string{"Authorization", "Bearer ada-1,Bearer ada-2"}, cause: "not Bearer"},
		{name: "two headers", headers: []string{"Authorization", "Bearer ada-1", "Authorization", "Bearer ada-1"}, cause: "several"},
		{name: "two of X-API-Key", headers: []string{"X-API-Key", "ada-1", "X-API-Key", "ada-1"}, cause: "several"},
		{name: "both ways", headers: []string{"X-API-Key", "ada-1", "Authorization", "Bearer ada-1"}, cause: "several"},
		{name: "a huge one", headers: []string{"Authorization", "Bearer " + strings.Repeat("a", maxCredential+1)}, cause: "more than 16384 bytes"},
		{name: "a huge X-API-Key", headers: []string{"X-API-Key", strings.Repeat("a", maxCredential+1)}, cause: "more than 16384 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := keys.Principal(request(t, tt.headers...))
			if tt.cause != "" {
				wantRefused(t, "Principal()", p, err, tt.cause, "ada-", "bob-")
				return
			}
			if err != nil || p.ID != tt.id || !reflect.DeepEqual(p.Roles, tt.roles) {
				t.Errorf("Principal() = %s %q, %v, want %s %q", p.ID, p.Roles, err, tt.id, tt.roles)
			}
		})
	}
}

// TestKeysAreReadAgainWhenTheirFileChanges needs no restart, and ignores broken files. Each step is tested immediately:
// a file that was written in the same tick as before has the same attributes.
func TestKeysAreReadAgainWhenTheirFileChanges(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "keys")
	ada, bob, eve := lineOf("ada", "ada-key"), lineOf("bob", "bob-key"), lineOf("eve", "eve-key")
	writeKeys(t, path, ada)
	keys, err := OpenKeys(KeysOptions{File: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name   string
		change func()
		known  string // which of the three are
		logged string
	}{
		{"as it was", func() {}, "ada", ""},
		{"a key is added", func() { writeKeys(t, path, ada, bob) }, "ada bob", "keys=2"},
		{"another of the same length takes its place", func() { writeKeys(t, path, ada, eve) }, "ada eve", "keys=2"},
		{"a key is removed", func() { writeKeys(t, path, eve) }, "eve", "keys=1"},
		{"a line is broken", func() { writeKeys(t, path, eve, "ada:eve-key") }, "eve", `"line 2 has no SHA-256`},
		{"it is mended", func() { writeKeys(t, path, eve, ada) }, "ada eve", "keys=2"},
		{"it is too large", func() { writeKeys(t, path, bob, strings.Repeat("#", maxKeysFile)) }, "ada eve", "more than 1048576 bytes"},
		{"it is gone", func() { _ = os.Remove(path) }, "ada eve", "no such file"},
		{"a directory is in its place", func() { _ = os.Mkdir(path, 0o700) }, "ada eve", "not a regular file"},
		{"it is back", func() { _ = os.Remove(path); writeKeys(t, path, bob) }, "bob", "keys=1"},
		{"another is renamed to it", func() { writeKeys(t, path+"~", ada, bob); _ = os.Rename(path+"~", path) }, "ada bob", "keys=2"},
		{"a link is in its place, as containers mount secrets", func() {
			writeKeys(t, path+".1", ada)
			_ = os.Remove(path)
			_ = os.Symlink(path+".1", path)
		}, "ada", "keys=1"},
		{"the link leads elsewhere", func() {
			writeKeys(t, path+".2", eve)
			_ = os.Symlink(path+".2", path+"~")
			_ = os.Rename(path+"~", path)
		}, "eve", "keys=1"},
		{"it is empty", func() { writeKeys(t, path) }, "", "every request is refused"},
	} {
		log.Reset()
		step.change()
		for range 3 { // each error is logged once
			for _, name := range []string{"ada", "bob", "eve"} {
				p, err := keys.Principal(request(t, "X-API-Key", name+"-key"))
				if known := strings.Contains(step.known, name); known != (err == nil) || known && p.ID != "key:"+name {
					t.Errorf("%s: %s is %v, %v, want known: %v", step.name, name, p, err, known)
				}
			}
		}
		want := min(1, len(step.logged))
		if n := strings.Count(log.String(), step.logged); step.logged != "" && n != want || strings.Contains(log.String(), "-key") {
			t.Errorf("%s: the log says %q %d times, and holds:\n%s", step.name, step.logged, n, &log)
		}
	}
}

// TestAKeysFileThatLooksTheSameIsNotReadAgain: once a file is older than a tick, a request only checks its attributes.
func TestAKeysFileThatLooksTheSameIsNotReadAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	writeKeys(t, path, lineOf("ada", "a"))
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	keys, err := OpenKeys(KeysOptions{File: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	at := keys.at
	if _, err := keys.Principal(request(t, "X-API-Key", "a")); err != nil || keys.at != at {
		t.Errorf("Principal() = %v, read again: %v", err, keys.at != at)
	}
}

// TestAKeysFileThatIsWrittenTwiceInATick looks the same after the second time, and is read nevertheless.
func TestAKeysFileThatIsWrittenTwiceInATick(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	writeKeys(t, path, lineOf("ada", "a"))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := OpenKeys(KeysOptions{File: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	writeKeys(t, path, lineOf("bob", "b"))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	p, err := keys.Principal(request(t, "X-API-Key", "a"))
	wantRefused(t, "a key that was removed", p, err, "not in the keys file")
	if p, err := keys.Principal(request(t, "X-API-Key", "b")); err != nil || p.ID != "key:bob" {
		t.Errorf("a key that was added = %v, %v", p, err)
	}
}

// TestAKeysFileThatComesBackAsItWas works as before, and the log tells when it is gone again.
func TestAKeysFileThatComesBackAsItWas(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	path, old := filepath.Join(t.TempDir(), "keys"), time.Now().Add(-time.Hour)
	writeKeys(t, path, lineOf("ada", "a"))
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	keys, err := OpenKeys(KeysOptions{File: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, names := range [][2]string{{path, path + "~"}, {path + "~", path}} {
			if err := os.Rename(names[0], names[1]); err != nil {
				t.Fatal(err)
			}
			if _, err := keys.Principal(request(t, "X-API-Key", "a")); err != nil {
				t.Error(err)
			}
		}
	}
	if gone, back := strings.Count(log.String(), "stay as they were"), strings.Count(log.String(), "read again"); gone != 2 || back != 2 {
		t.Errorf("the log tells %d times that the file is gone and %d times that it is back:\n%s", gone, back, &log)
	}
}

func TestOpenKeysRefusesAFileItCannotUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	writeKeys(t, broken, "# keys", "hush-hush")
	for path, want := range map[string]string{broken: "line 2 is not name:sha256-hex", dir: "not a regular file", filepath.Join(dir, "none"): "no such file", "": "no such file"} {
		if _, err := OpenKeys(KeysOptions{File: path}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("OpenKeys(%q) = %v, want %q", path, err, want)
		}
	}
}

// TestKeysFileLines has what a line may be, and what it may not.
func TestKeysFileLines(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0a", 32)
	many := strings.TrimSuffix(strings.Repeat("r,", maxRoles), ",")
	for _, tt := range []struct {
		text    string
		entries int
		problem string
	}{
		{"", 0, ""},
		{"\n\r\n # nothing\n#" + hash, 0, ""},
		{"ada:" + hash, 1, ""},
		{"\uFEFFada:" + hash + "\r\n", 1, ""},
		{"  ada:" + strings.ToUpper(hash) + "  \n", 1, ""},
		{"Ада:" + hash + ":роль,a:b", 1, ""},
		{"ada:" + hash + ":" + many, 1, ""},
		{strings.Repeat("n", maxKeyName) + ":" + hash, 1, ""},
		{"ada:" + hash + ":" + strings.Repeat("r", maxRole), 1, ""},
		{"ada:" + hash + "\nada:" + strings.Repeat("0b", 32), 2, ""},
		{"ada:" + hash + "\nbob:" + hash, 0, "line 2 has the key of another line"},
		{"ada", 0, "line 1 is not name"},
		{":" + hash, 0, "line 1 has a name that is empty"},
		{"a b:" + hash, 0, "line 1 has a name that has white space"},
		{"a\x00b:" + hash, 0, "line 1 has a name that has white space or control"},
		{"a\u202eb:" + hash, 0, "line 1 has a name that has white space or control"},
		{"a\xff:" + hash, 0, "line 1 has a name that is not UTF-8"},
		{strings.Repeat("n", maxKeyName+1) + ":" + hash, 0, "line 1 has a name that has 129 bytes, more than 128"},
		{"ada:" + hash[1:], 0, "line 1 has no SHA-256"},
		{"ada:" + hash + "0a", 0, "line 1 has no SHA-256"},
		{"ada:" + hash[:62] + "0g", 0, "line 1 has no SHA-256"},
		{"ada: " + hash, 0, "line 1 has no SHA-256"},
		{"ada:" + hash + ":", 0, "line 1 has a role that is empty"},
		{"ada:" + hash + ":a,,b", 0, "line 1 has a role that is empty"},
		{"ada:" + hash + ":a, b", 0, "line 1 has a role that has white space"},
		{"ada:" + hash + ":" + many + ",r", 0, "line 1 has more than 64 roles"},
		{"ada:" + hash + ":" + strings.Repeat("r", maxRole+1), 0, "line 1 has a role that has 257 bytes, more than 256"},
		{"ada:" + hash + " # Ada's", 0, "line 1 has no SHA-256"},
	} {
		entries, err := parseKeys([]byte(tt.text))
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if len(entries) != tt.entries || !strings.HasPrefix(problem, tt.problem) || (problem == "") != (tt.problem == "") {
			t.Errorf("parseKeys(%.60q) = %d entries, %q, want %d, %q", tt.text, len(entries), problem, tt.entries, tt.problem)
		}
	}
}

// TestGenerateKey makes keys that a keys file knows, each with 256 bits.
func TestGenerateKey(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		key, line, err := GenerateKey("ada", "editor", "urn:team:reader")
		if err != nil || seen[key] || len(key) != len(keyPrefix)+52 || strings.Contains(line, key) {
			t.Fatalf("GenerateKey() = %q, %q, %v", key, line, err)
		}
		seen[key] = true
		path := filepath.Join(t.TempDir(), "keys")
		writeKeys(t, path, line)
		keys, err := OpenKeys(KeysOptions{File: path})
		if err != nil {
			t.Fatal(err)
		}
		p, err := keys.Principal(request(t, "Authorization", "Bearer "+key))
		if want := []string{"editor", "urn:team:reader"}; err != nil || p.ID != "key:ada" || !reflect.DeepEqual(p.Roles, want) {
			t.Errorf("Principal() = %s %q, %v", p.ID, p.Roles, err)
		}
	}
	for name, roles := range map[string][]string{"": nil, "a:b": nil, "#a": nil, "a b": nil, "a\n": nil, "a": {"b,c"}, "b": {""}, "c": {"d e"}, strings.Repeat("n", 129): nil} {
		if key, line, err := GenerateKey(name, roles...); err == nil || key != "" || line != "" {
			t.Errorf("GenerateKey(%q, %q) = %q, %v, want an error", name, roles, line, err)
		}
	}
}

// FuzzKeysFile: for any file the result is within the limits, and a second read gives the same.
func FuzzKeysFile(f *testing.F) {
	hash := strings.Repeat("0a", 32)
	for _, seed := range []string{"", "# x\n", "ada:" + hash, "ada:" + hash + ":a,b\nbob:" + hash, "\uFEFFa:" + hash + "\r\n", ":::", "a:" + hash + ":,"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseKeys(data)
		if err != nil {
			return
		}
		var again []string
		for _, e := range entries {
			line := e.name + ":" + hex.EncodeToString(e.hash[:])
			if len(e.roles) > 0 {
				line += ":" + strings.Join(e.roles, ",")
			}
			if len(e.roles) > maxRoles || checkName(e.name, maxKeyName) != "" {
				t.Errorf("the entry %+v", e)
			}
			again = append(again, line)
		}
		if same, err := parseKeys([]byte(strings.Join(again, "\n"))); err != nil || !reflect.DeepEqual(same, entries) {
			t.Errorf("parseKeys(%q) = %v, %v, want %v", again, same, err, entries)
		}
	})
}

// FuzzAuthorization: a credential is one token of the header's value, or none.
func FuzzAuthorization(f *testing.F) {
	for _, seed := range []string{"", "Bearer x", "bearer  x.y-z_~+/==", "Basic x", "Bearer", "Bearer =", "Bearer a b", "Bearer a,b", "Bearer \x00", "Bearer é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		credential, err := parseBearer(value)
		if err != nil {
			if credential != "" || len(value) > 8 && strings.Contains(err.Error(), value) {
				t.Errorf("parseBearer(%q) = %q, %v", value, credential, err)
			}
			return
		}
		if credential == "" || len(credential) > maxCredential || !strings.HasSuffix(value, " "+credential) || strings.ContainsAny(credential, " ,;\t\r\n\"\\") {
			t.Errorf("parseBearer(%q) = %q", value, credential)
		}
	})
}
