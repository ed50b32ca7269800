package limit

import "net/netip"

// Network returns the name under which a client's address is counted. In IPv6 it is the network of 64 bits, because one
// machine usually has all its addresses. All clients without an address have one name.
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
