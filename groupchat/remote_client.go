package groupchat

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// A RemoteClient speaks to the server of a [Remote]. It is safe for concurrent use.
//
// A client of another protocol than AG-UI yields a run there as [client.Client.Run] does: whole events that have passed
// the [agui.Verifier], the last of which is terminal, and which the caller may change. The request's input is what it
// sends: ThreadID is the name of the thread at the server, the same for the same thread and path here; RunID is that of
// the run, the same for a request that is repeated because a gateway went down; Messages are all of the conversation
// under the server's ids, and Resume has the answers to its questions. The argument of Begins is in Begun when the
// request is repeated. A client may have a method Description() string, the server's description of the agent as far as
// that is known, for a team that has none of it. Its errors are [*client.Error]s, with texts that may be logged.
type RemoteClient interface {
	Run(ctx context.Context, r client.Request) iter.Seq2[agui.Event, error]
	// Probe asks the server whether the agent is there, and runs nothing.
	Probe(ctx context.Context, header http.Header) error
	// Host is the name of the server, for spans.
	Host() string
	// String is the agent's URL as it may be logged.
	String() string
}

var _ RemoteClient = (*client.Client)(nil)

// interrupts are the questions that a gateway at the other end has open in the turn's thread; other servers tell of
// none.
func (x *exchange) interrupts(ctx context.Context) ([]agui.Interrupt, error) {
	c, ok := x.r.client.(*client.Client)
	if !ok {
		return nil, nil
	}
	return c.Interrupts(ctx, x.thread, x.header)
}

// askGateway is the part of a new request for a gateway at the other end; nil for other servers. Messages that it added
// behind our last message never reached our conversation, so it has to be said again.
func (x *exchange) askGateway(ctx context.Context) json.RawMessage {
	if c, ok := x.r.client.(*client.Client); ok && c.Server(ctx, x.header) == client.ServerGateway {
		return json.RawMessage(`{"regenerate":true}`)
	}
	return nil
}
