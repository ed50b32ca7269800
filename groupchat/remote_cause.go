package groupchat

import (
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/redact"
)

// fault is a failure of the remote's, unless the run is over anyway. Its text is for the log: where the remote is, and
// what it said, without its input. One that leads back to itself keeps its code all the way, because it is for the
// operator that can fix it.
func (x *exchange) fault(err error) error {
	if x.t.ctx.Err() != nil {
		return err
	}
	code := errcode.RemoteFailed
	refused, ok := errors.AsType[*client.Error](err)
	if ok && refused.Code == string(errcode.RemoteLoop) ||
		x.Failed != nil && x.Failed.Code == string(errcode.RemoteLoop) {
		code = errcode.RemoteLoop
	}
	said := ""
	if ok {
		said = x.quoted(refused.Message)
	}
	return fail(code, "%s: %s: %w%s", x.t.Path(), x.r.client, err, said)
}

// reportedFailure is the failure that the remote tells of itself.
func (x *exchange) reportedFailure() error {
	text := "its run failed"
	if code := x.Failed.Code; code != "" {
		text += ": " + client.CodeName(code)
	}
	return errors.New(text + x.quoted(x.Failed.Message))
}

// quoted is what may be logged of what the remote said, empty if it said nothing.
func (x *exchange) quoted(said string) string {
	line := redact.Line(redact.Sentence([]byte(said)), x.secrets, textsOf(x.sentInput))
	if line == "" {
		return ""
	}
	return fmt.Sprintf(": remote said %q", line)
}

func textsOf(in agui.RunAgentInput) []string {
	texts := []string{string(in.State), string(in.ForwardedProps)}
	for _, m := range in.Messages {
		texts = append(texts, m.Content.Text())
		for _, c := range m.ToolCalls {
			texts = append(texts, c.Function.Arguments)
		}
	}
	for _, c := range in.Context {
		texts = append(texts, c.Value)
	}
	for _, r := range in.Resume {
		var payload agui.Content
		_ = exact.Unmarshal(r.Payload, &payload) // other values than text and parts have no text
		texts = append(texts, string(r.Payload), payload.Text())
	}
	return texts
}
