package route

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/telemetry"
)

type (
	requestIDKey struct{}
	principalKey struct{}
	addressKey   struct{}
)

// WithRequestID returns r with its id and the gateway's id for it.
func WithRequestID(r *http.Request, id, serverID string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestIDKey{}, [2]string{id, serverID}))
}

// Name sets the route of a protocol's own table that answers r, where the router only knows the protocol.
func Name(r *http.Request, pattern string) { telemetry.NameRoute(r.Context(), pattern) }

// WithPrincipal returns r with the principal of its caller.
func WithPrincipal(r *http.Request, principal groupchat.Principal) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), principalKey{}, principal))
}

// WithAddress returns r with the address of its client.
func WithAddress(r *http.Request, address netip.Addr) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), addressKey{}, address))
}

// Address returns the client's address, as reported by trusted proxies. It is invalid for Unix sockets.
func Address(r *http.Request) netip.Addr {
	address, _ := r.Context().Value(addressKey{}).(netip.Addr)
	return address
}

// RequestAttrs returns the attributes of a request for a log line: its method, its path, and the client's address.
func RequestAttrs(r *http.Request) []any {
	attrs := []any{"method", Shorten(r.Method), "path", Shorten(r.URL.Path)}
	if address := Address(r); address.IsValid() {
		attrs = append(attrs, "address", address.String())
	}
	return attrs
}

// RequestID returns the id of a request, which the caller or the gateway has chosen.
func RequestID(r *http.Request) string {
	ids, _ := r.Context().Value(requestIDKey{}).([2]string)
	return ids[0]
}

// OwnRequestID returns the id of a request that the gateway has chosen. No two requests have the same.
func OwnRequestID(r *http.Request) string {
	ids, _ := r.Context().Value(requestIDKey{}).([2]string)
	return ids[1]
}

// Principal returns the id of a request's principal, a part of every thread's key. It is empty for public routes.
func Principal(r *http.Request) string { return Caller(r).ID }

// Caller returns the principal of a request. It is the zero value for public routes.
func Caller(r *http.Request) groupchat.Principal {
	p, _ := r.Context().Value(principalKey{}).(groupchat.Principal)
	return p
}

// Limit reads ?limit=, a number from 1 to most (0: no maximum). It returns def if there is none.
func Limit(q url.Values, def, most int) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, InvalidQuery("limit", "must be a whole number from 1 on")
	}
	if most > 0 {
		n = min(n, most)
	}
	return n, nil
}

// Word checks the value of a parameter that is one of two words, or empty.
func Word(name, value, one, other string) (string, error) {
	if value == "" || value == one || value == other {
		return value, nil
	}
	return "", InvalidQuery(name, "must be "+one+" or "+other)
}

// InvalidQuery returns the error of a query parameter.
func InvalidQuery(name, problem string) error {
	return &errcode.Error{Code: errcode.InvalidInput, Err: &agui.FieldError{Path: name, Problem: problem}}
}
