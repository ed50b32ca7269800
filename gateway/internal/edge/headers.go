package edge

import (
	"net/http"
	"net/netip"
)

// Harden sets the headers that keep browsers from reinterpreting the response to r. Handlers of pages set others.
func Harden(h http.Header, r *http.Request) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// Pages of the origins that may call read answers by CORS, which this does not concern.
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if r.TLS != nil && public(hostname(r.Host)) {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// HeaderSize returns how many bytes the line and the headers of r take if they are written in the form of HTTP/1.1.
func HeaderSize(r *http.Request) int {
	const line = len("  HTTP/1.1\r\n")
	const field = len(": \r\n")
	n := len(r.Method) + len(r.RequestURI) + line
	n += len("Host") + len(r.Host) + field
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + field
		}
	}
	return n
}

// public reports whether browsers may remember that a host has TLS: not for localhost and IP addresses.
func public(name string) bool {
	_, err := netip.ParseAddr(name)
	return err != nil && !Loopback(name)
}
