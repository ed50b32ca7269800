package main

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/internal/egress"
)

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

// setAllowed takes addresses and networks that are reached although they are link-local or a cloud's metadata.
func (c *config) setAllowed(value string) error {
	var allowed []netip.Prefix
	for text := range strings.SplitSeq(value, ",") {
		network, err := network(strings.TrimSpace(text))
		if err != nil {
			return errors.New("not an address or a network; write such as 169.254.169.254 or fd00:ec2::/32, with " +
				"commas between")
		}
		allowed = append(allowed, network)
	}
	c.http, c.options.AllowAddresses = egress.New(allowed...), allowed
	c.model.HTTP, c.options.Webhook.Client, c.auth.jwt.Client = c.http, c.http, c.http
	return nil
}

// network reads a network, or an address as the network that has only it.
func network(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		return p.Masked(), err
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, errors.New("not an address")
	}
	addr = addr.Unmap()
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}
