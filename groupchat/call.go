package groupchat

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// CallTool calls a tool that the client runs and returns its result. The first time it returns a [*Pause]:
// the run ends with the call open, and the request that brings the result enters the turn again. A call the
// client never answers comes back as [state.NotAnswered]. Nil arguments are {}. A key is for one call.
func (t *Turn) CallTool(key, name string, arguments any) (agui.Content, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	args, err := json.Marshal(arguments)
	if err != nil {
		return agui.Content{}, fmt.Errorf("groupchat: call %s: %w", name, err)
	}
	if err := t.claimKey("call", key, name+string(args)); err != nil {
		return agui.Content{}, err
	}
	t.x.mu.Lock()
	call, made := t.keys.Calls[key]
	t.x.mu.Unlock()
	if call.Done {
		return call.Result, nil
	}
	if !made {
		call.ID = "call_" + t.x.NewID()
		w := t.clientWriter.ToolCall(agui.ToolCallOptions{ID: call.ID, Name: name})
		if _, err := w.Write(args); err != nil {
			return agui.Content{}, err
		}
		if err := w.Close(); err != nil {
			return agui.Content{}, err
		}
		t.x.mu.Lock()
		t.keys.Calls = with(t.keys.Calls, key, call)
		t.record.Acted = true
		t.x.mu.Unlock()
	}
	return agui.Content{}, t.notePause(&Pause{Calls: []state.Call{{ID: call.ID, Name: name}}})
}
