package teamfile

import (
	"net/http"

	"github.com/agui-gateway/gateway/model"
)

// Substitutes replace the models and servers of a team in tests. Each member may be nil, and may return nil to leave a
// part as the file describes it.
type Substitutes struct {
	// Model returns the replacement of the model m with a name of the file, or of the settings. Lists of models have
	// the substitutes of those that they name.
	Model func(name string, m model.Model) model.Model
	// Server returns the client of the replacement of an MCP server, over MCP's streamable HTTP. The server's command
	// is not run then, and its headers and environment are not used.
	Server func(name string) *http.Client
	// HTTP returns the client of the server that answers the requests of a tool.
	HTTP func(tool string) *http.Client
	// Remote returns the client of the replacement of a remote agent, by the name that [RemotePart] has.
	Remote func(name string) *http.Client
}

// substituted returns the model that agents get when they name m.
func (b *builder) substituted(name string, m model.Model) model.Model {
	if m != nil && b.o.Substitutes.Model != nil {
		if other := b.o.Substitutes.Model(name, m); other != nil {
			return other
		}
	}
	return m
}

// substitute returns the client of the replacement with a name; nil if there is none.
func substitute(of func(string) *http.Client, name string) *http.Client {
	if of == nil {
		return nil
	}
	return of(name)
}
