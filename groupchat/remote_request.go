package groupchat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// A remoteRequest is one run asked of a remote agent. It is recorded before it is sent, so that a crash in between
// leads to the same request again: the rest of it follows from the conversation up to Last.
type remoteRequest struct {
	RunID string `json:"runId"`
	Last  string `json:"last,omitempty"` // the newest message there was
}

// request returns the nth request of the turn. A turn that is tried again begins with another one; answers are
// delivered by the same one until they have been taken.
func (r *Remote) request(t *Turn, n int) (remoteRequest, error) {
	return recorded(t, requestKey(t, n), func() (remoteRequest, error) {
		return remoteRequest{RunID: t.x.NewID(), Last: t.lastMessage()}, nil
	})
}

func requestKey(t *Turn, n int) string {
	key := "remote/" + strconv.Itoa(n)
	if n == 0 && t.record.Tries > 0 {
		key += "/" + strconv.Itoa(t.record.Tries)
	}
	return key
}

// begunKey is the key under which is recorded what the remote calls the work that a request has begun.
func (x *exchange) begunKey() string { return requestKey(x.t, x.n) + "/begun" }

// begins records it: see [client.Request].
func (x *exchange) begins(name string) error {
	_, err := recorded(x.t, x.begunKey(), func() (string, error) { return name, nil })
	return err
}

// remoteThread names the turn's thread at the remote: the same for the same thread, agent and path here, another one
// for another principal, whatever ids they choose. It looks like a UUID, because some servers insist on one.
func remoteThread(t *Turn) string {
	in := t.x.Input
	h := sha256.New()
	for _, part := range []string{in.Principal.ID, in.Agent, in.ThreadID, t.Path()} {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80 // version 8: made as its maker likes
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}

var errNoHeaders = errors.New("the caller's headers are not here, the run has moved")

// header is what the caller's request has of the headers that are passed on.
func (r *Remote) header(t *Turn) (http.Header, error) {
	if len(r.o.Forward) == 0 {
		return nil, nil
	}
	from := t.x.Input.Header
	if from == nil {
		return nil, errNoHeaders
	}
	header := http.Header{}
	for _, name := range r.o.Forward {
		if values := from.Values(name); len(values) > 0 {
			header[name] = values
		}
	}
	return header, nil
}

func (x *exchange) input(ctx context.Context, given *delivery) (agui.RunAgentInput, error) {
	in := x.t.x.Input
	out := agui.RunAgentInput{
		ThreadID: x.thread, RunID: x.sent.RunID, ParentRunID: in.RunID,
		Tools: in.Tools, Context: in.Context, State: x.State.Sent(), Messages: x.conversation(given),
	}
	var command json.RawMessage
	switch {
	case given == nil || len(given.pause.Questions) == 0:
	case given.pause.Dialect == RemoteLegacy:
		var err error
		if command, err = given.command(); err != nil {
			return out, err
		}
	default:
		out.Resume = given.resume()
	}
	var gateway json.RawMessage
	if given == nil {
		gateway = x.askGateway(ctx)
	}
	var err error
	out.ForwardedProps, err = props(in.ForwardedProps, command, gateway)
	return out, err
}

// props are the caller's properties but for those that were meant for us: the answer to a question, and what a gateway
// is in the request.
func props(own, command, gateway json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if len(own) > 0 && json.Unmarshal(own, &members) != nil && command == nil && gateway == nil {
		return own, nil // no object: nothing in it is ours
	}
	out := map[string]json.RawMessage{}
	for name, raw := range members {
		if name != "command" && name != "gateway" {
			out[name] = raw
		}
	}
	if command != nil {
		out["command"] = command
	}
	if gateway != nil {
		out["gateway"] = gateway
	}
	return json.Marshal(out)
}

// The headers by which a server learns that a request comes from a remote agent of another run. A remote agent may lead
// back to the direction of the call; a server that passes them on ([Input.Hops]) and refuses long chains ends that.
const (
	// HopsHeader says over how many remote agents the request has come: 1 or more.
	HopsHeader = "X-Gateway-Hops"
	// ChainHeader names the run that the first of them works for, with up to 64 letters, digits, '-' and '_'.
	ChainHeader = "X-Gateway-Chain"
)

// withHops returns the headers of a request to a remote agent, with what it has to know of the way to it.
func (t *Turn) withHops(header http.Header) http.Header {
	header = maps.Clone(header)
	if header == nil {
		header = http.Header{}
	}
	in := t.x.Input
	header.Set(HopsHeader, strconv.Itoa(in.Hops+1))
	if in.Chain != "" {
		header.Set(ChainHeader, in.Chain)
	}
	return header
}

// maxModelName is how many bytes the name of a remote agent's provider or model may have. A thread keeps it for its
// life.
const maxModelName = 200

// use counts the usage that the remote reports. Usage with too long a name is counted without one.
func (x *exchange) use(list []agui.TokenUsage) error {
	list = slices.Clone(list)
	for i := range list {
		if len(list[i].Provider) > maxModelName || len(list[i].Model) > maxModelName {
			list[i].Provider, list[i].Model = "", ""
		}
	}
	return x.t.x.addUsage(list...)
}
