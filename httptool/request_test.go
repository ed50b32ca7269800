package httptool

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestWhereArgumentsGo sends arguments where options say, and nowhere else.
func TestWhereArgumentsGo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		o         Options // with a URL below the server's
		arguments string
		want      seen
	}{
		{"nothing", Options{URL: "/now"}, `{}`, seen{method: "GET", path: "/now"}},
		{"the query by default", Options{URL: "/s?v=1"}, `{"q":"a b&c","n":2,"list":["x",3],"more":null}`,
			seen{method: "GET", path: "/s", query: "v=1&list=x&list=3&n=2&q=a+b%26c"}},
		{"some in the query", Options{URL: "/s", Query: []string{"q"}}, `{"q":"a","n":2}`, seen{method: "GET", path: "/s", query: "q=a"}},
		{"an object in the query", Options{URL: "/s"}, `{"q":{"a":1}}`, seen{method: "GET", path: "/s", query: "q=" + url.QueryEscape(`{"a":1}`)}},
		{"the path", Options{URL: "/c/{city}/w{day}", Parameters: parameters("city", "day")}, `{"city":"São Paulo?#%;","day":"1","q":"x"}`,
			seen{method: "GET", path: "/c/S%C3%A3o%20Paulo%3F%23%25%3B/w1", query: "q=x"}},
		{"a body by default", Options{URL: "/o", Method: "POST"}, `{"n":1.50,"q":"<"}`, seen{method: "POST", path: "/o", body: `{"n":1.50,"q":"\u003c"}`}},
		{"path, query and body", Options{URL: "/o/{id}", Method: "PUT", Query: []string{"q"}, Parameters: parameters("id")}, `{"id":"7","q":"x","n":1}`,
			seen{method: "PUT", path: "/o/7", query: "q=x", body: `{"n":1}`}},
		{"some in the body", Options{URL: "/o", Method: "PATCH", Body: []string{"n"}}, `{"q":"x","n":1}`, seen{method: "PATCH", path: "/o", body: `{"n":1}`}},
		{"no arguments", Options{URL: "/o", Method: "POST"}, `{}`, seen{method: "POST", path: "/o", body: `{}`}},
		{"DELETE has no body", Options{URL: "/o/{id}", Method: "DELETE", Parameters: parameters("id")}, `{"id":"7","q":"x"}`, seen{method: "DELETE", path: "/o/7", query: "q=x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server, base := serve(t, answers(200, "application/json", `{"ok":true}`))
			tt.o.URL = base + tt.o.URL
			tt.o.Headers = map[string]string{"X-Key": "secret-of-ours"}
			told, err := call(t.Context(), made(t, tt.o), tt.arguments)
			if err != nil || told != `{"ok":true}` {
				t.Fatalf("Call() = %q, %v", told, err)
			}
			all := server.requests()
			if len(all) != 1 {
				t.Fatalf("%d requests, want 1", len(all))
			}
			got := all[0]
			if got.header.Get("X-Key") != "secret-of-ours" {
				t.Errorf("X-Key = %q", got.header.Get("X-Key"))
			}
			if got.header = nil; got.method != tt.want.method || got.path != tt.want.path || got.query != tt.want.query || got.body != tt.want.body {
				t.Errorf("the server was asked %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestArgumentsStayInTheirSegment refuses what would lead out of it, and sends nothing then.
func TestArgumentsStayInTheirSegment(t *testing.T) {
	t.Parallel()
	server, base := serve(t, answers(200, "text/plain", "in"))
	tool := made(t, Options{URL: base + "/v1/{id}/x", Parameters: parameters("id")})
	for _, value := range []string{"..", ".", "", "a/b", `a\\b`, "../admin", "%2e%2e", "%2F", "%252F", "%25252F", `\u0000`, `a\nb`, "/", "//other.test/"} {
		told, err := call(t.Context(), tool, `{"id":"`+value+`"}`)
		says(t, told, err, "was not made")
	}
	for _, arguments := range []string{`{}`, `{"id":null}`, `{"id":{}}`, `{"id":["x"]}`, `[]`} {
		told, err := call(t.Context(), tool, arguments)
		says(t, told, err, "was not made")
	}
	dots := made(t, Options{URL: base + "/v1/{id}./x", Parameters: parameters("id")})
	told, err := call(t.Context(), dots, `{"id":"."}`)
	says(t, told, err, "was not made")
	fixed := made(t, Options{URL: base + "/v1?q=ours"})
	told, err = call(t.Context(), fixed, `{"q":"theirs"}`)
	says(t, told, err, "was not made")
	if n := len(server.requests()); n != 0 {
		t.Errorf("%d requests were made, want none", n)
	}
}

// FuzzPath wants any argument to be refused, or to be one segment that a server reads as it was.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"a", "..", "a b", "%2e%2e%2f", "x/../y", "{city}", "\u2028", "\xff", "@host", "?q", "#f", ";p"} {
		f.Add(s)
	}
	e := &endpoint{o: Options{Name: "t", Method: http.MethodGet, URL: "https://api.test/v1/{id}/end", Parameters: parameters("id")}}
	if err := e.check(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value string) {
		path, err := e.pathOf(map[string]jsonRaw{"id": quoted(value)})
		if err != nil {
			return
		}
		u, err := url.Parse("https://api.test" + path)
		if err != nil {
			t.Fatalf("%q makes %q, which is no path: %v", value, path, err)
		}
		segments := strings.Split(u.EscapedPath(), "/")
		if u.Host != "api.test" || u.RawQuery != "" || u.Fragment != "" || len(segments) != 4 || segments[1] != "v1" || segments[3] != "end" {
			t.Errorf("%q leads to %s", value, u)
		}
		if clean := u.JoinPath().EscapedPath(); clean != u.EscapedPath() {
			t.Errorf("%q leads to %s, and cleaned to %s", value, u, clean)
		}
	})
}
