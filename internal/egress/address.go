package egress

import (
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
)

// refused are the networks that no client connects to unless the operator names them.
var refused = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),          // "this host": the system connects to its own loopback
	netip.MustParsePrefix("169.254.0.0/16"),     // link-local; the metadata of AWS, Azure, Google, Oracle and others
	netip.MustParsePrefix("100.100.100.200/32"), // the metadata of Alibaba
	netip.MustParsePrefix("168.63.129.16/32"),   // the host of an Azure machine
	netip.MustParsePrefix("192.0.0.192/32"),     // the metadata of Oracle's older machines
	netip.MustParsePrefix("::/128"),             // like 0.0.0.0
	netip.MustParsePrefix("fe80::/10"),          // link-local
	netip.MustParsePrefix("fd00:ec2::/32"),      // the metadata of AWS
	netip.MustParsePrefix("fd20:ce::254/128"),   // the metadata of Google
	netip.MustParsePrefix("fd00:42::42/128"),    // the metadata of Scaleway
	netip.MustParsePrefix("224.0.0.0/4"),        // multicast
	netip.MustParsePrefix("ff00::/8"),           // multicast
	netip.MustParsePrefix("64:ff9b:1::/48"),     // NAT64 of a network's own, which leads to any address in it
	netip.MustParsePrefix("2001::/32"),          // Teredo, which leads to IPv4 through others
	netip.MustParsePrefix("2002::/16"),          // 6to4
	netip.MustParsePrefix("::ffff:0:0:0/96"),    // IPv4 translated by SIIT
}

// inner are the networks, beside the refused ones, that are not of the internet.
var inner = []netip.Prefix{
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("::1/128"),
	netip.MustParsePrefix("fc00::/7"), netip.MustParsePrefix("fec0::/10"),
}

// embedded are the networks with an IPv4 address in the last four bytes of each address.
var embedded = []netip.Prefix{
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("::/96"),        // IPv4-compatible
}

// Refused reports whether addr is an address that clients refuse to connect to, in whichever way it is written: IPv4
// within IPv6, or with a zone.
func Refused(addr netip.Addr) bool { return in(refused, plain(addr)) }

// Inner reports whether the host of a URL is on this machine or in a network that is not the internet, as far as its
// name says so. That of addresses in allowed is not, and with loopback among them neither is a name. Forms that only
// some programs read as an address are inner.
func Inner(host string, allowed ...netip.Prefix) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = plain(addr)
		return (in(refused, addr) || in(inner, addr)) && !in(allowed, addr)
	}
	if in(allowed, netip.AddrFrom4([4]byte{127, 0, 0, 1})) {
		return false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	dot := strings.LastIndexByte(host, '.')
	switch last := host[dot+1:]; {
	case dot < 0, last == "localhost", last == "local", last == "internal":
		return true
	case strings.Trim(last, "0123456789") == "", strings.HasPrefix(last, "0x"): // IPv4 as inet_aton reads it
		return true
	}
	return strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) // may be mapped to an address
}

// plain returns addr without its zone, which no prefix contains, and the IPv4 address where it leads to one.
func plain(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if addr.Is6() && in(embedded, addr) && addr != netip.IPv6Unspecified() && addr != netip.IPv6Loopback() {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

func in(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}
