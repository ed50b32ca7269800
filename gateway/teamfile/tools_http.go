package teamfile

import (
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/httptool"
	"github.com/agui-gateway/gateway/internal/egress"
)

// httpMethods are the methods of requests of tools.
var httpMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// mostHTTPBytes is how large an answer may be.
const mostHTTPBytes = 4 << 20

// httpTool reads a tool that the file describes and whose calls are requests.
func (b *builder) httpTool(f *fields) groupchat.Tool {
	before := len(b.problems)
	o := httptool.Options{
		Name:        b.text(f.need("name", "name the tool, for the model")),
		Description: b.text(f.need("description", "tell the model what the tool is for")),
		Parameters:  b.parameters(f.take("parameters")),
	}
	at := f.take("http")
	if at == nil {
		return groupchat.Tool{} // it has no value, which is noted
	}
	b.request(at, &o)
	if len(b.problems) > before {
		return groupchat.Tool{}
	}
	o.HTTP = b.toolClient(o.Name)
	t, err := httptool.New(o)
	if err == nil {
		return t
	}
	for _, text := range errorTexts(err) { // they quote nothing that may be secret
		b.bad(at, "the request cannot be made: %s", strings.TrimPrefix(text, "httptool: "))
	}
	return t
}

// request reads the request of a tool.
func (b *builder) request(n *node, o *httptool.Options) {
	f := b.fields(n, "the request of a tool")
	address := f.need("url", "say where it goes: `url: https://api.example/v1/cities/{city}`")
	o.URL = b.httpURL(address)
	if address != nil && o.URL == "" && address.text == "" {
		b.bad(address, "the URL is empty; say where the request goes")
	}
	o.Method = b.oneOf(f.take("method"), httpMethods...)
	for name, values := range b.headers(f.take("headers")) {
		if o.Headers == nil {
			o.Headers = map[string]string{}
		}
		o.Headers[name] = values[0]
	}
	o.Query, o.Body = b.arguments(f.take("query"), "query"), b.arguments(f.take("body"), "body")
	if on := b.flag(f.take("idempotent")); on != nil {
		o.Idempotent = *on
	}
	o.Timeout = b.duration(f.take("timeout"))
	most := f.take("max_bytes")
	if o.MaxBytes = b.count(most, 1); o.MaxBytes > mostHTTPBytes {
		b.bad(most, "more than %d bytes; write less", mostHTTPBytes)
	}
	o.Select = b.pointer(f.take("select"))
	o.Retry = b.toolRetry(f)
	f.end()
}

// arguments reads the names of arguments; an empty list is none, where no list is what is usual.
func (b *builder) arguments(n *node, what string) []string {
	if n == nil {
		return nil
	}
	return append([]string{}, b.texts(n, what)...)
}

// toolClient makes the requests of the tool of a name. The tools of a file share one client.
func (b *builder) toolClient(name string) *http.Client {
	if other := insteadOf(b.substitutes.HTTP, name); other != nil {
		return other
	}
	if b.http != nil {
		return b.http
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
