package teamfile

import (
	"cmp"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/langgraph"
)

// remote reads an agent of type agui.
func (b *builder) remote(f *Fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	r.agent = f.Take("agent")
	r.o.Agent = r.agent.Text()
	r.o.Server = oneOf(f.Take("server"), client.ServerGateway, client.ServerCopilotKit, client.ServerOther)
	r.o.Dialect = oneOf(f.Take("interrupts"), groupchat.RemoteStandard, groupchat.RemoteLegacy)
	return b.newRemote("agui", r, nil, nil)
}

// remoteLangGraph reads an agent of type langgraph.
func (b *builder) remoteLangGraph(f *Fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	const hint = "say which: `assistant: agent`, the name of a graph or the UUID of an assistant"
	assistant := f.Need("assistant", hint)
	name := assistant.Text()
	if name == "" {
		assistant.Bad("the assistant's name is empty; write the name of a graph or the UUID of an assistant")
	}
	if len(b.problems) > r.before {
		return nil
	}
	c, err := langgraph.New(langgraph.Options{Options: r.client(), Assistant: name})
	return b.newRemote("langgraph", r, c, err)
}

// remoteA2A reads an agent of type a2a.
func (b *builder) remoteA2A(f *Fields, description string) groupchat.Agent {
	r := b.remoteServer(f, description)
	endpoint := f.Take("endpoint").httpURL()
	if len(b.problems) > r.before {
		return nil
	}
	c, err := a2a.New(a2a.Options{Options: r.client(), Endpoint: endpoint, State: r.o.State.Path != ""})
	return b.newRemote("a2a", r, c, err)
}

// A remoteEntry is the entry of an agent on another server, for all protocols.
type remoteEntry struct {
	o groupchat.RemoteOptions
	// The values at which problems are noted.
	address, forward, agent *Value

	before int // the number of problems before it was read
}

// client returns the options of a client for another protocol.
func (r *remoteEntry) client() client.Options {
	return client.Options{URL: r.o.URL, Headers: r.o.Headers, HTTP: r.o.HTTP, Idle: r.o.Idle, Timeout: r.o.Timeout}
}

// remoteServer reads the keys that all agents on other servers have.
func (b *builder) remoteServer(f *Fields, description string) remoteEntry {
	r := remoteEntry{before: len(b.problems)}
	r.address = f.Need("url", "say where it is: `url: http://127.0.0.1:8000/agent`")
	at := r.address.httpURL()
	if at == "" {
		r.address.Bad("the URL is empty; say where the agent is")
	}
	r.o = groupchat.RemoteOptions{
		URL:            at,
		Description:    description,
		Headers:        readHeaders(f.Take("headers")),
		Timeout:        f.Take("timeout").duration(),
		Idle:           f.Take("idle").duration(),
		HTTP:           cmp.Or(substitute(b.o.Substitutes.Remote, b.reading[len(b.reading)-1]), b.o.HTTP),
		AllowAddresses: b.o.AllowAddresses,
	}
	r.forward = f.Take("forward_headers")
	r.o.Forward = r.forward.texts("forward_headers")
	if n := f.Take("state"); n != nil {
		s := n.Fields("the state of a remote agent", "")
		r.o.State.Path = s.Need("path", "say where its state lives in ours: `path: /upstream`").pointer()
		b.wrote(r.o.State.Path, nil)
		s.End()
	}
	return r
}

// newRemote makes the agent of an entry of a type, with a client of its protocol or the error of that. It returns nil
// after a mistake, which is noted.
func (b *builder) newRemote(kind string, r remoteEntry, c groupchat.RemoteClient, err error) groupchat.Agent {
	if err != nil {
		r.address.Bad("%s", errorTexts(err))
	}
	if len(b.problems) > r.before {
		return nil
	}
	r.o.Client = c
	remote, err := groupchat.NewRemote(r.o)
	if err != nil {
		cmp.Or(r.agent, r.forward, r.address).Bad("%s", errorTexts(err)) // the other values have been checked
		return nil
	}
	part := RemotePart{Name: b.reading[len(b.reading)-1], Type: kind, Remote: remote, Line: r.address.line}
	b.team.Parts.Remotes = append(b.team.Parts.Remotes, part)
	return remote
}

// errorTexts returns the texts of all errors that are joined in err, without their prefixes.
func errorTexts(err error) string {
	var texts []string
	for _, err := range joinedErrors(err) {
		texts = append(texts, strings.TrimPrefix(strings.TrimPrefix(err.Error(), "remote: "), "client: "))
	}
	return strings.Join(texts, "; ")
}

// readHeaders reads headers of requests. Errors never quote their values.
func readHeaders(n *Value) http.Header {
	keys, values := n.Pairs("headers")
	if len(keys) == 0 {
		return nil
	}
	h := http.Header{}
	for i, key := range keys {
		name := http.CanonicalHeaderKey(key.text)
		switch {
		case !httpguts.ValidHeaderFieldName(key.text):
			key.Bad("no name of a header; write letters, digits and -")
		case h[name] != nil:
			key.Bad("this header is there already, letter case aside; remove one")
		}
		h[name] = []string{values[i].secret()}
	}
	return h
}

// singleHeaders reads headers as a map with one value each; nil if there are none.
func singleHeaders(n *Value) map[string]string {
	var single map[string]string
	for name, values := range readHeaders(n) {
		if single == nil {
			single = map[string]string{}
		}
		single[name] = values[0]
	}
	return single
}
