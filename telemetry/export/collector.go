package export

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
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

// ofCollector returns a part of the configuration of a signal's collector. A variable for the signal precedes the one
// for both.
func (v *values) ofCollector(signal, part string) set {
	return v.first(collectorVariable(signal, part), collectorVariable("", part))
}

// collector reads the destination of a signal.
func (v *values) collector(signal string) *collector {
	c := &collector{
		protocol: v.oneOf(v.ofCollector(signal, "PROTOCOL"), overHTTP, overGRPC),
		headers:  map[string]string{},
		timeout:  v.milliseconds(v.ofCollector(signal, "TIMEOUT"), 10*time.Second),
		gzip:     v.oneOf(v.ofCollector(signal, "COMPRESSION"), "none", "gzip") == "gzip",
	}
	headers := v.ofCollector(signal, "HEADERS")
	for _, pair := range v.pairs(headers) {
		control := func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f }
		if !httpguts.ValidHeaderFieldName(pair[0]) || strings.ContainsFunc(pair[1], control) {
			v.wrong(headers.name, errors.New("has a name or a value that no header can have"))
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
	at := v.ofCollector(signal, "ENDPOINT")
	if at.value == "" {
		at.value = map[string]string{overHTTP: "http://localhost:4318", overGRPC: "http://localhost:4317"}[protocol]
	}
	u, err := url.Parse(at.value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		v.wrong(at.name, errors.New("not the URL of a collector; write such as http://127.0.0.1:4318"))
		return nil
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		v.wrong(at.name, errors.New("has a user, a query or a fragment; credentials belong in "+
			collectorVariable("", "HEADERS")))
		return nil
	case protocol == overGRPC && strings.Trim(u.Path, "/") != "":
		v.wrong(at.name, errors.New("has a path, which gRPC has no use for; write such as http://127.0.0.1:4317, or "+
			"set "+collectorVariable("", "PROTOCOL")+"="+overHTTP))
		return nil
	case protocol == overHTTP && at.name == collectorVariable("", "ENDPOINT"):
		u = u.JoinPath("v1", strings.ToLower(signal))
	}
	return u
}

// certificates reads the files for authentication between a collector and its clients.
func (v *values) certificates(signal string, endpoint *url.URL) *tls.Config {
	ca, cert := v.ofCollector(signal, "CERTIFICATE"), v.ofCollector(signal, "CLIENT_CERTIFICATE")
	key := v.ofCollector(signal, "CLIENT_KEY")
	if ca.value+cert.value+key.value == "" {
		return nil
	}
	if endpoint.Scheme != "https" {
		v.wrong(collectorVariable(signal, "ENDPOINT"),
			errors.New("certificates are set, and this is not an https:// URL"))
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca.value != "" {
		pem, err := os.ReadFile(ca.value)
		if err != nil {
			v.wrong(ca.name, err)
			return nil
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			v.wrong(ca.name, errors.New("the file has no certificate in PEM"))
		}
	}
	switch {
	case cert.value != "" && key.value == "":
		v.wrong(cert.name, errors.New("a certificate needs its key; set "+collectorVariable("", "CLIENT_KEY")))
	case cert.value == "" && key.value != "":
		v.wrong(key.name, errors.New("a key needs its certificate; set "+collectorVariable("", "CLIENT_CERTIFICATE")))
	case cert.value != "":
		pair, err := tls.LoadX509KeyPair(cert.value, key.value)
		if err != nil {
			v.wrong(cert.name, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}
