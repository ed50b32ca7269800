package teamfile

import (
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/httptool"
	"github.com/agui-gateway/gateway/internal/egress"
)

// httpMethods are the methods of requests of tools.
var httpMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// mostHTTPBytes limits the limit of a response.
const mostHTTPBytes = 4 << 20

// httpTool reads a tool that makes requests.
func (b *builder) httpTool(f *Fields) (t groupchat.Tool) {
	o := httptool.Options{
		Name:        f.Need("name", "name the tool, for the model").Text(),
		Description: f.Need("description", "tell the model what the tool is for").Text(),
	}
	before, at := len(b.problems), f.Take("http")
	o.Parameters = parameters(f.Take("parameters"))
	request(at, &o)
	if len(b.problems) > before {
		return t
	}
	if !f.ok() { // the request is checked all the same
		o.Name, o.Description = "tool", "A tool."
	}
	o.HTTP = b.toolClient(o.Name)
	t, err := httptool.New(o)
	for _, inner := range joinedErrors(err) { // they quote nothing secret
		at.Bad("the request cannot be made: %s", strings.TrimPrefix(inner.Error(), "httptool: "))
	}
	return t
}

// request reads the request of a tool.
func request(n *Value, o *httptool.Options) {
	f := n.Fields("the request of a tool", "")
	address := f.Need("url", "say where it goes: `url: https://api.example/v1/cities/{city}`")
	o.URL = address.httpURL()
	if o.URL == "" {
		address.Bad("the URL is empty; say where the request goes")
	}
	o.Method = f.Take("method").OneOf(httpMethods...)
	o.Headers = singleHeaders(f.Take("headers"))
	o.Query, o.Body = arguments(f.Take("query"), "query"), arguments(f.Take("body"), "body")
	o.Idempotent = f.Take("idempotent").on()
	o.Timeout = f.Take("timeout").duration()
	most := f.Take("max_bytes")
	if o.MaxBytes = most.Count(1); o.MaxBytes > mostHTTPBytes {
		most.Bad("more than %d bytes; write less", mostHTTPBytes)
	}
	o.Select = f.Take("select").pointer()
	o.Retry = toolRetry(f)
	f.End()
}

// arguments reads the names of arguments: nil without a list, which is the default, and not nil for an empty list.
func arguments(n *Value, what string) []string {
	if n == nil {
		return nil
	}
	return append([]string{}, n.texts(what)...)
}

// mostToolRetries limits the retries of a call.
const mostToolRetries = 10

// toolRetry reads how often calls without an answer are made again.
func toolRetry(f *Fields) tools.Retry {
	times, backoff := f.Take("retries"), f.Take("backoff")
	r := tools.Retry{Times: times.Count(0), Backoff: backoff.duration()}
	switch {
	case r.Times > mostToolRetries:
		times.Bad("more than %d retries; write fewer", mostToolRetries)
	case backoff != nil && times == nil:
		backoff.Bad("backoff is the wait before a retry, and there is none; add `retries: 2`")
	}
	return r
}

// toolClient returns the client for the requests of a tool. The tools of a file share one.
func (b *builder) toolClient(tool string) *http.Client {
	if other := substitute(b.o.Substitutes.HTTP, tool); other != nil {
		return other
	}
	if b.o.HTTP != nil {
		return b.o.HTTP
	}
	if b.requests == nil {
		b.requests = egress.New()
		b.team.closers = append(b.team.closers, idleConnections{b.requests})
	}
	return b.requests
}

// idleConnections are those of a client, which are closed with the team.
type idleConnections struct{ client *http.Client }

// Close closes them.
func (c idleConnections) Close() error {
	c.client.CloseIdleConnections()
	return nil
}
