package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Handler serves the page at / and its files at /assets/. It is safe for concurrent use.
func Handler() http.Handler {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is embedded above
	}
	return newHandler(root)
}

// policy lets the page load scripts and styles from its own gateway only, and connect only to it. An image URL chosen
// by an agent would reveal the reader to another host, so the page shows a link instead, and the policy forbids the
// image. Files of messages are blobs, which the page has read from the gateway.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src " +
	"'self' blob:; connect-src 'self'; " +
	"font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"

// unbuilt is the response for / in a checkout without a built page.
const unbuilt = "AG-UI gateway\n\nThe web page was not built into this binary: run `make build` (it needs Node 20 " +
	"and npm) and start it again.\n" +
	"The API is here all the same: POST /agents/{agent} runs an agent; GET /agents lists them; GET /openapi.json " +
	"describes every route.\n"

// encodings are the forms a file may have, the preferred one first. identity is the form without compression.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}, {"identity", ""}}

// A file is a file of the build, in the forms in which the build has written it.
type file struct {
	contentType string
	immutable   bool
	forms       map[string]form // by encoding
}

type form struct {
	body []byte
	etag string
}

// A handler serves files that do not change while it lives.
type handler map[string]file // by path below the root

// newHandler reads all files of root. A handler without index.html serves unbuilt in its place.
func newHandler(root fs.FS) http.Handler {
	h := handler{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			return err
		}
		body, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		h.add(name, body)
		return nil
	})
	if err != nil {
		panic(err) // embedded files can be read
	}
	return h
}

// add adds a form of a file: name ends in the suffix of its encoding.
func (h handler) add(name string, body []byte) {
	encoding := "identity"
	for _, e := range encodings {
		if bare, ok := strings.CutSuffix(name, e.suffix); ok && e.suffix != "" {
			name, encoding = bare, e.name
		}
	}
	f, ok := h[name]
	if !ok {
		f = file{contentType: contentType(name), immutable: strings.HasPrefix(name, "assets/"),
			forms: map[string]form{}}
		h[name] = f
	}
	sum := sha256.Sum256(body)
	f.forms[encoding] = form{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// contentType returns the type of a file by its name. The system's table differs between machines.
func contentType(name string) string {
	types := map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
		".woff2": "font/woff2",
	}
	if t, ok := types[path.Ext(name)]; ok {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
