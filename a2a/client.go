package a2a

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// Options say which agent a [Client] asks. Only URL is required.
type Options struct {
	// Options name the server, and bound its answers. The URL is that of the agent's card, if its path ends with .json,
	// or of the directory above the card's well-known path. Server and Agent are ignored.
	client.Options
	// Endpoint replaces the URL in the agent's card. It may be on another server, which then gets the headers.
	Endpoint string
	// State gives the agent a part of the state: it stores the agent's data, and the agent gets it with each message.
	State bool
}

// A Client asks an agent that speaks A2A, and tells what it answers as events of AG-UI. It is safe for concurrent use.
type Client struct {
	o    Options
	http *client.Client
	at   *url.URL // of the card

	mu    sync.Mutex
	card  *agentCard // as it was last; nil if it was never there
	known endpoint
	until time.Time // when it has to be read again
}

// wellKnown is the path of a card.
const wellKnown = ".well-known/agent-card.json"

// New returns a client. It asks the server nothing yet.
func New(o Options) (*Client, error) {
	o.Server, o.Agent = client.ServerOther, ""
	c, err := client.New(o.Options)
	if err != nil {
		return nil, err
	}
	if u, err := url.Parse(o.Endpoint); o.Endpoint != "" &&
		(err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, errors.New("a2a: the endpoint must begin with http:// or https:// and name a host")
	}
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.New("a2a: the URL cannot be read") // the cause quotes it
	}
	if !strings.HasSuffix(at.Path, ".json") {
		at = at.JoinPath(wellKnown)
	}
	return &Client{o: o, http: c, at: at}, nil
}

// Host is the name of the server that has the card, without its port.
func (c *Client) Host() string { return c.http.Host() }

// String names the agent by its URL, without user, query and fragment.
func (c *Client) String() string { return c.http.String() }

// Description is what the agent's card tells of it, empty until it has been read.
func (c *Client) Description() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.card == nil {
		return ""
	}
	return c.card.description()
}

// cardAge is how long a card is believed, maxCard how many bytes it may have.
const (
	cardAge = time.Minute
	maxCard = 1 << 20
)

// endpoint returns where the agent is asked. Its card is read if that is not known, or was so long ago.
func (c *Client) endpoint(s *client.Session) (endpoint, error) {
	c.mu.Lock()
	e, until := c.known, c.until
	c.mu.Unlock()
	if time.Now().Before(until) {
		return e, nil
	}
	card, err := c.readCard(s)
	if err != nil {
		return endpoint{}, err
	}
	if e, err = card.endpoint(&c.o, c.at); err != nil {
		return endpoint{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.card, c.known, c.until = card, e, time.Now().Add(cardAge)
	return e, nil
}

func (c *Client) readCard(s *client.Session) (*agentCard, error) {
	header := http.Header{versionHeader: {version10}} // a server may have a card for each
	for record, err := range s.Records(client.Call{Method: http.MethodGet, URL: c.at, Header: header}) {
		if err != nil {
			return nil, err
		}
		if len(record.Data) > maxCard {
			return nil, &client.Error{Fault: client.FaultTooLarge, Err: ErrCard}
		}
		return parseCard(record.Data)
	}
	return nil, &client.Error{Fault: client.FaultInvalid, Err: ErrCard}
}

// forget makes the next request read the card again.
func (c *Client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = time.Time{}
}

// Probe reads the agent's card and asks for a task that there is not, so that nothing is begun. An error is a
// [*client.Error] or the cause of ctx; see [ErrCard] and the like.
func (c *Client) Probe(ctx context.Context, header http.Header) error {
	ctx, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	s := c.http.Session(ctx, header)
	defer s.End()
	c.forget()
	e, err := c.endpoint(s)
	if err != nil {
		return err
	}
	_, err = e.event(s, e.dialect.get, e.params(map[string]any{"id": "probe"}))
	if isRPC(err, codeVersionNotSupported, codeMethodNotFound) || !isAnswer(err) {
		return err
	}
	return nil
}

// isAnswer reports whether an agent has answered, if only with an error.
func isAnswer(err error) bool {
	_, ok := errors.AsType[rpcError](err)
	return ok || err == nil
}

// Run asks the agent when its result is ranged over, once, and yields events as [client.Client.Run] does. The thread is
// a context there. Questions of the agent's are interrupts, and the request's answers continue the task that asked. A
// task in the request's Begun is followed and not sent again. If a run is not read to its end, or its context is done,
// its task is cancelled, unless Leave says otherwise.
func (c *Client) Run(ctx context.Context, r client.Request) iter.Seq2[agui.Event, error] {
	return client.Once(func(yield func(agui.Event, error) bool) error {
		a := &attempt{c: c, r: r, out: newTranslator(r, c.o.State, yield)}
		return a.run(ctx)
	})
}
