package mcp

import "testing"

// TestOriginOfAServer distinguishes servers with another address or account.
func TestOriginOfAServer(t *testing.T) {
	t.Parallel()
	origins := map[string]int{}
	for i, o := range []Options{
		{URL: "http://a.test/mcp"},
		{URL: "http://b.test/mcp"},
		{URL: "http://a.test/mcp", Headers: map[string]string{"Authorization": "k"}},
		{URL: "http://a.test/mcp", Headers: map[string]string{"Authorization": "l"}},
		{Command: "serve"},
		{Command: "serve", Args: []string{"staging"}},
		{Command: "serve", Args: []string{"production"}},
		{Command: "serve", Dir: "/elsewhere"},
		{Command: "serve", Env: map[string]string{"DATABASE": "staging"}},
		{Command: "serve", Env: map[string]string{"DATABASE": "production"}},
	} {
		for range 2 {
			o.Name = "s"
			s, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			origin := s.Source(SourceOptions{Prefix: "x_"}).(*source).Origin() //nolint:forcetypeassert // made above
			if j, taken := origins[origin]; taken && j != i {
				t.Errorf("servers %d and %d have one origin", j, i)
			}
			origins[origin] = i
		}
	}
	if len(origins) != 10 {
		t.Errorf("%d origins, want 10", len(origins))
	}
}
