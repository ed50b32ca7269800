package edge

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
)

// Origins say which pages may call a server from a browser.
type Origins struct {
	// Names are exact origins, or "*" for all of them. Nil means the origins of this machine.
	Names []string
}

// foreignPage is what a page is told that may not call.
const foreignPage = "Pages of this origin may not call the gateway."

// Allow reports whether pages of origin may call. The origin null is nobody's: a page gets it by hiding its own.
func (o Origins) Allow(origin string) bool {
	if origin == "" || origin == "null" {
		return false
	}
	if o.Names != nil {
		return slices.Contains(o.Names, origin) || slices.Contains(o.Names, "*")
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && origin == u.Scheme+"://"+u.Host && Loopback(u.Hostname())
}

// Credentials reports whether answers may be read by pages that send credentials of the browser's. Where all origins
// are allowed none of them is trusted so far.
func (o Origins) Credentials() bool { return !slices.Contains(o.Names, "*") }

// Check returns an error with the code forbidden if a browser has sent r, which changes something, for a page that may not call. Other
// clients do not say for whom they ask, and are let through.
func (o Origins) Check(r *http.Request) error {
	var browsers http.CrossOriginProtection
	if browsers.Check(r) == nil {
		return nil
	}
	origin := r.Header.Get("Origin")
	// A POST without a type needs no preflight. Browsers would send it with their credentials, which pages of just any origin must not use.
	trusted := o.Credentials() || r.Method != http.MethodPost || r.Header.Get("Content-Type") != ""
	if o.Allow(origin) && trusted {
		return nil
	}
	return &errcode.Error{Code: errcode.Forbidden, Text: foreignPage}
}

// WantedHeaders returns which of the headers that a preflight asks for a page may set: all but those by which proxies
// and other gateways say for whom they ask. Names that no header can have are left out.
func WantedHeaders(asked string) string {
	const most = 64
	var wanted []string
	for name := range strings.SplitSeq(asked, ",") {
		name = strings.ToLower(strings.Trim(name, " \t"))
		if len(wanted) < most && validName(name) && !ofServers(name) {
			wanted = append(wanted, name)
		}
	}
	return strings.Join(wanted, ",")
}

// ofServers reports whether a header, in lower case, is one by which servers tell each other something.
func ofServers(name string) bool {
	return name == "forwarded" || name == "x-real-ip" || name == "x-gateway-hops" || name == "x-gateway-chain" || strings.HasPrefix(name, "x-forwarded-")
}

// validName reports whether a text can be the name of a header.
func validName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
