package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// ErrRefused is in the error of a request to an address that is refused, and ErrRedirect in that of one that was
// redirected to another host.
var (
	ErrRefused  = errors.New("egress: a link-local or metadata address, which is refused")
	ErrRedirect = errors.New("egress: redirected to another host, which is not followed")
)

// NeverSent reports whether the server cannot have seen a request that failed with err, because there was no connection
// to it.
func NeverSent(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial" || errors.Is(err, ErrRefused)
}

// maxHeaders is how many bytes the headers of an answer may have.
const maxHeaders = 256 << 10

// maxRedirects is how many redirects of one host are followed.
const maxRedirects = 10

// New returns a client that refuses what the package says, except for the addresses in allowed. It is safe for
// concurrent use. It does not share connections: the caller closes idle ones when done.
func New(allowed ...netip.Prefix) *http.Client { return newClient(nil, allowed) }

// newClient is New with a resolver of names; nil means the system's.
func newClient(resolver *net.Resolver, allowed []netip.Prefix) *http.Client {
	g := guard{allowed}
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, ControlContext: g.control,
		Resolver: resolver}
	const idle = 100
	return &http.Client{
		CheckRedirect: sameHost,
		Transport: &http.Transport{
			Proxy:                  g.proxy,
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           idle,
			MaxIdleConnsPerHost:    idle, // most clients have one host
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			ExpectContinueTimeout:  time.Second,
			MaxResponseHeaderBytes: maxHeaders,
			WriteBufferSize:        1 << 10, // each open run has a connection: 5 KB less than by default cost no time
			ReadBufferSize:         2 << 10,
		},
	}
}

// A guard decides which addresses may be connected to.
type guard struct{ allowed []netip.Prefix }

// check returns an error for an address that is refused.
func (g guard) check(addr netip.Addr) error {
	if Refused(addr) && !in(g.allowed, plain(addr)) {
		return fmt.Errorf("%w: %s", ErrRefused, addr)
	}
	return nil
}

// control is called with each address that a connection is about to be made to, after names were resolved.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return g.check(at.Addr())
}

// proxy returns the proxy of r, as the environment names it. It refuses addresses in URLs, because a proxy would
// connect to them.
func (g guard) proxy(r *http.Request) (*url.URL, error) {
	if addr, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
		if err := g.check(addr); err != nil {
			return nil, err
		}
	}
	return http.ProxyFromEnvironment(r)
}

// sameHost follows a redirect to the host that was asked first, by the same scheme or a safer one.
func sameHost(r *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case !strings.EqualFold(r.URL.Host, first.Host), r.URL.Scheme != first.Scheme && r.URL.Scheme != "https":
		return ErrRedirect
	case len(before) > maxRedirects:
		return errors.New("egress: too many redirects")
	}
	return nil
}
