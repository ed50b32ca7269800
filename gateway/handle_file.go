package gateway

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
	"github.com/agui-gateway/gateway/state"
)

// showFile is GET /threads/{id}/messages/{message}/files/{n}: the file that is inline in a part of a message, counted from 0 among all its
// parts. What a browser could run is sent as bytes of no type. Browsers keep it and ask each time whether they may show it: a thread that was
// deleted, or is another principal's, has no files.
func (g *Gateway) showFile(w http.ResponseWriter, r *http.Request) error {
	key, err := g.thread(r)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(r.PathValue("file"))
	if err != nil {
		return &errcode.Error{Code: errcode.NotFound, Err: state.ErrUnknownMessage}
	}
	stored := &storedFiles{g: g, ctx: r.Context(), key: key}
	part, there := stored.part(r.PathValue("message"), n)
	if stored.err != nil {
		return stored.err
	}
	file, ok := attachment.Open(part)
	if !there || !ok {
		return &errcode.Error{Code: errcode.NotFound, Err: state.ErrUnknownMessage}
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cache-Control", "private, no-cache")
	h.Add("Vary", "Authorization, Cookie")
	h.Set("ETag", strconv.Quote(file.Tag))
	for _, tag := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == strconv.Quote(file.Tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", file.Type)
	h.Set("Content-Disposition", file.Disposition())
	h.Set("Content-Length", strconv.Itoa(len(file.Data)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(file.Data) // the client is gone if this fails
	return nil
}
