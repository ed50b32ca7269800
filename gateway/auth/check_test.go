package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/gateway/auth"
)

// A program can find out before it serves anybody whether the issuer's keys can be read.
func ExampleJWT_Check() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"issuer": "https://login.example.com", "jwks_uri": "https://login.example.com/keys"}`)
	}))
	defer provider.Close()
	tokens, err := auth.NewJWT(auth.JWTOptions{Issuer: provider.URL, Audiences: []string{"gateway"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	keys, err := tokens.Check(context.Background())
	fmt.Println(keys, errors.Is(err, auth.ErrOtherIssuer), tokens.Close())
	// Output: 0 true <nil>
}
