package telemetry_test

import (
	"context"
	"fmt"

	"github.com/agui-gateway/gateway/telemetry"
)

// Whoever follows a run sees each step twice: when it begins, and when it has ended.
func Example() {
	ctx := telemetry.WithSink(context.Background(), "", func(r telemetry.Record) {
		fmt.Println(r.ID, r.Parent, r.Kind, r.Name, r.End != 0)
	})
	ctx, turn := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTurn, Name: "hotels"})
	_, call := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindTool, Name: "search"})
	call.End(nil)
	turn.End(nil)
	// Output:
	// 1  turn hotels false
	// 2 1 tool search false
	// 2 1 tool search true
	// 1  turn hotels true
}
