package teamfile

import (
	"net/http"

	"github.com/agui-gateway/gateway/model"
)

// Substitutes stand in for what a team has elsewhere, in tests of teams. Each member may be nil, and may return nil for what is to stay
// as the file describes it.
type Substitutes struct {
	// Model returns what is asked in the place of the model m, which the file, or the settings, call name. Lists of models have the
	// substitutes of those that they name.
	Model func(name string, m model.Model) model.Model
	// Server returns the client of what answers for the MCP server of a name, over MCP's streamable HTTP. Its command is not run then, and its
	// headers and environment are not used.
	Server func(name string) *http.Client
	// HTTP returns the client of what answers the requests of the tool of a name.
	HTTP func(tool string) *http.Client
	// Remote returns the client of what answers for a remote agent, by the name that [RemotePart] has.
	Remote func(name string) *http.Client
}

// insteadOfModel is the model that agents get which name m.
func (b *builder) insteadOfModel(name string, m model.Model) model.Model {
	if m == nil || b.substitutes.Model == nil {
		return m
	}
	if other := b.substitutes.Model(name, m); other != nil {
		return other
	}
	return m
}

// insteadOf is the client with which the server, or the remote agent, of a name is asked; nil if it has no substitute.
func insteadOf(substitute func(string) *http.Client, name string) *http.Client {
	if substitute == nil {
		return nil
	}
	return substitute(name)
}
