package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// brokenPipe takes nothing.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// sendAs sends a request with a bearer's credential; empty sends none.
func sendAs(t *testing.T, credential, method, url, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if credential != "" {
		request.Header.Set("Authorization", "Bearer "+credential)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(data)
}

func getAs(t *testing.T, credential, url string) (int, string) {
	t.Helper()
	status, _, body := sendAs(t, credential, http.MethodGet, url, "")
	return status, body
}

// getFrom sends a request from an address of this machine.
func getFrom(t *testing.T, from, url, header, value string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(header, value)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

// TestProcessWithCallers is about a real process with authentication.
func TestProcessWithCallers(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	team := writeFile(t, "team.yaml", slowTeam)
	makeKey := func(t *testing.T, args ...string) (key, line string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), binary, append([]string{"key"}, args...)...)
		var shown strings.Builder
		command.Stderr = &shown
		out, err := command.Output()
		if err != nil {
			t.Fatalf("gateway key: %v\n%s", err, &shown)
		}
		return lastLine(shown.String()), string(out)
	}

	t.Run("keys", func(t *testing.T) {
		t.Parallel()
		ada, adaLine := makeKey(t, "ada", "-roles", "editor")
		bob, bobLine := makeKey(t, "bob")
		path := writeFile(t, "keys", adaLine)
		p := startProcess(t, binary, "-config", team, "-auth", "keys", "-keys-file", path)
		wantUnauthorized(t, p.url, "", "nobody", bob)
		wantMe(t, p.url, ada, `"id":"key:ada"`, `"roles":["editor"]`, `"auth":"keys"`)
		wantOwnThreads(t, p, ada)

		rewrite(t, path, adaLine+bobLine) // a key is added without a restart
		wantOwnThreads(t, p, bob)
		wantStrangers(t, p, ada, bob)

		last := p.postAs(t, ada, "short")
		rewrite(t, path, bobLine) // and one is removed: a stream continues, and the next request is refused
		wantUnauthorized(t, p.url, ada)
		if event := last(); !strings.Contains(event, `"RUN_FINISHED"`) {
			t.Errorf("the stream of a key that was taken away ended with %s", event)
		}
		rewrite(t, path, "broken")
		if status, body := getAs(t, bob, p.url+"/threads"); status != http.StatusOK {
			t.Errorf("GET /threads with a broken file = %d, %s", status, body)
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		if log := p.log.String(); !strings.Contains(log, "the keys stay as they were") || strings.Contains(log, ada) || strings.Contains(log, bob) {
			t.Errorf("the log does not tell of the broken file, or has a key:\n%s", log)
		}
	})

	t.Run("jwt", func(t *testing.T) {
		t.Parallel()
		issuer := newIssuer(t)
		ada, bob := issuer.token(t, "ada", time.Hour), issuer.token(t, "bob", time.Hour)
		p := startProcess(t, binary, "-config", team, "-auth", "jwt", "-jwt-issuer", issuer.URL, "-jwt-audience", "gateway")
		none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + strings.Split(ada, ".")[1] + "."
		wantUnauthorized(t, p.url, "", "nobody", ada+"A", none, issuer.token(t, "ada", -time.Hour))
		wantMe(t, p.url, ada, `"id":"jwt:`+issuer.URL+`|ada"`, `"auth":"jwt"`)
		wantOwnThreads(t, p, ada)
		wantOwnThreads(t, p, bob)
		wantStrangers(t, p, ada, bob)
		issuer.away.Store(true)
		wantOwnThreads(t, p, issuer.token(t, "eve", time.Hour))
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		if log := p.log.String(); strings.Contains(log, ada) || !strings.Contains(log, "jwt:"+issuer.URL+"|ada") {
			t.Errorf("the log has a token, or not whose runs these were:\n%s", log)
		}
	})

	t.Run("jwt, with an issuer that is away", func(t *testing.T) {
		t.Parallel()
		issuer := newIssuer(t)
		issuer.away.Store(true)
		p := startProcess(t, binary, "-config", team, "-auth", "jwt", "-jwt-issuer", issuer.URL, "-jwt-audience", "gateway")
		status, header, body := sendAs(t, issuer.token(t, "ada", time.Hour), http.MethodGet, p.url+"/threads", "")
		if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(body, `"auth_unavailable"`) {
			t.Errorf("GET /threads = %d, %v, %s", status, header, body)
		}
		wantUnauthorized(t, p.url, "", "nobody")
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		if log := p.log.String(); strings.Count(log, "the keys for tokens cannot be read") != 1 {
			t.Errorf("the log does not say once why:\n%s", log)
		}
	})

	t.Run("header", func(t *testing.T) {
		t.Parallel()
		p := startProcess(t, binary, "-config", team, "-auth", "header", "-auth-header", "X-Forwarded-User", "-auth-proxies", "127.0.0.2")
		for from, want := range map[string]int{"127.0.0.2": http.StatusOK, "127.0.0.1": http.StatusUnauthorized} {
			if status, body := getFrom(t, from, p.url+"/threads", "X-Forwarded-User", "ada"); status != want {
				t.Errorf("GET /threads from %s = %d, %s, want %d", from, status, body, want)
			}
		}
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
	})
}

// wantMe finds what the gateway says of a caller.
func wantMe(t *testing.T, url, credential string, want ...string) {
	t.Helper()
	status, body := getAs(t, credential, url+"/me")
	for _, part := range want {
		if status != http.StatusOK || !strings.Contains(body, part) {
			t.Errorf("GET /me = %d, %s, want %s", status, body, part)
		}
	}
}

// wantUnauthorized sends credentials that are none: the answers are the same but for the request's id.
func wantUnauthorized(t *testing.T, url string, credentials ...string) {
	t.Helper()
	for _, credential := range credentials {
		for _, path := range []string{"/threads", "/threads/t", "/agents", "/api/copilotkit/info"} {
			status, header, body := sendAs(t, credential, http.MethodGet, url+path, "")
			if status != http.StatusUnauthorized || header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(body, `"Valid credentials are required."`) {
				t.Errorf("GET %s as %.20q = %d, %s", path, credential, status, body)
			}
		}
		if status, _, body := sendAs(t, credential, http.MethodPost, url+"/agents/short", input("t")); status != http.StatusUnauthorized {
			t.Errorf("POST /agents/short as %.20q = %d, %s", credential, status, body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/openapi.json"} {
		if status, body := getAs(t, "", url+path); status != http.StatusOK {
			t.Errorf("GET %s = %d, %s", path, status, body)
		}
	}
}

// wantOwnThreads has a caller begin the thread t, and finds no other in the caller's list.
func wantOwnThreads(t *testing.T, p *process, credential string) {
	t.Helper()
	if status, body := getAs(t, credential, p.url+"/threads"); status != http.StatusOK || body != `{"threads":[]}`+"\n" && body != `{"threads":[]}` {
		t.Errorf("GET /threads = %d, %s, want none yet", status, body)
	}
	if last := p.postAs(t, credential, "short")(); !strings.Contains(last, `"RUN_FINISHED"`) {
		t.Errorf("the run ended with %s", last)
	}
	if status, body := getAs(t, credential, p.url+"/threads/t"); status != http.StatusOK || !strings.Contains(body, `"id":"t"`) {
		t.Errorf("GET /threads/t = %d, %s", status, body)
	}
}

// wantStrangers deletes one's thread t, and finds the other's.
func wantStrangers(t *testing.T, p *process, one, other string) {
	t.Helper()
	if status, _, body := sendAs(t, one, http.MethodDelete, p.url+"/threads/t", ""); status != http.StatusNoContent {
		t.Errorf("DELETE /threads/t = %d, %s", status, body)
	}
	if status, body := getAs(t, one, p.url+"/threads/t"); status != http.StatusNotFound {
		t.Errorf("GET /threads/t = %d, %s, want 404", status, body)
	}
	if status, body := getAs(t, other, p.url+"/threads/t"); status != http.StatusOK {
		t.Errorf("GET /threads/t of the other = %d, %s", status, body)
	}
}

// An idp is an OpenID provider with one key.
type idp struct {
	*httptest.Server
	private ed25519.PrivateKey
	away    atomic.Bool
}

func newIssuer(t *testing.T) *idp {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	i := &idp{private: private}
	i.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]any{
			"/.well-known/openid-configuration": map[string]string{"issuer": i.URL, "jwks_uri": i.URL + "/keys"},
			"/keys": map[string]any{"keys": []any{map[string]string{
				"kty": "OKP", "crv": "Ed25519", "kid": "k1", "use": "sig", "alg": "EdDSA", "x": base64.RawURLEncoding.EncodeToString(public),
			}}},
		}
		if i.away.Load() || answers[r.URL.Path] == nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(answers[r.URL.Path]) // the gateway notices
	}))
	i.Start() // the handler reads its own URL
	t.Cleanup(i.Close)
	return i
}

// token signs what a subject is known by, for a time.
func (i *idp) token(t *testing.T, subject string, valid time.Duration) string {
	t.Helper()
	claims, err := json.Marshal(map[string]any{"iss": i.URL, "sub": subject, "aud": "gateway", "exp": time.Now().Add(valid).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	signed := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"EdDSA","kid":"k1","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.private, []byte(signed)))
}
