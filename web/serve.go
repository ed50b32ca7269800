package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// ServeHTTP answers GET and HEAD for / and the files of the build.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f, ok := h[name]
	switch {
	case ok:
		f.serve(w, r)
	case name == "index.html":
		header.Set("Content-Type", "text/plain; charset=utf-8")
		header.Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, unbuilt) // an error means that the client has left
	default:
		// A page of an older build requests files that this one lacks. Caches must not keep the response.
		header.Set("Cache-Control", "no-store")
		http.Error(w, "not found", http.StatusNotFound)
	}
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	encoding, chosen, err := f.choose(r.Header.Get("Accept-Encoding"))
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", f.contentType)
	header.Add("Vary", "Accept-Encoding")
	header.Set("ETag", chosen.etag)
	if f.immutable {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	if known(r.Header.Get("If-None-Match"), chosen.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if encoding != "identity" {
		header.Set("Content-Encoding", encoding)
	}
	header.Set("Content-Length", strconv.Itoa(len(chosen.body)))
	if r.Method == http.MethodGet {
		_, _ = w.Write(chosen.body) // an error means that the client has left
	}
}

// choose picks the form for an Accept-Encoding. If the client takes no compressed form, the gzip one is unpacked.
func (f file) choose(accept string) (string, form, error) {
	for _, e := range encodings {
		if have, ok := f.forms[e.name]; ok && accepts(accept, e.name) {
			return e.name, have, nil
		}
	}
	packed := f.forms["gzip"]
	unpacked, err := gzip.NewReader(bytes.NewReader(packed.body))
	if err != nil {
		return "", form{}, err
	}
	body, err := io.ReadAll(unpacked)
	return "identity", form{body: body, etag: strings.TrimSuffix(packed.etag, `"`) + `-plain"`}, err
}

// accepts reports whether an Accept-Encoding allows an encoding. Without the header only identity is allowed.
func accepts(header, encoding string) bool {
	if encoding == "identity" {
		return true
	}
	any := false
	for _, part := range strings.Split(header, ",") {
		name, params, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != encoding && name != "*" {
			continue
		}
		taken := quality(params) > 0
		if name == encoding {
			return taken
		}
		any = taken
	}
	return any
}

// quality is the q of a list's item; 1 if there is none, 0 if it cannot be read.
func quality(params string) float64 {
	for _, param := range strings.Split(params, ";") {
		key, value, ok := strings.Cut(strings.TrimSpace(param), "=")
		if !ok || !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return 0
		}
		return q
	}
	return 1
}

// known reports whether an If-None-Match contains etag, perhaps in the weak form that caches produce.
func known(header, etag string) bool {
	for _, tag := range strings.Split(header, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}
