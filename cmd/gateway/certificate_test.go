package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A pemPair is a certificate and its key in two files.
type pemPair struct{ cert, key string }

// newPair writes a certificate for a name, which vouches for itself.
func newPair(t *testing.T, name string, notAfter time.Time) pemPair {
	t.Helper()
	dir := t.TempDir()
	p := pemPair{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
	p.write(t, name, notAfter)
	return p
}

// write replaces the pair.
func (p pemPair) write(t *testing.T, name string, notAfter time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: notAfter.Add(-24 * 365 * time.Hour), NotAfter: notAfter,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	p.put(t, p.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	p.put(t, p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

func (pemPair) put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// trusting is a client that trusts only the certificate of the pair, under its name.
func (p pemPair) trusting(t *testing.T, name string) *http.Client {
	t.Helper()
	data, err := os.ReadFile(p.cert)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		t.Fatal("the certificate is none")
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: name}, ForceAttemptHTTP2: true, //nolint:gosec // the server's minimum is what counts
	}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// With a certificate the server speaks TLS and nothing else, HTTP/2 with its streams included, and is found well.
func TestTLS(t *testing.T) {
	t.Parallel()
	pair := newPair(t, "gateway.example", time.Now().Add(365*24*time.Hour))
	url, stop := startServer(t, "-tls-cert", pair.cert, "-tls-key", pair.key, "-hosts", "gateway.example", "-voice-delay", "0")
	client := pair.trusting(t, "gateway.example")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/agents/travel", strings.NewReader(input("t")))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "gateway.example"
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.ProtoMajor != 2 || !strings.Contains(string(body), `"RUN_FINISHED"`) {
		t.Errorf("a run by HTTP/%d = %s, %v", response.ProtoMajor, body, err)
	}
	if got := response.Header.Get("Strict-Transport-Security"); got == "" {
		t.Error("the browser is not told to use TLS from now on")
	}
	if status, _ := get(t, http.MethodGet, strings.Replace(url, "https://", "http://", 1)+"/readyz", ""); status != http.StatusBadRequest {
		t.Errorf("without TLS = %d, want 400", status)
	}
	address := strings.TrimPrefix(url, "https://")
	old := &tls.Dialer{Config: &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, InsecureSkipVerify: true}} //nolint:gosec // the refused versions
	if conn, err := old.DialContext(t.Context(), "tcp", address); err == nil {
		conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
	for _, env := range []map[string]string{{"GATEWAY_ADDR": address, "GATEWAY_TLS_CERT": pair.cert}} {
		var out, log bytes.Buffer
		if code := run(t.Context(), []string{"healthcheck"}, environment(env), &out, &log); code != exitOK || out.String() != "ready\n" {
			t.Errorf("healthcheck = %d, %s%s", code, &out, &log)
		}
	}
	if code, log := stop(); code != exitOK || !strings.Contains(log, "tls: certificate loaded") {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
}

// A pair that cannot be used stops the start with one line, and half a pair does so too.
func TestBadCertificates(t *testing.T) {
	t.Parallel()
	good, other := newPair(t, "a.example", time.Now().Add(time.Hour)), newPair(t, "b.example", time.Now().Add(time.Hour))
	text := writeFile(t, "text", "no certificate")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no key":         {[]string{"-tls-cert", good.cert}, "gateway: -tls-cert (GATEWAY_TLS_CERT): "},
		"no certificate": {[]string{"-tls-key", good.key}, "gateway: -tls-key (GATEWAY_TLS_KEY): "},
		"another's key":  {[]string{"-tls-cert", good.cert, "-tls-key", other.key}, "gateway: -tls-cert, -tls-key (GATEWAY_TLS_CERT, GATEWAY_TLS_KEY): "},
		"no file":        {[]string{"-tls-cert", good.cert + "x", "-tls-key", good.key}, "gateway: -tls-cert, -tls-key (GATEWAY_TLS_CERT, GATEWAY_TLS_KEY): "},
		"text":           {[]string{"-tls-cert", text, "-tls-key", text}, "gateway: -tls-cert, -tls-key (GATEWAY_TLS_CERT, GATEWAY_TLS_KEY): "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, log bytes.Buffer
			code := run(t.Context(), append([]string{"-addr", "127.0.0.1:0", "-log-level", "error"}, test.args...), environment(nil), &out, &log)
			if code != exitError || !strings.HasPrefix(log.String(), test.want) || strings.Count(log.String(), "\n") != 1 {
				t.Errorf("run() = %d, %s\nwant one line that begins with %s", code, &log, test.want)
			}
		})
	}
}

// A tlsLog is what a certificate has logged.
type tlsLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *tlsLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the messages since the last call.
func (l *tlsLog) take(t *testing.T) (messages []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(l.b.Bytes()) {
		var m struct{ Msg string }
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		messages = append(messages, m.Msg)
	}
	l.b.Reset()
	return messages
}

// shown returns the name in the certificate that a client is shown.
func shown(t *testing.T, c *certificate) string {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	defer server.Close()
	done := make(chan error, 1)
	go func() { done <- tls.Server(server, c.tlsConfig()).HandshakeContext(t.Context()) }()
	conn := tls.Client(client, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // which certificate it is, is the question
	if err := conn.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return conn.ConnectionState().PeerCertificates[0].DNSNames[0]
}

// A changed pair is loaded without a restart. One that is broken, half written or missing is ignored, and each change
// is logged once.
func TestACertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		year := time.Now().Add(365 * 24 * time.Hour)
		pair := newPair(t, "one.example", year)
		log := &tlsLog{}
		c, err := loadCertificate(pair.cert, pair.key, slog.New(slog.NewJSONHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() { c.watch(ctx) })
		defer watching.Wait()
		defer cancel()
		const loaded, broken = "tls: certificate loaded", "tls: the changed certificate cannot be used, and the one before it stays"
		look := func(step, name string, messages ...string) {
			t.Helper()
			time.Sleep(3 * certificateLook)
			synctest.Wait()
			if got := shown(t, c); got != name {
				t.Errorf("%s: the certificate is that of %s, want %s", step, got, name)
			}
			if got := log.take(t); strings.Join(got, "\n") != strings.Join(messages, "\n") {
				t.Errorf("%s: the log has %q, want %q", step, got, messages)
			}
		}
		look("at first", "one.example", loaded)
		pair.write(t, "two.example", year)
		look("renewed", "two.example", loaded)
		look("nothing new", "two.example")
		pair.put(t, pair.cert, []byte("no certificate"))
		look("broken", "two.example", broken)
		if err := os.Remove(pair.key); err != nil {
			t.Fatal(err)
		}
		look("gone", "two.example", broken)
		next := newPair(t, "three.example", year)
		cert, err := os.ReadFile(next.cert)
		if err != nil {
			t.Fatal(err)
		}
		pair.put(t, pair.cert, cert)
		look("half written", "two.example", broken)
		key, err := os.ReadFile(next.key)
		if err != nil {
			t.Fatal(err)
		}
		pair.put(t, pair.key, key)
		look("written", "three.example", loaded)
	})
}

// An expiring certificate is logged in time, once a day.
func TestACertificateThatExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pair := newPair(t, "one.example", time.Now().Add(expiryNotice+time.Hour))
		log := &tlsLog{}
		c, err := loadCertificate(pair.cert, pair.key, slog.New(slog.NewJSONHandler(log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() { c.watch(ctx) })
		defer watching.Wait()
		defer cancel()
		const loaded, soon, expired = "tls: certificate loaded", "tls: the certificate expires soon", "tls: the certificate has expired"
		after := func(d time.Duration, want ...string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := log.take(t); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("the log has %q, want %q", got, want)
			}
		}
		after(59*time.Minute, loaded)
		after(2*time.Minute, soon)
		pair.write(t, "one.example", time.Now().Add(36*time.Hour))
		after(time.Minute, loaded, soon)
		after(24*time.Hour, soon)
		after(24*time.Hour, expired)
		pair.write(t, "one.example", time.Now().Add(365*24*time.Hour))
		after(25*time.Hour, loaded)
	})
}
