package a2a

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strconv"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
)

// The codes of errors that mean something to us, of JSON-RPC and of A2A.
const (
	codeMethodNotFound      = -32601
	codeTaskNotFound        = -32001
	codeTaskNotCancelable   = -32002
	codeUnsupported         = -32004
	codeVersionNotSupported = -32009
)

// An rpcError is an error that the agent has answered with. What it says is in the [client.Error] around it.
type rpcError int

// Error names the error.
func (e rpcError) Error() string {
	names := map[rpcError]string{
		codeMethodNotFound: "method not found", codeTaskNotFound: "task not found",
		codeTaskNotCancelable: "task not cancelable",
		codeUnsupported:       "unsupported operation", codeVersionNotSupported: "version not supported",
		-32602: "invalid params", -32603: "internal error", -32005: "content type not supported",
		-32008: "extension support required",
	}
	text := "JSON-RPC error " + strconv.Itoa(int(e))
	if name := names[e]; name != "" {
		text += ", " + name
	}
	return text
}

// isRPC reports whether err is an error that the agent has answered with, of one of the codes.
func isRPC(err error, codes ...int) bool {
	e, ok := errors.AsType[rpcError](err)
	for _, code := range codes {
		if ok && int(e) == code {
			return true
		}
	}
	return false
}

var errNoResult = errors.New("the answer is no response of JSON-RPC")

// call yields the results that a method is answered with: one, or those of a stream.
func (e endpoint) call(s *client.Session, method string, params map[string]any) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		body := map[string]any{"jsonrpc": "2.0", "id": "1", "method": method, "params": params}
		header := http.Header{versionHeader: {e.dialect.version}}
		for record, err := range s.Records(client.Call{Method: http.MethodPost, URL: e.url, Body: body,
			Header: header}) {
			if err != nil {
				yield(nil, err)
				return
			}
			result, err := parseResponse(record.Data)
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

func parseResponse(data []byte) (json.RawMessage, error) {
	var body struct {
		JSONRPC string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	switch {
	case exact.Unmarshal(data, &body) != nil, body.JSONRPC != "2.0", body.Error == nil && body.Result == nil:
		return nil, &client.Error{Fault: client.FaultInvalid, Err: errNoResult}
	case body.Error != nil:
		return nil,
			&client.Error{Fault: client.FaultStatus, Message: body.Error.Message, Err: rpcError(body.Error.Code)}
	default:
		return body.Result, nil
	}
}

// event is the one event that a method is answered with.
func (e endpoint) event(s *client.Session, method string, params map[string]any) (event, error) {
	for result, err := range e.call(s, method, params) {
		if err != nil {
			return event{}, err
		}
		return parseResult(result)
	}
	return event{}, &client.Error{Fault: client.FaultCut, Err: errNoResult}
}

// parseResult is [parseEvent] with an error for callers.
func parseResult(result json.RawMessage) (event, error) {
	e, err := parseEvent(result)
	if err != nil {
		return e, &client.Error{Fault: client.FaultInvalid, Err: err}
	}
	return e, nil
}
