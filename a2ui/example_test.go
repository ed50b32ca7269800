package a2ui_test

import (
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
)

// A watcher makes activities of a result that holds operations.
func ExampleWatcher() {
	card := a2ui.Design{SurfaceID: "hotels", Components: []json.RawMessage{
		json.RawMessage(`{"id":"root","component":"Text","text":{"path":"/name"}}`),
	}, Data: json.RawMessage(`{"name":"The Ritz"}`)}
	fmt.Println(a2ui.FormatProblems(card.Validate(a2ui.Catalogue{})))

	w := a2ui.NewWatcher(a2ui.Options{})
	_, after := w.Next(&agui.ToolCallResult{
		ToolCallID: "call_1", Role: agui.RoleTool, Content: agui.TextContent(a2ui.Result(card.Operations(""))),
	})
	for _, e := range after {
		shown := e.(*agui.ActivitySnapshot)
		fmt.Println(shown.MessageID, shown.ActivityType, len(a2ui.ReadResult(string(shown.Content))))
	}
	// Output:
	//
	// a2ui-surface-call_1 a2ui-surface 3
}
