package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/auth"
)

// The methods of authentication.
const (
	authNone   = "none"
	authKeys   = "keys"
	authJWT    = "jwt"
	authHeader = "header"
)

var authModes = []string{authNone, authKeys, authJWT, authHeader}

type authSettings struct {
	mode     string
	keysFile string
	jwt      auth.JWTOptions
	header   auth.HeaderOptions
	setFlags []string // the flags that are set
}

// authParts are the settings of each way, those first that it cannot do without, with what to write.
var authParts = map[string][]struct{ flag, need string }{
	authKeys: {{"keys-file", "`gateway key NAME >> keys` makes a key and writes the file, and -keys-file names it"}},
	authJWT: {{"jwt-issuer", "write the URL of the issuer of tokens"},
		{"jwt-audience", "write what the issuer calls this gateway"}, {flag: "jwks-url"}, {flag: "jwt-algorithms"},
		{flag: "jwt-leeway"}, {flag: "jwt-roles"}},
	authHeader: {{"auth-header", "write the name of the header that has the caller"},
		{"auth-proxies", "write the addresses of the proxies that set it"}, {flag: "auth-roles-header"}},
}

var authFlags = []string{
	"auth", "keys-file", "jwt-issuer", "jwks-url", "jwt-audience", "jwt-algorithms", "jwt-leeway", "jwt-roles",
	"auth-header", "auth-roles-header", "auth-proxies",
}

// check returns an error if a setting is missing for the method or belongs to another one.
func (a *authSettings) check() error {
	for _, mode := range authModes {
		for _, part := range authParts[mode] {
			name, isSet := (setting{flag: part.flag}).names(), slices.Contains(a.setFlags, part.flag)
			switch {
			case isSet && mode != a.mode && a.mode != "":
				return fmt.Errorf("%s: this belongs to -auth %s (GATEWAY_AUTH=%s), but -auth is %s", name, mode, mode,
					a.mode)
			case !isSet && mode == a.mode && part.need != "":
				return fmt.Errorf("%s: -auth %s needs it; %s", name, mode, part.need)
			}
		}
	}
	return nil
}

func (a *authSettings) explicit() bool { return slices.Contains(a.setFlags, "auth") }

// An authenticator identifies the principals of requests. Nil functions do nothing.
type authenticator struct {
	principal func(*http.Request) (gateway.Principal, error) // nil: all callers are one principal
	start     func()
	stop      func() error
}

// open creates the configured authenticator. It contacts no server yet.
func (a *authSettings) open(log *slog.Logger) (authenticator, error) {
	switch a.mode {
	case authKeys:
		keys, err := auth.OpenKeys(auth.KeysOptions{File: a.keysFile, Log: log})
		if err != nil {
			return authenticator{}, fmt.Errorf("-keys-file (GATEWAY_KEYS_FILE): %w", err)
		}
		return authenticator{principal: keys.Principal}, nil
	case authJWT:
		o := a.jwt
		o.Log = log
		tokens, err := auth.NewJWT(o)
		if err != nil {
			return authenticator{}, fmt.Errorf("-jwt-issuer, -jwks-url (GATEWAY_JWT_ISSUER, GATEWAY_JWKS_URL): %w", err)
		}
		return authenticator{tokens.Principal, tokens.Start, tokens.Close}, nil
	case authHeader:
		header, err := auth.NewHeader(a.header)
		if err != nil {
			return authenticator{}, fmt.Errorf("-auth-header, -auth-roles-header (GATEWAY_AUTH_HEADER, "+
				"GATEWAY_AUTH_ROLES_HEADER): %w", err)
		}
		return authenticator{principal: header.Principal}, nil
	default:
		return authenticator{}, nil
	}
}

func (c *config) withAuth(log *slog.Logger, run func() error) error {
	a, err := c.auth.open(log)
	if err != nil {
		return err
	}
	if a.start != nil {
		a.start()
	}
	c.options.Principal, c.options.Auth = a.principal, c.auth.mode
	err = run()
	if a.stop != nil {
		err = errors.Join(err, a.stop())
	}
	return err
}

func list(p *[]string) func(string) error {
	return items(p, "not a list of words with commas between", func(text string) (w string, ok bool) {
		err := word(&w)(text)
		return w, err == nil && w != ""
	})
}

// listOf reads some of the choices, with commas between.
func listOf(p *[]string, choices []string) func(string) error {
	problem := "not a list of the choices with commas between; write some of " + strings.Join(choices, ", ")
	return items(p, problem, func(text string) (string, bool) { return text, slices.Contains(choices, text) })
}

func leeway(p *time.Duration) func(string) error {
	return func(value string) error {
		var d time.Duration
		if err := duration(&d, 0)(value); err != nil {
			return err
		}
		if d > auth.MaxLeeway {
			return fmt.Errorf("too long; write %s or less", short(auth.MaxLeeway))
		}
		*p = d
		return nil
	}
}

// keySetURL reads where an issuer's keys are; the error does not quote it.
func keySetURL(p *string) func(string) error {
	return func(value string) error {
		u, err := url.Parse(value)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("not the URL of a key set; write https://host/path, without a user")
		}
		*p = value
		return nil
	}
}
