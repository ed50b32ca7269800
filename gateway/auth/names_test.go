package auth

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Whatever a proxy or a token calls a principal and its roles, it is that byte for byte, or refused.
func FuzzNames(f *testing.F) {
	for _, space := range []string{"", " ", "\u00a0", "\u0085", "\u2003", "\u3000", "\u2028", "\u200b", "\ufeff", "\t", "\x00", "\xff", "\u202e"} {
		f.Add("alice"+space, "admin"+space)
		f.Add(space+"alice", space+"admin")
		f.Add("al"+space+"ice", "ad"+space+"min")
	}
	h, err := NewHeader(HeaderOptions{User: "X-Forwarded-User", Roles: "X-Forwarded-Groups", Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, role string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header["X-Forwarded-User"], r.Header["X-Forwarded-Groups"] = []string{name}, []string{"x, " + role}
		p, err := h.Principal(r)
		if err == nil && (p.ID != "header:"+name || unprinted(p.ID)) {
			t.Errorf("%q is the principal %q", name, p.ID)
		}
		for _, one := range p.Roles {
			if one != "x" && !slices.ContainsFunc(strings.Split(role, ","), func(s string) bool { return strings.Trim(s, " \t") == one }) {
				t.Errorf("the groups %q give the role %q", role, one)
			}
		}
		given, err := rolesOf(map[string]any{"roles": "x " + role}, "roles")
		for _, one := range given {
			if one != "x" && !slices.Contains(strings.Split(role, " "), one) {
				t.Errorf("the claim %q gives the role %q, %v", role, one, err)
			}
		}
		if slices.ContainsFunc(p.Roles, unprinted) {
			t.Errorf("the roles are %q", p.Roles)
		}
	})
}

func unprinted(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func TestNamesOfAKeysFile(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0", 64)
	for _, line := range []string{"ali ce:" + hash, "alice\u3000:" + hash, "alice:" + hash + ":admin\u2003", "alice:" + hash + ":ad\u200bmin"} {
		if _, problem := parseKeyLine(line); problem == "" {
			t.Errorf("%q is taken", line)
		}
	}
}
