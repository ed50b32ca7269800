package mcp

import (
	"context"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/telemetry"
)

// The texts that a model gets instead of a result.
const (
	unreachable = "The server of this tool cannot be reached."
	unknown     = "The connection to the server of this tool was lost. Whether it did anything is not known."
)

// keyMeta is the member of _meta with the call's idempotency key.
const keyMeta = "agui-gateway/idempotencyKey"

// sdkCodes are the codes of errors that the SDK makes itself where no answer came: the client or the server is closing,
// or the transport did not take the message.
var sdkCodes = []int64{-32003, -32004, -32005}

func (s *Server) call(ctx context.Context, name string, c groupchat.ToolCall) (tools.Result, error) {
	given, err := s.givenOf(c)
	if err != nil {
		return tools.Result{}, err
	}
	ctx = forCall(ctx, c)
	for again := false; ; again = true {
		conn, err := s.connected(ctx)
		if err != nil {
			return tools.Result{}, s.toolError(ctx, unreachable, err)
		}
		result, err := s.callOn(ctx, conn, given, &sdk.CallToolParams{
			Name: name, Arguments: c.Arguments, Meta: meta(ctx, c), InputResponses: given.round,
			RequestState: given.state,
		})
		switch {
		case err == nil && (result.NeedsInput() || len(result.InputRequests) > 0):
			return tools.Result{}, s.fromResult(result)
		case err == nil:
			return s.result(result, c.Arguments)
		}
		if question := questionOf(err); question != nil {
			return tools.Result{}, question
		}
		if ctx.Err() != nil {
			return tools.Result{}, context.Cause(ctx)
		}
		if refused := refusal(err); refused != nil {
			return tools.Result{},
				&tools.Error{Text: clip.To(refused.Message, s.o.MaxResult),
					Err: s.mask(err, string(c.Arguments))}
		}
		s.drop(conn, err)
		if !egress.NeverSent(err) && !errors.Is(err, sdk.ErrSessionMissing) {
			return tools.Result{}, s.toolError(ctx, unknown, err)
		}
		if again {
			return tools.Result{}, s.toolError(ctx, unreachable, err)
		}
	}
}

// meta returns the _meta of a call. It has the trace for programs on stdio, which get no headers.
func meta(ctx context.Context, c groupchat.ToolCall) sdk.Meta {
	m := sdk.Meta{keyMeta: c.Key}
	telemetry.Inject(ctx, func(name, value string) { m[name] = value })
	return m
}

// callOn makes a call on a connection. If ctx ends before the answer came, the server is probed.
func (s *Server) callOn(ctx context.Context, conn *connection, g given,
	params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	defer s.probeAfter(ctx, conn)()
	calling, done, err := conn.call(ctx, g)
	if err != nil {
		return nil, err
	}
	defer done()
	result, err := conn.session.CallTool(calling, params)
	if cause := context.Cause(calling); err != nil && cause != nil {
		err = cause
	}
	return result, err
}

// refusal returns the error that a server answered instead of a result; nil if err is no answer of the server.
func refusal(err error) *jsonrpc.Error {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || slices.Contains(sdkCodes, refused.Code) {
		return nil
	}
	return refused
}

// toolError returns err with a text for the model, or the cause of ctx if the caller ended the call.
func (s *Server) toolError(ctx context.Context, text string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &tools.Error{Text: text, Err: s.connectionError(err), Temporary: true}
}
