package gateway

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
	"github.com/agui-gateway/gateway/state"
)

// showFile serves GET /threads/{id}/messages/{message}/files/{n}: the inline file in part n of a message, counted from
// 0 over all its parts. Types that a browser might execute are sent as application/octet-stream. Browsers cache it but
// revalidate each use: a thread that is deleted or another principal's has no files.
func (g *Gateway) showFile(w http.ResponseWriter, r *http.Request, key state.Key) error {
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
	_, _ = w.Write(file.Data) // fails only if the client is gone
	return nil
}
