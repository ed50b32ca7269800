package langgraph

import (
	"context"
	"errors"
	"iter"
	"net/url"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// Options say which assistant a [Client] runs. URL and Assistant are required.
type Options struct {
	// Options name the server by the root of its API, and bound all that one run takes. Server and Agent are ignored.
	client.Options
	// Assistant is the name of a graph or the UUID of an assistant.
	Assistant string
}

// A Client runs one assistant of a LangGraph server. It is safe for concurrent use.
type Client struct {
	assistant string
	conn      *client.Client
}

// New returns a client. It asks the server nothing yet.
func New(o Options) (*Client, error) {
	if o.Assistant == "" {
		return nil, errors.New("langgraph: no assistant is named")
	}
	o.Server, o.Agent = client.ServerOther, ""
	conn, err := client.New(o.Options)
	if err != nil {
		return nil, err
	}
	return &Client{assistant: o.Assistant, conn: conn}, nil
}

// Host is the name of the server that is asked, without its port.
func (c *Client) Host() string { return c.conn.Host() }

// String names the assistant: the server's URL, without user, query and fragment, and the assistant's name.
func (c *Client) String() string { return c.conn.String() + " (" + c.assistant + ")" }

// Run begins a run of the assistant when its result is ranged over, once, and yields its AG-UI events, which have
// passed the [agui.Verifier]. The last one is terminal, unless an error follows, which is then the last thing: a
// [*client.Error], or the cause of ctx. What the assistant says about its own failure is RUN_ERROR, and no error of
// Run.
//
// The thread at the server is the input's. The server gets the messages that its thread lacks. Answers go to the
// questions that are open there, and to no others: an id in Resume is one that Run has yielded. A repeated request
// joins its run if that is still live, and otherwise gets the result from the thread. If the context is done, the
// events are not read to the end, or the answer is invalid, the run is cancelled at the server, unless the request's
// Leave keeps it.
func (c *Client) Run(ctx context.Context, r client.Request) iter.Seq2[agui.Event, error] {
	return client.Once(func(yield func(agui.Event, error) bool) error {
		s := c.conn.Session(ctx, r.Header)
		defer s.End()
		a := &answer{c: c, s: s, request: r, out: newTranslator(r.Writer(yield))}
		err := a.run()
		if err != nil {
			a.stop(ctx)
		}
		return err
	})
}

func (a *answer) call(method string, body any, path ...string) client.Call {
	return client.Call{Method: method, Path: append([]string{"threads", a.request.Input.ThreadID}, path...), Body: body}
}

func query(name, value string) url.Values { return url.Values{name: {value}} }
