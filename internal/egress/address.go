package egress

import (
	"net/netip"
	"slices"
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
}

// embedded are the networks whose addresses lead to the IPv4 address in their last four bytes.
var embedded = []netip.Prefix{
	netip.MustParsePrefix("64:ff9b::/96"), // NAT64
	netip.MustParsePrefix("::/96"),        // IPv4-compatible
}

// Refused reports whether addr is an address that clients refuse to connect to, in whichever way it is written: IPv4 within IPv6, or with a
// zone.
func Refused(addr netip.Addr) bool { return in(refused, plain(addr)) }

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
