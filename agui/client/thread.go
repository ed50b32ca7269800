package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A Thread is a gateway's description of a conversation, as of its last commit.
type Thread struct {
	ID string `json:"id"`
	// Agent is whom the conversation is with.
	Agent string `json:"agent"`
	// Status is idle, running, interrupted or failed.
	Status    string    `json:"status"`
	Title     string    `json:"title"`
	UpdatedAt time.Time `json:"updatedAt"`
	// State, Messages and Interrupts, the open questions, are those of [Client.Thread]; a list of threads has none.
	State      json.RawMessage  `json:"state"`
	Messages   []agui.Message   `json:"messages"`
	Interrupts []agui.Interrupt `json:"interrupts"`
}

// ErrNoThread is returned for an unknown thread, and for servers without threads.
var ErrNoThread = errors.New("client: there is no such thread")

// Thread requests a thread of the client's agent from a gateway, with its newest messages, at most limit of them; 0 is
// all. Other servers have no such route: the error is [ErrNoThread].
func (c *Client) Thread(ctx context.Context, threadID string, limit int, header http.Header) (*Thread, error) {
	if c.Server(ctx, header) != ServerGateway {
		return nil, ErrNoThread
	}
	u := c.thread(threadID, "")
	if limit > 0 {
		q := u.Query()
		q.Set("limit", strconv.Itoa(limit))
		u.RawQuery = q.Encode()
	}
	var reply Thread
	err := c.ask(ctx, header, Call{Method: http.MethodGet, URL: u}, &reply)
	if e, ok := errors.AsType[*Error](err); ok && e.Status == http.StatusNotFound {
		return nil, ErrNoThread
	}
	if err != nil {
		return nil, err
	}
	return &reply, nil
}

// Threads requests the newest threads of the caller and agent, at most limit. Other servers give [ErrNoThread].
func (c *Client) Threads(ctx context.Context, limit int, header http.Header) ([]Thread, error) {
	if c.Server(ctx, header) != ServerGateway {
		return nil, ErrNoThread
	}
	u := *c.url
	u.RawQuery = url.Values{"agent": {c.Agent()}, "limit": {strconv.Itoa(limit)}}.Encode()
	var reply struct {
		Threads []Thread `json:"threads"`
	}
	err := c.ask(ctx, header, Call{Method: http.MethodGet, URL: u.JoinPath("..", "..", "threads")}, &reply)
	return reply.Threads, err
}

// Agent returns the name of the client's agent in the URL: its last element, or the one before /run.
func (c *Client) Agent() string {
	_, before, name := splitAgentPath(c.url)
	if kindByPath(c.url) == ServerCopilotKit {
		name = before
	}
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}
