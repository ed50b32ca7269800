package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

// packed is text as the build leaves it.
func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func built(t *testing.T) http.Handler {
	t.Helper()
	return newHandler(fstest.MapFS{
		".gitkeep":              {},
		"index.html.gz":         {Data: packed(t, "<html>")},
		"index.html.br":         {Data: []byte("br:<html>")},
		"assets/app-1a2b.js.gz": {Data: packed(t, "run()")},
		"assets/app-1a2b.js.br": {Data: []byte("br:run()")},
		"assets/app-1a2b.css":   {Data: []byte("a{}")},
		"assets/icon-3c.svg":    {Data: []byte("<svg/>")},
	})
}

func ask(h http.Handler, method, target string, header map[string]string) *http.Response {
	r := httptest.NewRequestWithContext(context.Background(), method, target, nil)
	for key, value := range header {
		r.Header.Set(key, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestServe(t *testing.T) {
	t.Parallel()
	h := built(t)
	gz := string(packed(t, "run()"))
	const forever, always = "public, max-age=31536000, immutable", "no-cache"
	tests := []struct {
		name, method, target, accept       string
		status                             int
		body, encoding, contentType, cache string
	}{
		{"the page for a browser", "GET", "/", "gzip, deflate, br, zstd", 200, "br:<html>", "br", "text/html; charset=utf-8", always},
		{"the page by its name", "GET", "/index.html", "br", 200, "br:<html>", "br", "text/html; charset=utf-8", always},
		{"the page for curl", "GET", "/", "", 200, "<html>", "", "text/html; charset=utf-8", always},
		{"brotli before gzip", "GET", "/assets/app-1a2b.js", "gzip, br", 200, "br:run()", "br", "text/javascript; charset=utf-8", forever},
		{"gzip only", "GET", "/assets/app-1a2b.js", "gzip", 200, gz, "gzip", "text/javascript; charset=utf-8", forever},
		{"letters of any size", "GET", "/assets/app-1a2b.js", " BR ;Q=0.5", 200, "br:run()", "br", "text/javascript; charset=utf-8", forever},
		{"brotli refused", "GET", "/assets/app-1a2b.js", "br;q=0, gzip;q=0.1", 200, gz, "gzip", "text/javascript; charset=utf-8", forever},
		{"anything", "GET", "/assets/app-1a2b.js", "*", 200, "br:run()", "br", "text/javascript; charset=utf-8", forever},
		{"anything but", "GET", "/assets/app-1a2b.js", "br;q=0, *", 200, gz, "gzip", "text/javascript; charset=utf-8", forever},
		{"nothing but identity", "GET", "/assets/app-1a2b.js", "identity, *;q=0", 200, "run()", "", "text/javascript; charset=utf-8", forever},
		{"a quality nobody can read", "GET", "/assets/app-1a2b.js", "br;q=much", 200, "run()", "", "text/javascript; charset=utf-8", forever},
		{"a file too small to pack", "GET", "/assets/app-1a2b.css", "br, gzip", 200, "a{}", "", "text/css; charset=utf-8", forever},
		{"a picture", "GET", "/assets/icon-3c.svg", "br", 200, "<svg/>", "", "image/svg+xml", forever},
		{"a head", "HEAD", "/", "br", 200, "", "br", "text/html; charset=utf-8", always},
		{"a file of another build", "GET", "/assets/app-9f.js", "br", 404, "not found\n", "", "text/plain; charset=utf-8", "no-store"},
		{"a packed form by its name", "GET", "/assets/app-1a2b.js.br", "br", 404, "not found\n", "", "text/plain; charset=utf-8", "no-store"},
		{"a directory", "GET", "/assets/", "br", 404, "not found\n", "", "text/plain; charset=utf-8", "no-store"},
		{"what is not for serving", "GET", "/.gitkeep", "", 404, "not found\n", "", "text/plain; charset=utf-8", "no-store"},
		{"a way out", "GET", "/assets/../../etc/passwd", "", 404, "not found\n", "", "text/plain; charset=utf-8", "no-store"},
		{"a post", "POST", "/", "", 405, "method not allowed\n", "", "text/plain; charset=utf-8", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ask(h, tt.method, tt.target, map[string]string{"Accept-Encoding": tt.accept})
			defer got.Body.Close()
			var body bytes.Buffer
			if _, err := body.ReadFrom(got.Body); err != nil {
				t.Fatal(err)
			}
			if got.StatusCode != tt.status || body.String() != tt.body {
				t.Errorf("%s %s = %d %q, want %d %q", tt.method, tt.target, got.StatusCode, body.String(), tt.status, tt.body)
			}
			for header, want := range map[string]string{
				"Content-Encoding": tt.encoding, "Content-Type": tt.contentType, "Cache-Control": tt.cache, "X-Content-Type-Options": "nosniff",
			} {
				if have := got.Header.Get(header); have != want {
					t.Errorf("%s = %q, want %q", header, have, want)
				}
			}
			if have := got.Header.Get("Vary"); tt.status == 200 && have != "Accept-Encoding" {
				t.Errorf("Vary = %q: a cache must not mix the forms", have)
			}
		})
	}
}

func TestServeAgain(t *testing.T) {
	t.Parallel()
	h := built(t)
	etags := map[string]bool{}
	for _, accept := range []string{"br", "gzip", ""} {
		first := ask(h, "GET", "/", map[string]string{"Accept-Encoding": accept})
		first.Body.Close()
		etag := first.Header.Get("ETag")
		if etag == "" || etags[etag] {
			t.Errorf("Accept-Encoding %q: ETag = %q, want one of its own", accept, etag)
		}
		etags[etag] = true
		for header, want := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200} {
			again := ask(h, "GET", "/", map[string]string{"Accept-Encoding": accept, "If-None-Match": header})
			again.Body.Close()
			if again.StatusCode != want || again.Header.Get("ETag") != etag {
				t.Errorf("If-None-Match %s = %d with ETag %s, want %d with %s", header, again.StatusCode, again.Header.Get("ETag"), want, etag)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	got := ask(built(t), "GET", "/", nil)
	defer got.Body.Close()
	csp := got.Header.Get("Content-Security-Policy")
	for _, directive := range strings.Split(csp, ";") {
		name, sources, _ := strings.Cut(strings.TrimSpace(directive), " ")
		if name != "img-src" && name != "media-src" && strings.Contains(sources, "blob:") {
			t.Errorf("%s %s lets in what the page has read from the gateway, which may be anything", name, sources)
		}
		if strings.Contains(sources, "unsafe") || strings.Contains(sources, "*") || strings.Contains(sources, "http") {
			t.Errorf("%s %s lets in what is not ours", name, sources)
		}
	}
	for _, want := range []string{"default-src 'self'", "script-src 'self';", "img-src 'self' data: blob:;", "media-src 'self' blob:;", "frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("Content-Security-Policy = %q, want %q in it", csp, want)
		}
	}
}

func TestUnbuilt(t *testing.T) {
	t.Parallel()
	h := newHandler(fstest.MapFS{".gitkeep": {}})
	got := ask(h, "GET", "/", nil)
	defer got.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(got.Body); err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != 200 || !strings.Contains(body.String(), "make build") || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("GET / = %d %q, want how to build the page, not to be remembered", got.StatusCode, body.String())
	}
}

// TestHandler serves the embedded files, built or not.
func TestHandler(t *testing.T) {
	t.Parallel()
	got := ask(Handler(), "GET", "/", nil)
	defer got.Body.Close()
	if got.StatusCode != 200 {
		t.Errorf("GET / = %d, want 200", got.StatusCode)
	}
}
