package redisstore

import (
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/agui-gateway/gateway/state"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]redis.UniversalOptions{
		"redis://localhost":             {Addrs: []string{"localhost:6379"}},
		"redis://h:1/":                  {Addrs: []string{"h:1"}},
		"redis://h/3":                   {Addrs: []string{"h:6379"}, DB: 3},
		"redis://:p%40ss:w@h:1":         {Addrs: []string{"h:1"}, Password: "p@ss:w"},
		"redis://u:p@ss@h":              {Addrs: []string{"h:6379"}, Username: "u", Password: "p@ss"},
		"redis://[::1]":                 {Addrs: []string{"[::1]:6379"}},
		"redis://[::1]:7":               {Addrs: []string{"[::1]:7"}},
		"redis+cluster://a,b:2":         {Addrs: []string{"a:6379", "b:2"}, IsClusterMode: true},
		"redis://a,b?cluster=true":      {Addrs: []string{"a:6379", "b:6379"}, IsClusterMode: true},
		"redis+sentinel://a,b:2/main/1": {Addrs: []string{"a:26379", "b:2"}, MasterName: "main", DB: 1},
		"redis+sentinel://u:p@a/m?sentinel_username=x&sentinel_password=y": {
			Addrs: []string{"a:26379"}, MasterName: "m", Username: "u", Password: "p", SentinelUsername: "x", SentinelPassword: "y",
		},
	} {
		got, err := parseURL(url)
		if err != nil {
			t.Errorf("parseURL(%q) = %v", url, err)
			continue
		}
		if diff := cmp.Diff(want.Simple().Addr+strings.Join(want.Addrs, " "), got.Simple().Addr+strings.Join(got.Addrs, " ")); diff != "" {
			t.Errorf("parseURL(%q): %s", url, diff)
		}
		if got.DB != want.DB || got.Username != want.Username || got.Password != want.Password || got.MasterName != want.MasterName ||
			got.IsClusterMode != want.IsClusterMode || got.SentinelUsername != want.SentinelUsername ||
			got.SentinelPassword != want.SentinelPassword || got.TLSConfig != nil {
			t.Errorf("parseURL(%q) = %+v", url, got)
		}
	}
	for _, url := range []string{"rediss://h", "rediss+cluster://h", "rediss+sentinel://h/m"} {
		if got, err := parseURL(url); err != nil || got.TLSConfig == nil {
			t.Errorf("parseURL(%q) = %+v, %v, want TLS", url, got, err)
		}
	}
}

func TestParseURLRefuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "localhost:6379", "http://secret@h", "redis://", "redis://:secret@", "redis://h:0", "redis://h:secret", "redis://h:70000", "redis://h/secret",
		"redis://a,b", "redis+://h", "redis+tcp://h", "redis+sentinel://h", "redis+sentinel://h/", "redis+cluster://h/1",
		"redis://h?secret=1", "redis://h?cluster=secret", "redis://h?sentinel_password=secret", "redis://secret:%zz@h", "redis://h?%zz",
	} {
		_, err := parseURL(url)
		if !errors.Is(err, ErrURL) {
			t.Errorf("parseURL(%q) = %v, want ErrURL", url, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("parseURL(%q) = %v, which quotes it", url, err)
		}
	}
}

// TestOpenKeepsSecrets holds errors of Open to naming no password.
func TestOpenKeepsSecrets(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"redis://u:secret@127.0.0.1:1", "redis+cluster://:secret@127.0.0.1:1", "redis+sentinel://:secret@127.0.0.1:1/m?sentinel_password=secret"} {
		s, err := Open(t.Context(), url, Options{Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			t.Errorf("Open() of nothing = nil; Close() = %v", s.Close())
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("Open() = %v", err)
		}
	}
}

// FuzzParseURL checks that parsed addresses are usable, and that errors quote nothing.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"redis://h", "redis://u:p@h:1/2", "rediss://[::1]:6379", "redis+cluster://a,b:1", "redis+sentinel://a:1,b/m/3?sentinel_password=x", "redis://a,b?cluster=true",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, url string) {
		const secret = "Ge1h_Eim"
		o, err := parseURL(url)
		if err == nil {
			for _, addr := range o.Addrs {
				if host, _, err := net.SplitHostPort(addr); err != nil || host == "" {
					t.Errorf("parseURL(%q) has address %q", url, addr)
				}
			}
			if o.DB < 0 || len(o.Addrs) == 0 {
				t.Errorf("parseURL(%q) = %+v", url, o)
			}
		}
		if _, err := parseURL(url + secret); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("parseURL() = %v, which quotes the URL", err)
		}
	})
}

// FuzzKeys holds the keys of a thread to one slot, and those of different threads to different ones.
func FuzzKeys(f *testing.F) {
	f.Add("p", "a", "t", "p", "a", "u")
	f.Add("p", "a}", "t", "p", "a", "}t")
	f.Add("", "", "", "\x00", "", "")
	f.Add("{", "}", "{}", "a\x00b", "c", "d")
	f.Fuzz(func(t *testing.T, p1, a1, t1, p2, a2, t2 string) {
		one, two := state.Key{Principal: p1, Agent: a1, ID: t1}, state.Key{Principal: p2, Agent: a2, ID: t2}
		if (hashTagOf(one) == hashTagOf(two)) != (one == two) {
			t.Errorf("slots of %q and %q", one, two)
		}
		s := &backend{o: Options{}.withDefaults()}
		for _, key := range s.keys(hashTagOf(one), threadParts) {
			_, after, _ := strings.Cut(key, "{")
			tag, rest, _ := strings.Cut(after, "}")
			if tag != string(hashTagOf(one)) || len(tag) != 32 || strings.ContainsAny(tag+rest, "{}") {
				t.Errorf("key %q", key)
			}
		}
		if got, fence, ok := parseLiveMember(liveMember(one, 7)); !ok || got != one || fence != "7" {
			t.Errorf("parseLiveMember(%q) = %q, %q", liveMember(one, 7), got, fence)
		}
		if got, ok := parseIndexMember(p1, indexMember(one)); !ok || got != one {
			t.Errorf("parseIndexMember(%q) = %q", indexMember(one), got)
		}
	})
}
