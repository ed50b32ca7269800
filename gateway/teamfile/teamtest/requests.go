package teamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/internal/inprocess"
)

// An endpoint replaces the server of a tool's requests, and answers with the results that a conversation describes.
type endpoint struct {
	at    *teamfile.Value
	tool  *serverTool
	told  *complaints
	there bool // the team has such a tool
}

func (c *conversation) readEndpoints(v *teamfile.Value) {
	keys, values := v.Pairs("http")
	c.endpoints = map[string]*endpoint{}
	for i, key := range keys {
		f := values[i].Fields(fmt.Sprintf("the answers to the tool %q", key.Text()), "http")
		t := &serverTool{at: values[i], Name: key.Text()}
		t.readResults(f)
		c.endpoints[t.Name] = &endpoint{at: key, tool: t}
	}
}

// ServeHTTP answers a request with the next result: an error as status 422.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxFile))
	if err != nil || len(body) == 0 {
		body = []byte("{}")
	}
	result := e.tool.next(body)
	switch {
	case result == nil:
		e.told.Errorf("the tool %s has no result for %s %s with %s", e.tool.Name, r.Method, r.URL.Path, short(body))
		http.Error(w, "the conversation has no result for this request", http.StatusInternalServerError)
	case result.failed:
		http.Error(w, result.text, http.StatusUnprocessableEntity)
	case json.Valid([]byte(result.text)):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, result.text) // the client may have gone
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, result.text)
	}
}

// endpoint returns the client of the replacement of the server of a tool's requests.
func (p *player) endpoint(tool string) *http.Client {
	e := p.endpoints[tool]
	if e == nil {
		return nil
	}
	e.there = true
	return inprocess.Client(e)
}
