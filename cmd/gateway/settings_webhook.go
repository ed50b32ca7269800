package main

import (
	"errors"
	"net/url"
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
