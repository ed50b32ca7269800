package gateway

import (
	"net/http"
	"strings"
)

// traced reports whether a request has a span: the frequent requests of probes and pages have none.
func traced(r *http.Request) bool {
	switch r.URL.Path {
	case "/", "/healthz", "/readyz", "/openapi.json":
		return false
	}
	return !strings.HasPrefix(r.URL.Path, "/assets/")
}
