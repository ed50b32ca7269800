package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// A run that ended with a question, for each kind of reader.
func ExampleProfile_Project() {
	question := agui.Interrupt{ID: "int-1", Reason: "input_required", Message: "Which size?"}
	event := &agui.RunFinished{ThreadID: "thread", RunID: "run", Outcome: &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: []agui.Interrupt{question}}}
	data, err := agui.Encode(event)
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := state.Frame{
		ID: state.FrameID{Fence: 7, Seq: 3}, Type: agui.TypeOf(event), Data: data,
		Ending: &state.Ending{Open: []agui.Interrupt{question}},
	}
	for _, reader := range []struct {
		name    string
		profile wire.Profile
	}{
		{"AG-UI 1.0", wire.Profile{Era: agui.Era1}},
		{"legacy", wire.Profile{Dialect: wire.Legacy}},
	} {
		frames, _, err := reader.profile.Project(nil, stored)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range frames {
			var shown struct{ Type, Name string }
			if err := json.Unmarshal(f.Data, &shown); err != nil {
				fmt.Println(err)
			}
			fmt.Printf("%s: %s\n", reader.name, strings.TrimSpace(shown.Type+" "+shown.Name))
		}
	}
	// Output:
	// AG-UI 1.0: RUN_FINISHED
	// legacy: CUSTOM on_interrupt
	// legacy: RUN_FINISHED
}
