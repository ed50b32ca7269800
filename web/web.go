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

// Handler serves the page at / and its files at /assets/. It may be used by any number of requests at once.
func Handler() http.Handler {
	root, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant, and a good one
	}
	return newHandler(root)
}

// The page runs and wears what is served with it and nothing else, and speaks to the gateway it came from and nobody else. An
// image an agent names would tell another host who reads it, so the page shows a link instead, and the policy holds it to that.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"

// unbuilt is the page of a checkout whose page was not built.
const unbuilt = "AG-UI gateway\n\nThe web page was not built into this binary: run `make build` (it needs Node 20 and npm) and start it again.\n" +
	"The API is here all the same: POST /agents/{agent} runs an agent; GET /agents lists them; GET /openapi.json describes every route.\n"

// The forms a file may have, best first. identity is what remains for everybody.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}, {"identity", ""}}

// A file is one of the build's, in the forms the build left of it.
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

// newHandler reads everything root holds. A handler without index.html serves the words of unbuilt instead.
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

// add puts a file's form into its place.
func (h handler) add(name string, body []byte) {
	encoding := "identity"
	for _, e := range encodings {
		if bare, ok := strings.CutSuffix(name, e.suffix); ok && e.suffix != "" {
			name, encoding = bare, e.name
		}
	}
	f, ok := h[name]
	if !ok {
		f = file{contentType: contentType(name), immutable: strings.HasPrefix(name, "assets/"), forms: map[string]form{}}
		h[name] = f
	}
	sum := sha256.Sum256(body)
	f.forms[encoding] = form{body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// contentType is the type of a file by its name. The system's table is not asked: it differs between machines.
func contentType(name string) string {
	types := map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2",
	}
	if t, ok := types[path.Ext(name)]; ok {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
