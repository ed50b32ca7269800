package mcp

import (
	"context"
	"errors"
	"net"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
)

// What a model is told of a call that came to nothing.
const (
	unreachable = "The server of this tool cannot be reached."
	unknown     = "The connection to the server of this tool was lost. Whether it did anything is not known."
)

// keyMeta is the name under which a server is told the call's idempotency key.
const keyMeta = "agui-gateway/idempotencyKey"

// ours are codes of errors that the SDK makes where no answer came: the client or the server is closing, and the transport
// did not take the message.
var ours = []int64{-32003, -32004, -32005}

// call calls a tool.
func (s *Server) call(ctx context.Context, name string, c groupchat.ToolCall) (groupchat.ToolResult, error) {
	for again := false; ; again = true {
		conn, err := s.connected(ctx)
		if err != nil {
			return groupchat.ToolResult{}, s.told(ctx, unreachable, err)
		}
		result, err := s.callOver(ctx, conn, &sdk.CallToolParams{Name: name, Arguments: c.Arguments, Meta: sdk.Meta{keyMeta: c.Key}})
		if err == nil {
			return s.result(result, c.Arguments)
		}
		if ctx.Err() != nil {
			return groupchat.ToolResult{}, context.Cause(ctx)
		}
		if refused := refusal(err); refused != nil {
			return groupchat.ToolResult{}, &groupchat.ToolError{Text: clip(refused.Message, s.o.MaxResult), Err: s.mask(err, string(c.Arguments))}
		}
		s.drop(conn, err)
		if !unseen(err) {
			return groupchat.ToolResult{}, s.told(ctx, unknown, err)
		}
		if again {
			return groupchat.ToolResult{}, s.told(ctx, unreachable, err)
		}
	}
}

// callOver makes a call over a connection. If nobody waits for the answer any more it is found out whether there would ever be one.
func (s *Server) callOver(ctx context.Context, conn *connection, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	defer s.checkAfter(ctx, conn)()
	calling, done := conn.call(ctx)
	defer done()
	result, err := conn.session.CallTool(calling, params)
	if cause := context.Cause(calling); err != nil && cause != nil {
		err = cause
	}
	return result, err
}

// refusal is what a server answered instead of a result; nil if err is no answer.
func refusal(err error) *jsonrpc.Error {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || slices.Contains(ours, refused.Code) {
		return nil
	}
	return refused
}

// told is a failure in words for the model, unless it is the caller's that the call was over.
func (s *Server) told(ctx context.Context, text string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &groupchat.ToolError{Text: text, Err: s.lost(err)}
}

// unseen reports whether the server cannot have seen a call that failed with err: nobody took the connection, or it knows
// nothing of the session.
func unseen(err error) bool {
	if errors.Is(err, sdk.ErrSessionMissing) {
		return true
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && dial.Op == "dial"
}
