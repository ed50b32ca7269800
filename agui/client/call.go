package client

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A Call is one request of a [Session] to a server with another API than AG-UI.
type Call struct {
	Method string
	// URL is the request's URL. Nil is the client's URL with the elements of Path, unescaped, and Query added.
	URL    *url.URL
	Path   []string
	Query  url.Values
	Header http.Header // of this call only, such as the protocol's version
	Body   any         // written as JSON; nil is none
	Stream bool        // the response has to be an event stream
}

func (c *Client) at(call Call) *url.URL {
	if call.URL != nil {
		return call.URL
	}
	elements := make([]string, len(call.Path))
	for i, e := range call.Path {
		elements[i] = element(e)
	}
	u := c.url.JoinPath(elements...)
	if len(call.Query) > 0 {
		q := u.Query()
		for name, values := range call.Query {
			q[name] = values
		}
		u.RawQuery = q.Encode()
	}
	return u
}

func (call Call) body() ([]byte, error) {
	if call.Body == nil {
		return nil, nil
	}
	body, err := agui.Marshal(call.Body)
	if err != nil {
		return nil, &Error{Fault: FaultInvalid, Err: errors.New("the request cannot be written")}
	}
	return body, nil
}

// parse reads an answer into v.
func parse(data []byte, v any) error {
	if exact.Unmarshal(data, v) != nil {
		return &Error{Fault: FaultInvalid, Err: errors.New("the answer is not the JSON that was asked for")}
	}
	return nil
}
