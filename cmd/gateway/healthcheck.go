package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// healthTimeout is less than the three seconds container probes are commonly given.
const healthTimeout = 2 * time.Second

func healthcheck(ctx context.Context, c *config, stdout, _ io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	response, err := askThis(ctx, http.MethodGet, c.scheme()+probeAddress(c.addr)+"/readyz")
	if err != nil {
		return fmt.Errorf("not ready: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	_, err = fmt.Fprintln(stdout, "ready")
	return err
}

// probeAddress returns the address at which a server that listens on addr is reached from its own machine.
func probeAddress(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "":
		host = "127.0.0.1"
	case err == nil && ip.IsUnspecified() && ip.Is4():
		host = "127.0.0.1"
	case err == nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// askThis sends a request to a server of this machine. The caller closes the body.
func askThis(ctx context.Context, method, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, errors.New("not an address that can be asked")
	}
	// The client uses no proxy, because the server is on this machine.
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		// The certificate has other names than this address, and an expired one must not cause a restart.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}}
	return client.Do(request)
}
