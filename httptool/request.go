package httptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/exact"
)

func (e *endpoint) request(ctx context.Context, c groupchat.ToolCall) (*http.Request, error) {
	arguments := map[string]json.RawMessage{}
	if err := exact.Unmarshal(c.Arguments, &arguments); err != nil && len(c.Arguments) > 0 {
		return nil, refuse("the arguments are no object")
	}
	u := *e.url
	path, err := e.pathOf(arguments)
	if err != nil {
		return nil, err
	}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return nil, refuse("the arguments make no path")
	}
	u.RawPath = path
	if u.RawQuery, err = e.query(arguments); err != nil {
		return nil, err
	}
	body, err := e.body(arguments)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, e.o.Method, u.String(), body)
	if err != nil {
		return nil, errors.New("httptool: no request can be made of the URL") // the error quotes the URL
	}
	if r.URL.Scheme != e.url.Scheme || r.URL.Host != e.url.Host {
		return nil, refuse("the arguments lead elsewhere")
	}
	r.Header.Set("Accept", "application/json, text/*;q=0.9")
	r.Header.Set("User-Agent", "agui-gateway")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range e.o.Headers {
		r.Header.Set(name, value)
	}
	if e.o.Idempotent && !e.reads() && c.Key != "" {
		// The transport takes a request with this header for one that it may send again by itself, so no other request
		// has it.
		r.Header.Set("Idempotency-Key", c.Key)
	}
	return r, nil
}

// query returns the query of a request: the author's parameters, as they are written, and the arguments.
func (e *endpoint) query(arguments map[string]json.RawMessage) (string, error) {
	values, fixed := url.Values{}, e.url.Query()
	for name, raw := range arguments {
		switch {
		case e.o.Query != nil && !slices.Contains(e.o.Query, name):
			continue
		case e.o.Query == nil && (e.hasBody() || slices.Contains(e.inPath, name)):
			continue
		case fixed.Has(name):
			return "", refuse("the argument %q is not one of yours", name)
		}
		list := []json.RawMessage{raw}
		if raw[0] == '[' {
			if err := exact.Unmarshal(raw, &list); err != nil {
				return "", refuse("the argument %q cannot be read", name)
			}
		}
		for _, item := range list {
			text, err := scalar(item)
			if string(item) == "null" {
				continue // as if it were not there
			}
			if err != nil {
				text = string(item)
			}
			values.Add(name, text)
		}
	}
	query := e.url.RawQuery
	if len(values) == 0 {
		return query, nil
	}
	if query != "" {
		query += "&"
	}
	return query + values.Encode(), nil
}

// body returns the body of a request, nil for none.
func (e *endpoint) body(arguments map[string]json.RawMessage) (io.Reader, error) {
	if !e.hasBody() {
		return nil, nil
	}
	members := map[string]json.RawMessage{}
	for name, raw := range arguments {
		elsewhere := slices.Contains(e.inPath, name) || slices.Contains(e.o.Query, name)
		if e.o.Body == nil && !elsewhere || slices.Contains(e.o.Body, name) {
			members[name] = raw
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return nil, refuse("the arguments cannot be written")
	}
	return bytes.NewReader(raw), nil
}
