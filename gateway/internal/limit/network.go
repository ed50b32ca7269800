package limit

import "net/netip"

// Network returns the owner of a client's address. For IPv6 it is the /64 network, because one machine usually has all
// of its addresses. All clients without an address are one owner.
func Network(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if !address.Is6() {
		return address.String()
	}
	network, err := address.Prefix(64)
	if err != nil {
		return address.String()
	}
	return network.String()
}
