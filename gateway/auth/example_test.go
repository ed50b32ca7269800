package auth_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jwt"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/auth"
	"github.com/agui-gateway/gateway/groupchat"
)

// quiet keeps the examples' output to what they print.
var quiet = slog.New(slog.DiscardHandler)

// call asks a gateway for the caller's threads.
func call(o gateway.Options, header, value string) string {
	hello := groupchat.AgentFunc(func(_ context.Context, t *groupchat.Turn) error { return groupchat.Say(t, "Hello.") })
	o.Agents = map[string]groupchat.Agent{"hello": hello}
	o.Log = quiet
	g, err := gateway.New(o)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = g.Close() }() // of a store in memory
	request := httptest.NewRequest(http.MethodGet, "/threads", nil)
	request.RemoteAddr = "10.0.0.7:4711"
	if header != "" {
		request.Header.Set(header, value)
	}
	answer := httptest.NewRecorder()
	g.ServeHTTP(answer, request)
	return fmt.Sprint(answer.Code, " ", strings.TrimSpace(answer.Body.String()))
}

// A gateway with API keys for its callers. `gateway key NAME` prints the line for the file.
func ExampleOpenKeys() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is a temporary one
	key, line, err := auth.GenerateKey("ada", "editor")
	if err != nil {
		fmt.Println(err)
		return
	}
	file := filepath.Join(dir, "keys")
	if err := os.WriteFile(file, []byte("# who may call\n"+line+"\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	keys, err := auth.OpenKeys(auth.KeysOptions{File: file, Log: quiet})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call(gateway.Options{Principal: keys.Principal}, "Authorization", "Bearer "+key))

	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("X-API-Key", key)
	p, err := keys.Principal(request)
	fmt.Println(p.ID, p.Roles, err)

	request.Header.Set("X-API-Key", "another key")
	_, err = keys.Principal(request) // answered with 401; the cause is for the log
	fmt.Println(err)
	// Output:
	// 200 {"threads":[]}
	// key:ada [editor] <nil>
	// unauthorized: auth: the key is not in the keys file
}

// A gateway for callers with tokens of an OpenID provider: here a small one, with a discovery document for its keys.
func ExampleNewJWT() {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var issuer string
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := jwk.Import(public)
		if err != nil {
			return
		}
		answers := map[string]any{
			"/.well-known/openid-configuration": map[string]string{"issuer": issuer, "jwks_uri": issuer + "/keys"},
			"/keys":                             map[string]any{"keys": []any{key}},
		}
		_ = json.NewEncoder(w).Encode(answers[r.URL.Path]) // the client notices
	}))
	defer provider.Close()
	issuer = provider.URL

	tokens, err := auth.NewJWT(auth.JWTOptions{Issuer: issuer, Audiences: []string{"gateway"}, Leeway: 30 * time.Second, Roles: "groups", Log: quiet})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = tokens.Close() }() // it returns nil

	token, err := jwt.NewBuilder().Issuer(issuer).Subject("ada").Audience([]string{"gateway"}).Expiration(time.Now().Add(time.Minute)).Claim("groups", []string{"editor"}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	signed, err := jwt.Sign(token, jwt.WithKey(jwa.EdDSA(), private))
	if err != nil {
		fmt.Println(err)
		return
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Authorization", "Bearer "+string(signed))
	p, err := tokens.Principal(request)
	fmt.Println(strings.Replace(p.ID, issuer, "https://issuer.example", 1), p.Roles, p.Claims["sub"], err)
	fmt.Println(call(gateway.Options{Principal: tokens.Principal}, "Authorization", "Bearer "+string(signed)))
	// Output:
	// jwt:https://issuer.example|ada [editor] ada <nil>
	// 200 {"threads":[]}
}

// A gateway behind a proxy that has authenticated its callers.
func ExampleNewHeader() {
	header, err := auth.NewHeader(auth.HeaderOptions{User: "X-Forwarded-User", Roles: "X-Forwarded-Groups", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(call(gateway.Options{Principal: header.Principal}, "X-Forwarded-User", "ada"))

	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("X-Forwarded-User", "ada")
	request.RemoteAddr = "192.0.2.1:4711"
	_, err = header.Principal(request)
	fmt.Println(err)
	// Output:
	// 200 {"threads":[]}
	// unauthorized: auth: the request does not come from a proxy that may name its principal
}
