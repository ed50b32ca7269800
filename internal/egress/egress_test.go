package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		addr string
		want bool
	}{
		{"169.254.169.254", true}, {"169.254.170.2", true}, {"169.254.0.0", true}, {"169.254.255.255", true},
		{"100.100.100.200", true}, {"168.63.129.16", true}, {"192.0.0.192", true},
		{"0.0.0.0", true}, {"0.0.0.1", true}, {"::", true},
		{"fe80::1", true}, {"fe80::a9fe:a9fe%eth0", true}, {"febf::1", true},
		{"fd00:ec2::254", true}, {"fd00:ec2::23", true}, {"fd20:ce::254", true},
		{"::ffff:169.254.169.254", true}, {"::ffff:0.0.0.0", true}, {"::ffff:169.254.169.254%eth0", true},
		{"::169.254.169.254", true}, {"64:ff9b::169.254.169.254", true},
		{"64:ff9b:1::a9fe:a9fe", true}, {"2002:a9fe:a9fe::", true}, {"2001::1", true}, {"::ffff:0:169.254.169.254", true}, {"fd00:42::42", true},
		{"224.0.0.1", true}, {"239.255.255.250", true}, {"ff02::1", true},

		{"127.0.0.1", false}, {"::1", false}, {"::ffff:127.0.0.1", false}, {"10.0.0.1", false}, {"192.168.1.1", false}, {"172.16.0.1", false},
		{"169.253.255.255", false}, {"169.255.0.0", false}, {"100.100.100.201", false}, {"192.0.2.1", false}, {"192.0.0.193", false},
		{"fec0::1", false}, {"fd00:ec3::254", false}, {"fd20:ce::255", false}, {"2001:db8::1", false}, {"64:ff9b::192.0.2.1", false},
	}
	for _, tt := range tests {
		if got := Refused(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("Refused(%s) = %v, want %v", tt.addr, got, tt.want)
		}
	}
}

// TestClientsReachNoRefusedAddress asks a listener under addresses that the system connects to it by: it must not be
// reached by those that are refused, however they are written and whichever name is resolved to them.
func TestClientsReachNoRefusedAddress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		host    string
		names   map[string][]string // what a name resolves to, one address after the other
		allowed string
		want    bool // the listener is reached
	}{
		{"an address of this machine", "127.0.0.1", nil, "", true},
		{"no address at all", "0.0.0.0", nil, "", false},
		{"the same within IPv6", "[::ffff:0.0.0.0]", nil, "", false},
		{"a name", "tools.test", map[string][]string{"tools.test.": {"127.0.0.1"}}, "", true},
		{"a name of a refused address", "metadata.test", map[string][]string{"metadata.test.": {"0.0.0.0"}}, "", false},
		{"a refused address that is allowed", "0.0.0.0", nil, "0.0.0.0/32", true},
		{"its name", "metadata.test", map[string][]string{"metadata.test.": {"0.0.0.0"}}, "0.0.0.0/32", true},
		{"another that is allowed", "0.0.0.0", nil, "169.254.169.254/32", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var reached counter
			server := httptest.NewServer(&reached)
			t.Cleanup(server.Close)
			var allowed []netip.Prefix
			if tt.allowed != "" {
				allowed = append(allowed, netip.MustParsePrefix(tt.allowed))
			}
			client := newClient((&names{addresses: tt.names}).resolver(), allowed)
			t.Cleanup(client.CloseIdleConnections)
			_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
			err := get(t, client, "http://"+tt.host+":"+port+"/latest/meta-data")
			if tt.want && err != nil || !tt.want && !errors.Is(err, ErrRefused) {
				t.Errorf("Get() = %v, want reached: %v", err, tt.want)
			}
			if got := reached.count() == 1; got != tt.want {
				t.Errorf("the listener was reached: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestANameThatIsResolvedAnew is checked again: what it was before counts for nothing.
func TestANameThatIsResolvedAnew(t *testing.T) {
	t.Parallel()
	var reached counter
	server := httptest.NewServer(&reached)
	t.Cleanup(server.Close)
	n := &names{addresses: map[string][]string{"rebound.test.": {"127.0.0.1", "0.0.0.0"}}}
	client := newClient(n.resolver(), nil)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for i, want := range []error{nil, ErrRefused} {
		if err := get(t, client, "http://rebound.test:"+port); !errors.Is(err, want) {
			t.Errorf("request %d: %v, want %v", i, err, want)
		}
		client.CloseIdleConnections()
	}
	if got := reached.count(); got != 1 {
		t.Errorf("the listener was reached %d times, want once", got)
	}
}

// TestRedirectsStayOnTheirHost follows those to the same host, and no other: its headers are not for others, and no
// operator has chosen their addresses.
func TestRedirectsStayOnTheirHost(t *testing.T) {
	t.Parallel()
	var reached counter
	elsewhere := httptest.NewServer(&reached)
	t.Cleanup(elsewhere.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/circle":
			http.Redirect(w, r, "/circle", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(server.Close)
	client := New()
	t.Cleanup(client.CloseIdleConnections)
	if err := get(t, client, server.URL+"/here"); err != nil {
		t.Errorf("to the same host: %v", err)
	}
	if err := get(t, client, server.URL+"/away"); !errors.Is(err, ErrRedirect) || reached.count() != 0 {
		t.Errorf("to another host: %v, reached %d times", err, reached.count())
	}
	if err := get(t, client, server.URL+"/circle"); err == nil {
		t.Error("in a circle: no error")
	}
}

// TestAProxyIsNotAskedForRefusedAddresses because it would connect to them.
func TestAProxyIsNotAskedForRefusedAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]error{
		"http://169.254.169.254/latest": ErrRefused, "http://[fe80::1%25eth0]/": ErrRefused, "http://[::ffff:169.254.169.254]/": ErrRefused, "http://127.0.0.1/": nil, "http://proxied.test/": nil,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (guard{}).proxy(r); !errors.Is(err, want) {
			t.Errorf("proxy(%s) = %v, want %v", address, err, want)
		}
	}
}

// TestHeadersAreBounded ends an answer with endless headers.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for line := "HTTP/1.1 200 OK\r\n"; err == nil; line = "X-More: " + strings.Repeat("x", 1000) + "\r\n" {
			_, err = out.WriteString(line)
		}
	}))
	t.Cleanup(server.Close)
	client := New()
	t.Cleanup(client.CloseIdleConnections)
	if err := get(t, client, server.URL); err == nil {
		t.Error("Get() = nil, want an error")
	}
}

func get(t *testing.T, client *http.Client, url string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// counter counts requests.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) ServeHTTP(http.ResponseWriter, *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// names is a server of DNS. Each question of a name is answered with its next address, and the last one again and
// again.
type names struct {
	mu        sync.Mutex
	addresses map[string][]string
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe() // which speaks as TCP does: each message after its length
		go n.serve(ours)
		return theirs, nil
	}}
}

func (n *names) serve(conn net.Conn) {
	defer conn.Close()
	length := make([]byte, 2)
	for {
		if _, err := io.ReadFull(conn, length); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := n.answer(question)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// answer answers a question for addresses of IPv4; there are no others.
func (n *names) answer(question []byte) []byte {
	name, at := "", 12 // behind the header
	for question[at] != 0 {
		size := int(question[at])
		name += string(question[at+1:at+1+size]) + "."
		at += 1 + size
	}
	kind := binary.BigEndian.Uint16(question[at+1:])
	answer := append([]byte{question[0], question[1], 0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:at+5]...)
	n.mu.Lock()
	defer n.mu.Unlock()
	if list := n.addresses[name]; len(list) > 0 && kind == 1 {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		ip := netip.MustParseAddr(list[0]).As4()
		answer = append(answer, ip[:]...)
		if len(list) > 1 {
			n.addresses[name] = list[1:]
		}
	}
	return answer
}

func TestInner(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"127.0.0.1": true, "10.0.0.1": true, "192.168.1.1": true, "172.31.0.1": true, "100.64.0.1": true, "169.254.169.254": true, "::1": true, "fd00::1": true,
		"fe80::1%eth0": true, "::ffff:10.0.0.1": true, "64:ff9b::10.0.0.1": true, "localhost": true, "LOCALHOST.": true, "x.localhost": true, "redis": true,
		"metadata.google.internal": true, "printer.local": true, "2130706433": true, "0x7f.1": true, "127.1": true, "0177.0.0.1": true, "a.0x7f": true,
		"１２７.0.0.1": true, "": true, "224.0.0.1": true,

		"pictures.example": false, "192.0.2.1": false, "8.8.8.8": false, "2001:db8::1": false, "64:ff9b::8.8.8.8": false, "1e100.net": false, "xn--mller-kva.example": false,
	} {
		if got := Inner(host); got != want {
			t.Errorf("Inner(%q) = %v, want %v", host, got, want)
		}
	}
	loopback, other := netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.1.0.0/16")
	if Inner("127.0.0.1", loopback) || Inner("localhost", other, loopback) || Inner("10.1.2.3", other) || !Inner("10.2.0.1", loopback, other) || !Inner("localhost", other) {
		t.Error("allowed addresses are not those that are allowed")
	}
}
