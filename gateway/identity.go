package gateway

import (
	"context"
	"net"
	"net/http"
)

type (
	requestIDKey struct{}
	principalKey struct{}
)

// localPrincipal owns every thread while there is no authentication.
const localPrincipal = "local"

// requestID is the id of a request, its caller's or ours.
func requestID(r *http.Request) string { return fromContext(r.Context(), requestIDKey{}) }

// principal is who asks; every key, token and thread carries it.
func principal(r *http.Request) string { return fromContext(r.Context(), principalKey{}) }

func fromContext(ctx context.Context, key any) string {
	s, _ := ctx.Value(key).(string)
	return s
}

// loopback reports whether host is this machine and nobody else's.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
