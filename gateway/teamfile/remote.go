package teamfile

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/langgraph"
)

// isRemote reports whether f is an agent of type agui, whose `agent` is none of this file.
func (f *fields) isRemote() bool {
	at := slices.IndexFunc(f.at.keys, func(k *node) bool { return k.text == "type" })
	return at >= 0 && f.at.items[at].text == "agui"
}

// remote reads an agent of type agui.
func (b *builder) remote(f *fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	r.agent = f.take("agent")
	r.o.Agent = b.text(r.agent)
	r.o.Server = client.ServerKind(b.oneOf(f.take("server"), string(client.ServerGateway), string(client.ServerCopilotKit), string(client.ServerOther)))
	r.o.Dialect = groupchat.RemoteDialect(b.oneOf(f.take("interrupts"), string(groupchat.RemoteStandard), string(groupchat.RemoteLegacy)))
	return b.newRemote("agui", r)
}

// remoteLangGraph reads an agent of type langgraph.
func (b *builder) remoteLangGraph(f *fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	assistant := f.need("assistant", "say which: `assistant: agent`, the name of a graph or the UUID of an assistant")
	name := b.text(assistant)
	if assistant != nil && name == "" && len(b.problems) == r.before {
		b.bad(assistant, "the assistant's name is empty; write the name of a graph or the UUID of an assistant")
	}
	if len(b.problems) > r.before {
		return nil
	}
	c, err := langgraph.New(langgraph.Options{
		URL: r.o.URL, Assistant: name, Headers: r.o.Headers, HTTP: r.o.HTTP, Idle: r.o.Idle, Timeout: r.o.Timeout,
	})
	if err != nil {
		b.bad(r.address, "%s", strings.Join(errorTexts(err), "; "))
		return nil
	}
	r.o.Client = c
	return b.newRemote("langgraph", r)
}

// remoteA2A reads an agent of type a2a.
func (b *builder) remoteA2A(f *fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	endpoint := b.httpURL(f.take("endpoint"))
	if len(b.problems) > r.before {
		return nil
	}
	c, err := a2a.New(a2a.Options{
		URL: r.o.URL, Endpoint: endpoint, State: r.o.State.Path != "",
		Headers: r.o.Headers, HTTP: r.o.HTTP, Idle: r.o.Idle, Timeout: r.o.Timeout,
	})
	if err != nil {
		b.bad(r.address, "%s", strings.Join(errorTexts(err), "; "))
		return nil
	}
	r.o.Client = c
	return b.newRemote("a2a", r)
}

// A remoteEntry is what the entry of an agent on another server has, whatever that speaks.
type remoteEntry struct {
	o groupchat.RemoteOptions
	// What was written for it, to complain of.
	address, forward, agent *node

	before int // problems there were before it was read
}

// remoteServer reads the keys that all agents on other servers have.
func (b *builder) remoteServer(f *fields, description string) remoteEntry {
	r := remoteEntry{before: len(b.problems)}
	r.address = f.need("url", "say where it is: `url: http://127.0.0.1:8000/agent`")
	at := b.httpURL(r.address)
	if r.address != nil && at == "" && len(b.problems) == r.before {
		b.bad(r.address, "the URL is empty; say where the agent is")
	}
	r.o = groupchat.RemoteOptions{
		URL:         at,
		Description: description,
		Headers:     b.headers(f.take("headers")),
		Timeout:     b.duration(f.take("timeout")),
		Idle:        b.duration(f.take("idle")),
		HTTP:        cmp.Or(insteadOf(b.substitutes.Remote, b.reading[len(b.reading)-1]), b.http),
	}
	r.forward = f.take("forward_headers")
	r.o.Forward = b.texts(r.forward, "forward_headers")
	if n := f.take("state"); n != nil {
		s := b.fields(n, "the state of a remote agent")
		r.o.State.Path = b.pointer(s.need("path", "say where its state lives in ours: `path: /upstream`"))
		b.wrote(r.o.State.Path, nil)
		s.end()
	}
	return r
}

// newRemote makes the agent of an entry of a type. Nil means that there is a mistake, which is noted.
func (b *builder) newRemote(kind string, r remoteEntry) groupchat.Agent {
	if len(b.problems) > r.before {
		return nil
	}
	remote, err := groupchat.NewRemote(r.o)
	if err != nil {
		b.bad(cmp.Or(r.agent, r.forward, r.address), "%s", strings.Join(errorTexts(err), "; ")) // the other values have been checked
		return nil
	}
	b.team.Parts.Remotes = append(b.team.Parts.Remotes, RemotePart{Name: b.reading[len(b.reading)-1], Type: kind, Remote: remote, Line: r.address.line})
	return remote
}

// errorTexts returns the texts of all errors that are joined in err, without their prefixes.
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
		texts = append(texts, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "remote: "), "client: "))
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
