package teamfile

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
)

// remote reads an agent of type agui.
func (b *builder) remote(f *fields, description string) groupchat.Agent {
	before := len(b.problems)
	address := f.need("url", "say where it is: `url: http://127.0.0.1:8000/agent`")
	at := b.httpURL(address)
	if address != nil && at == "" && len(b.problems) == before {
		b.bad(address, "the URL is empty; say where the agent is")
	}
	o := groupchat.RemoteOptions{
		URL:         at,
		Description: description,
		Headers:     b.headers(f.take("headers")),
		Timeout:     b.duration(f.take("timeout")),
		Idle:        b.duration(f.take("idle")),
		Server:      client.ServerKind(b.oneOf(f.take("server"), string(client.ServerGateway), string(client.ServerCopilotKit), string(client.ServerOther))),
		Dialect:     groupchat.RemoteDialect(b.oneOf(f.take("interrupts"), string(groupchat.RemoteStandard), string(groupchat.RemoteLegacy))),
		HTTP:        cmp.Or(insteadOf(b.substitutes.Remote, b.reading[len(b.reading)-1]), b.http),
	}
	forward := f.take("forward_headers")
	o.Forward = b.texts(forward, "forward_headers")
	if n := f.take("state"); n != nil {
		s := b.fields(n, "the state of a remote agent")
		o.State.Path = b.pointer(s.need("path", "say where its state lives in ours: `path: /upstream`"))
		b.wrote(o.State.Path, nil)
		s.end()
	}
	if len(b.problems) > before {
		return nil
	}
	r, err := groupchat.NewRemote(o)
	if err != nil {
		if forward == nil {
			forward = address // the other values have been checked
		}
		b.bad(forward, "%s", strings.Join(errorTexts(err), "; "))
		return nil
	}
	b.team.Parts.Remotes = append(b.team.Parts.Remotes, RemotePart{Name: b.reading[len(b.reading)-1], Remote: r, Line: address.line})
	return r
}

// errorTexts returns the texts of all errors that are joined in err, without their prefix.
func errorTexts(err error) []string {
	list := []error{err}
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		list = joined.Unwrap()
	}
	var texts []string
	for _, err := range list {
		texts = append(texts, strings.TrimPrefix(err.Error(), "remote: "))
	}
	return texts
}

// headers reads headers of requests. Errors never quote their values.
func (b *builder) headers(n *node) http.Header {
	keys, values := b.pairs(n, "headers")
	if len(keys) == 0 {
		return nil
	}
	h := http.Header{}
	for i, key := range keys {
		name := http.CanonicalHeaderKey(key.text)
		switch {
		case !headerName(key.text):
			b.bad(key, "no name of a header; write letters, digits and -")
		case h[name] != nil:
			b.bad(key, "this header is there already, letter case aside; remove one")
		}
		h[name] = []string{b.secret(values[i])}
	}
	return h
}

// headerName reports whether s is the name of a header (a token of RFC 9110).
func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
