package export

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// signals are the parts of the names of the collector's variables: those for both signals, and those for one.
var signals = []string{"", "TRACES", "METRICS"}

// collectorParts are the parts of a collector's configuration in variables.
var collectorParts = []string{"ENDPOINT", "PROTOCOL", "HEADERS", "TIMEOUT", "COMPRESSION", "CERTIFICATE",
	"CLIENT_CERTIFICATE", "CLIENT_KEY"}

// collectorVariable returns the variable for part of the collector of a signal; without a signal, for both signals.
func collectorVariable(signal, part string) string {
	if signal == "" {
		return "OTEL_EXPORTER_OTLP_" + part
	}
	return "OTEL_EXPORTER_OTLP_" + signal + "_" + part
}

// Protocols of OTLP.
const (
	overHTTP = "http/protobuf"
	overGRPC = "grpc"
)

type collector struct {
	protocol string
	endpoint *url.URL
	headers  map[string]string
	timeout  time.Duration // of one request
	gzip     bool
	tls      *tls.Config // nil: the system's certificates, and none of our own
}

// collector reads the destination of a signal. A variable for the signal precedes the one for both.
func (v *values) collector(signal string) *collector {
	read := func(part string) (name, value string) {
		return v.first(collectorVariable(signal, part), collectorVariable("", part))
	}
	c := &collector{headers: map[string]string{}}
	name, value := read("PROTOCOL")
	c.protocol = v.oneOf(name, value, overHTTP, overGRPC)
	name, value = read("TIMEOUT")
	c.timeout = v.milliseconds(name, value, 10*time.Second)
	name, value = read("COMPRESSION")
	c.gzip = v.oneOf(name, value, "none", "gzip") == "gzip"
	name, value = read("HEADERS")
	for _, pair := range v.pairs(name, value) {
		if !goodHeader(pair[0], pair[1]) {
			v.wrong(name, errors.New("has a name or a value that no header can have"))
		}
		c.headers[pair[0]] = pair[1]
	}
	c.endpoint = v.endpoint(signal, c.protocol)
	if c.endpoint != nil {
		c.tls = v.certificates(signal, c.endpoint)
	}
	return c
}

// endpoint reads the URL of a signal. That for both signals is a base to which OTLP over HTTP adds the signal's path.
func (v *values) endpoint(signal, protocol string) *url.URL {
	specific, general := collectorVariable(signal, "ENDPOINT"), collectorVariable("", "ENDPOINT")
	name, value := v.first(specific, general)
	if value == "" {
		value = "http://localhost:4318"
		if protocol == overGRPC {
			value = "http://localhost:4317"
		}
	}
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		v.wrong(name, errors.New("not the URL of a collector; write such as http://127.0.0.1:4318"))
		return nil
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		v.wrong(name, errors.New("has a user, a query or a fragment; credentials belong in "+
			collectorVariable("", "HEADERS")))
		return nil
	case protocol == overGRPC && strings.Trim(u.Path, "/") != "":
		v.wrong(name, errors.New("has a path, which gRPC has no use for; write such as http://127.0.0.1:4317, or set "+
			collectorVariable("", "PROTOCOL")+"="+overHTTP))
		return nil
	case protocol == overHTTP && name == general:
		u = u.JoinPath("v1", strings.ToLower(signal))
	}
	return u
}

// certificates reads the files for authentication between a collector and its clients.
func (v *values) certificates(signal string, endpoint *url.URL) *tls.Config {
	file := func(part string) (name, path string) {
		return v.first(collectorVariable(signal, part), collectorVariable("", part))
	}
	caName, ca := file("CERTIFICATE")
	certName, cert := file("CLIENT_CERTIFICATE")
	keyName, key := file("CLIENT_KEY")
	if ca == "" && cert == "" && key == "" {
		return nil
	}
	if endpoint.Scheme != "https" {
		v.wrong(collectorVariable(signal, "ENDPOINT"),
			errors.New("certificates are set, and this is not an https:// URL"))
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			v.wrong(caName, err)
			return nil
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			v.wrong(caName, errors.New("the file has no certificate in PEM"))
		}
	}
	switch {
	case cert != "" && key == "":
		v.wrong(certName, errors.New("a certificate needs its key; set "+collectorVariable("", "CLIENT_KEY")))
	case cert == "" && key != "":
		v.wrong(keyName, errors.New("a key needs its certificate; set "+collectorVariable("", "CLIENT_CERTIFICATE")))
	case cert != "":
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			v.wrong(certName, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

func goodHeader(name, value string) bool {
	token := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}
	for _, r := range name {
		if !token(r) {
			return false
		}
	}
	return http.CanonicalHeaderKey(name) != "" &&
		!strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f })
}
