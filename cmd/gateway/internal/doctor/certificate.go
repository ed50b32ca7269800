package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"
)

// expirySoon is the time before expiry when a warning starts.
const expirySoon = 14 * 24 * time.Hour

// Certificate returns the check of the server's certificate. It answers for hosts, of which * is any.
func Certificate(certFile, keyFile string, hosts []string) Check {
	return check("certificate", "", func(_ context.Context, c Check) []Finding {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return c.wrong("Certificate and key cannot be used together: "+causeOf(err)+".",
				"Name the files of one pair in PEM with -tls-cert and -tls-key, the certificate with those that "+
					"vouch for it.")
		}
		leaf, now := pair.Leaf, time.Now()
		until := leaf.NotAfter.UTC().Format(time.DateOnly)
		switch {
		case now.After(leaf.NotAfter):
			return c.wrong("The certificate has expired on "+until+".",
				"Renew it; a running gateway takes up the new files by itself.")
		case now.Before(leaf.NotBefore):
			return c.wrong("The certificate is not good before "+leaf.NotBefore.UTC().Format(time.DateOnly)+".",
				"Wait until then, or look at this machine's clock.")
		case leaf.NotAfter.Sub(now) < expirySoon:
			return c.warning(fmt.Sprintf("The certificate expires in %d days, on %s.",
				int(leaf.NotAfter.Sub(now).Hours()/24), until),
				"Renew it; a running gateway takes up the new files by itself.")
		}
		if missing := uncoveredNames(leaf, hosts); len(missing) > 0 {
			return c.warning("The certificate is not good for "+strings.Join(missing, ", ")+
				", which -hosts names; it is for "+someOf(namesOf(leaf))+".",
				"Have one made out to these names, or remove them from -hosts.")
		}
		return c.ok("The certificate for " + someOf(namesOf(leaf)) + " is good until " + until + ".")
	})
}

// uncoveredNames are the hosts that the certificate is not made out to.
func uncoveredNames(leaf *x509.Certificate, hosts []string) []string {
	var missing []string
	for _, host := range hosts {
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = h
		}
		if name != "*" && leaf.VerifyHostname(strings.Trim(name, "[]")) != nil {
			missing = append(missing, host)
		}
	}
	return missing
}

// namesOf are the names and addresses that a certificate is made out to.
func namesOf(leaf *x509.Certificate) []string {
	names := append([]string{}, leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}
