package egress

import (
	"net/netip"
	"net/url"
)

// CheckFileURL checks the URL of a file that a caller or another server has sent. A model's server may fetch it. The
// URL is nil if text is none, and the problem is empty if a conversation may have the file. The URL has to lead to the
// internet or to one of the allowed networks, by https, or by http to this machine.
func CheckFileURL(text string, allowed ...netip.Prefix) (u *url.URL, problem string) {
	const longest = 8 << 10
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > longest:
		return nil, "has a URL that is none"
	case u.User != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return u, "has a URL that is not https"
	case Inner(u.Hostname(), allowed...):
		return u, "has a URL of this machine or of a private network"
	}
	return u, ""
}

// loopback reports whether a URL's host is this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
