package edge

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agui-gateway/gateway/errcode"
)

// Origins selects the pages that may call a server from a browser.
type Origins struct {
	// Names are exact origins, or "*" for all of them. Nil means the origins of this machine.
	Names []string
}

// foreignPage is the error text for pages of other origins.
const foreignPage = "Pages of this origin may not call the gateway."

// Allow reports whether pages of origin may call. null is never allowed: a page gets it by hiding its origin.
func (o Origins) Allow(origin string) bool {
	if origin == "" || origin == "null" {
		return false
	}
	if o.Names != nil {
		return slices.Contains(o.Names, origin) || slices.Contains(o.Names, "*")
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && origin == u.Scheme+"://"+u.Host &&
		Loopback(u.Hostname())
}

// Credentials reports whether pages may send a browser's credentials: not if all origins are allowed.
func (o Origins) Credentials() bool { return !slices.Contains(o.Names, "*") }

// Check returns an error with the code forbidden if r, with side effects, is from a page that may not call.
func (o Origins) Check(r *http.Request) error {
	var browsers http.CrossOriginProtection
	if browsers.Check(r) == nil {
		return nil
	}
	origin := r.Header.Get("Origin")
	// A POST without a type needs no preflight. Browsers would add credentials, which arbitrary pages must not use.
	trusted := o.Credentials() || r.Method != http.MethodPost || r.Header.Get("Content-Type") != ""
	if o.Allow(origin) && trusted {
		return nil
	}
	return &errcode.Error{Code: errcode.Forbidden, Text: foreignPage}
}

// Refused returns the origin of r if it is from a page that may not read the answer; "" for other requests. A page of
// the server itself may.
func (o Origins) Refused(r *http.Request) string {
	origin := r.Header.Get("Origin")
	u, err := url.Parse(origin)
	if o.Allow(origin) || r.Header.Get("Sec-Fetch-Site") == "same-origin" || err == nil && u.Host == r.Host {
		return ""
	}
	return origin
}

// WantedHeaders returns the requested headers that a page may set: all valid ones but those of proxies.
func WantedHeaders(requested string) string {
	const most = 64
	var wanted []string
	for name := range strings.SplitSeq(requested, ",") {
		name = strings.ToLower(strings.Trim(name, " \t"))
		if len(wanted) < most && httpguts.ValidHeaderFieldName(name) && !isServerHeader(name) {
			wanted = append(wanted, name)
		}
	}
	return strings.Join(wanted, ",")
}

// isServerHeader reports whether a header, in lower case, is for communication between servers.
func isServerHeader(name string) bool {
	return name == "forwarded" || name == "x-real-ip" || name == "x-gateway-hops" || name == "x-gateway-chain" ||
		strings.HasPrefix(name, "x-forwarded-")
}
