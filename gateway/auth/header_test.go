package auth

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

// TestHeaderBelievesProxiesOnly sends the header from everywhere, and in every form.
func TestHeaderBelievesProxiesOnly(t *testing.T) {
	t.Parallel()
	var proxies []netip.Prefix
	for _, network := range []string{"10.0.0.0/24", "192.0.2.7/32", "2001:db8::/64", "::ffff:198.51.100.0/120"} {
		proxies = append(proxies, netip.MustParsePrefix(network))
	}
	h, err := NewHeader(HeaderOptions{User: "x-forwarded-user", Roles: "X-Forwarded-Groups", Proxies: proxies})
	if err != nil {
		t.Fatal(err)
	}
	ada := []string{"X-Forwarded-User", "ada"}
	for _, tt := range []struct {
		name, from string
		headers    []string
		id         string
		roles      []string
		cause      string
	}{
		{name: "a proxy", from: "10.0.0.9:4711", headers: ada, id: "header:ada"},
		{name: "the only address of its network", from: "192.0.2.7:1", headers: ada, id: "header:ada"},
		{name: "IPv6", from: "[2001:db8::1]:1", headers: ada, id: "header:ada"},
		{name: "IPv6 with a zone", from: "[2001:db8::1%eth0]:1", headers: ada, id: "header:ada"},
		{name: "IPv4 in IPv6", from: "[::ffff:10.0.0.9]:1", headers: ada, id: "header:ada"},
		{name: "IPv4 of a network in IPv6", from: "198.51.100.3:1", headers: ada, id: "header:ada"},
		{name: "another address", from: "10.0.1.9:1", headers: ada, cause: "does not come from a proxy"},
		{name: "this machine", from: "127.0.0.1:1", headers: ada, cause: "does not come from a proxy"},
		{name: "this machine by IPv6", from: "[::1]:1", headers: ada, cause: "does not come from a proxy"},
		{name: "a neighbour of the only address", from: "192.0.2.8:1", headers: ada, cause: "does not come from a proxy"},
		{name: "no address", from: "@", headers: ada, cause: "does not come from a proxy"},
		{name: "another address that says it is the proxy", from: "203.0.113.1:1", headers: append([]string{"X-Forwarded-For", "10.0.0.9", "Forwarded", "for=10.0.0.9"}, ada...), cause: "does not come from a proxy"},
		{name: "nobody", from: "10.0.0.9:1", cause: "names no principal"},
		{name: "an empty name", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", ""}, cause: "names no principal"},
		{name: "another header", from: "10.0.0.9:1", headers: []string{"X_Forwarded_User", "ada", "X-User", "ada"}, cause: "names no principal"},
		{name: "two headers", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", "ada", "x-forwarded-user", "bob"}, cause: "several values"},
		{name: "the same twice", from: "10.0.0.9:1", headers: append(ada, ada...), cause: "several values"},
		{name: "two in one", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", "bob, ada"}, cause: "several values"},
		{name: "a blank inside", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", "ada lovelace"}, id: "header:ada lovelace"},
		{name: "blanks around", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", " lovelace "}, cause: "white space"},
		{name: "white space of Unicode", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", "lovelace\u3000"}, cause: "white space"},
		{name: "a role with white space of Unicode", from: "10.0.0.9:1", headers: []string{"X-Forwarded-User", "lovelace", "X-Forwarded-Groups", "admin\u2003"}, cause: "white space"},
		{name: "roles", from: "10.0.0.9:1", headers: append([]string{"X-Forwarded-Groups", "editor, admin,,"}, ada...), id: "header:ada", roles: []string{"editor", "admin"}},
		{name: "no roles", from: "10.0.0.9:1", headers: append([]string{"X-Forwarded-Groups", ""}, ada...), id: "header:ada"},
		{name: "roles of two", from: "10.0.0.9:1", headers: append([]string{"X-Forwarded-Groups", "editor", "X-Forwarded-Groups", "admin"}, ada...), cause: "several values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(t, tt.headers...)
			r.RemoteAddr = tt.from
			p, err := h.Principal(r)
			if tt.cause != "" {
				wantRefused(t, "Principal()", p, err, tt.cause, "ada")
				return
			}
			if err != nil || p.ID != tt.id || !reflect.DeepEqual(p.Roles, tt.roles) {
				t.Errorf("Principal() = %s %q, %v, want %s %q", p.ID, p.Roles, err, tt.id, tt.roles)
			}
		})
	}
}

// TestRolesNeedAHeaderOfTheirOwn: without a configured header there are no roles.
func TestRolesNeedAHeaderOfTheirOwn(t *testing.T) {
	t.Parallel()
	h, err := NewHeader(HeaderOptions{User: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, "X-User", "ada", "X-Roles", "admin", "", "admin")
	r.RemoteAddr = "10.0.0.1:1"
	if p, err := h.Principal(r); err != nil || p.ID != "header:ada" || len(p.Roles) != 0 {
		t.Errorf("Principal() = %s %q, %v", p.ID, p.Roles, err)
	}
}

func TestNewHeaderRefusesWhatWouldLetAnybodyIn(t *testing.T) {
	t.Parallel()
	one := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	for _, tt := range []struct {
		o    HeaderOptions
		want string
	}{
		{HeaderOptions{Proxies: one}, "no header"},
		{HeaderOptions{User: "X User", Proxies: one}, "not a header's name"},
		{HeaderOptions{User: "X-User:", Proxies: one}, "not a header's name"},
		{HeaderOptions{User: "Cookie", Proxies: one}, "not a header's name"},
		{HeaderOptions{User: "authorization", Proxies: one}, "not a header's name"},
		{HeaderOptions{User: "X-User", Roles: "host", Proxies: one}, "not a header's name"},
		{HeaderOptions{User: "X-User", Roles: "x-user", Proxies: one}, "both"},
		{HeaderOptions{User: "X-User"}, "no proxy"},
		{HeaderOptions{User: "X-User", Proxies: []netip.Prefix{{}}}, "not a network"},
		{HeaderOptions{User: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}, "not a network"},
		{HeaderOptions{User: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("::/0")}}, "not a network"},
		{HeaderOptions{User: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("::ffff:0.0.0.0/96")}}, "not a network"},
	} {
		if _, err := NewHeader(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("NewHeader(%+v) = %v, want %q", tt.o, err, tt.want)
		}
	}
}
