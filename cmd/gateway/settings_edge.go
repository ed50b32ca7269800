package main

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

func hosts(p *[]string) func(string) error {
	return func(value string) error {
		var list []string
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			_, err := netip.ParseAddr(name)
			u, bad := url.Parse("http://" + name)
			if name != "*" && err != nil &&
				(bad != nil || name == "" || u.Host != name || u.Port() != "" || strings.ContainsAny(name, "*:[]@ ") ||
					strings.HasSuffix(name, ".")) {
				return errors.New("not a list of host names; write such as gateway.example, without scheme and " +
					"port, with commas between, or *")
			}
			list = append(list, name)
		}
		*p = list
		return nil
	}
}

// networks reads addresses and networks, with commas between.
func networks(p *[]netip.Prefix) func(string) error {
	return func(value string) error {
		var list []netip.Prefix
		for text := range strings.SplitSeq(value, ",") {
			network, err := parseNetwork(strings.TrimSpace(text))
			if err != nil {
				return errors.New("not a list of networks; write such as 10.0.0.0/8 or 192.0.2.1, with commas between")
			}
			if network.Bits() == 0 {
				return errors.New("a network of all addresses would let every client invent its own; name those of " +
					"the proxies")
			}
			list = append(list, network)
		}
		*p = list
		return nil
	}
}

// parseNetwork reads a network, or an address as the network of itself.
func parseNetwork(text string) (netip.Prefix, error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	address = address.Unmap()
	return netip.PrefixFrom(address, address.BitLen()), nil
}
