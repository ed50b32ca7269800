package main

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/internal/egress"
)

// items reads items with commas between. The error is problem if parse refuses one.
func items[T any](p *[]T, problem string, parse func(string) (T, bool)) func(string) error {
	return func(value string) error {
		var list []T
		for text := range strings.SplitSeq(value, ",") {
			item, ok := parse(strings.TrimSpace(text))
			if !ok {
				return errors.New(problem)
			}
			list = append(list, item)
		}
		*p = list
		return nil
	}
}

func hosts(p *[]string) func(string) error {
	const problem = "not a list of host names; write such as gateway.example, without scheme and port, with commas " +
		"between, or *"
	return items(p, problem, func(name string) (string, bool) {
		name = strings.ToLower(name)
		_, notIP := netip.ParseAddr(name)
		u, err := url.Parse("http://" + name)
		return name, name == "*" || notIP == nil || err == nil && name != "" && u.Host == name && u.Port() == "" &&
			!strings.ContainsAny(name, "*:[]@ ") && !strings.HasSuffix(name, ".")
	})
}

// origins reads exact origins as browsers send them, or *.
func origins(p *[]string) func(string) error {
	const problem = "not an origin; write scheme://host or scheme://host:port in lower case, nothing behind it, with " +
		"commas between, or *"
	return items(p, problem, func(origin string) (string, bool) {
		u, err := url.Parse(origin)
		return origin, origin == "*" ||
			err == nil && u.Host != "" && origin == strings.ToLower(u.Scheme+"://"+u.Host)
	})
}

// networks reads addresses and networks of proxies, with commas between.
func networks(p *[]netip.Prefix) func(string) error {
	const problem = "not a list of networks; write such as 10.0.0.0/8 or 192.0.2.1, with commas between"
	return func(value string) error {
		var list []netip.Prefix
		if err := items(&list, problem, network)(value); err != nil {
			return err
		}
		for _, n := range list {
			if n.Bits() == 0 {
				return errors.New("a network of all addresses would let every client invent its own; name those of " +
					"the proxies")
			}
		}
		*p = list
		return nil
	}
}

// setAllowed takes addresses and networks that are reached although they are link-local or a cloud's metadata.
func (c *config) setAllowed(value string) error {
	const problem = "not an address or a network; write such as 169.254.169.254 or fd00:ec2::/32, with commas between"
	whole := func(text string) (netip.Prefix, bool) { // an address with a zone is of one machine's network
		n, ok := network(text)
		return n, ok && !strings.Contains(text, "%")
	}
	if err := items(&c.options.AllowAddresses, problem, whole)(value); err != nil {
		return err
	}
	c.http = egress.New(c.options.AllowAddresses...)
	c.model.HTTP, c.options.Webhook.Client, c.auth.jwt.Client = c.http, c.http, c.http
	return nil
}

// network reads a network, or an address without its zone as the network that has only it.
func network(text string) (netip.Prefix, bool) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked(), true
	}
	address, err := netip.ParseAddr(text)
	address = address.Unmap()
	return netip.PrefixFrom(address, address.BitLen()), err == nil
}

// webhookSecret is the variable that signs what the webhook sends. There is no flag: others can read command lines.
const webhookSecret = "GATEWAY_INTERRUPT_WEBHOOK_SECRET"

// setWebhook takes the URL of a receiver, which may hold a secret.
func (c *config) setWebhook(value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("not a URL of a receiver; write http://host/path or https://host/path")
	}
	secret, _ := c.env(webhookSecret)
	if secret == "" {
		return errors.New("what it sends has to be signed; set " + webhookSecret)
	}
	c.options.Webhook.URL, c.options.Webhook.Secret = value, secret
	return nil
}
