package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

const (
	// certificateLook is the interval of checking a certificate's files.
	certificateLook = 10 * time.Second
	// expiryNotice is the time before its expiry when warnings start, one per expiryRepeat.
	expiryNotice = 14 * 24 * time.Hour
	expiryRepeat = 24 * time.Hour
)

// A certificate is a server certificate that is loaded from files. It is safe for concurrent use while watch runs.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	pair              atomic.Pointer[tls.Certificate]

	// The fields below are watch's.
	cert, key []byte // what the files had when they were read last, whether it was good or not
	warned    time.Time
}

func loadCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if _, err := c.read(); err != nil {
		return nil, fmt.Errorf("-tls-cert, -tls-key (GATEWAY_TLS_CERT, GATEWAY_TLS_KEY): %w", err)
	}
	c.logLoaded()
	return c, nil
}

// tlsConfig returns the configuration of a server that has the certificate as its files had it last.
func (c *certificate) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.pair.Load(), nil },
	}
}

func (c *certificate) watch(ctx context.Context) {
	tick := time.NewTicker(certificateLook)
	defer tick.Stop()
	for {
		c.warnOfExpiry()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		changed, err := c.read()
		switch {
		case err != nil && changed:
			c.log.Error("tls: the changed certificate cannot be used, and the one before it stays", "cert", c.certFile,
				"key", c.keyFile, "error", err)
		case changed:
			c.logLoaded()
			c.warned = time.Time{}
		}
	}
}

// read loads the files and reports whether they differ from the last version. It ignores an invalid pair.
func (c *certificate) read() (changed bool, err error) {
	cert, certErr := os.ReadFile(c.certFile)
	key, keyErr := os.ReadFile(c.keyFile)
	if c.pair.Load() != nil && bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key) {
		return false, nil
	}
	c.cert, c.key = cert, key
	if err := errors.Join(certErr, keyErr); err != nil {
		return true, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return true, err
	}
	c.pair.Store(&pair)
	return true, nil
}

// logLoaded logs which certificate is used from now on.
func (c *certificate) logLoaded() {
	leaf := c.pair.Load().Leaf
	c.log.Info("tls: certificate loaded", "cert", c.certFile, "names", leaf.DNSNames, "not_after", leaf.NotAfter)
}

// warnOfExpiry logs, once a day, that the certificate ends soon or has ended.
func (c *certificate) warnOfExpiry() {
	end := c.pair.Load().Leaf.NotAfter
	if time.Until(end) > expiryNotice || time.Since(c.warned) < expiryRepeat {
		return
	}
	c.warned = time.Now()
	if time.Until(end) > 0 {
		c.log.Warn("tls: the certificate expires soon", "cert", c.certFile, "not_after", end)
	} else {
		c.log.Error("tls: the certificate has expired", "cert", c.certFile, "not_after", end)
	}
}
