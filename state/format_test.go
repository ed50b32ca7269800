package state_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/state"
)

func ExampleParseFormat() {
	stored, err := state.ParseFormat("agui-gateway threads 2")
	fmt.Println(stored, errors.Is(err, state.ErrLater))
	// Output:
	// 2 true
}

func TestFormats(t *testing.T) {
	t.Parallel()
	current := state.CurrentFormat
	for record, want := range map[string]struct {
		format state.Format
		err    error
	}{
		current.Record():                            {format: current},
		(current + 1).Record():                      {format: current + 1, err: state.ErrLater},
		(current - 1).Record():                      {format: current - 1, err: state.ErrOlder},
		"agui-gateway threads 1.0":                  {err: state.ErrOlder}, // before the first release
		"agui-gateway threads 1.2":                  {err: state.ErrOlder},
		"agui-gateway threads -1":                   {err: state.ErrFormat},
		"agui-gateway threads .1":                   {err: state.ErrFormat},
		"agui-gateway threads ":                     {err: state.ErrFormat},
		"agui-gateway threads 99999999999999999999": {err: state.ErrFormat},
		"another's threads 1":                       {err: state.ErrFormat},
		"":                                          {err: state.ErrFormat},
	} {
		if got, err := state.ParseFormat(record); got != want.format || !errors.Is(err, want.err) {
			t.Errorf("ParseFormat(%q) = %v, %v, want %v, %v", record, got, err, want.format, want.err)
		}
	}
}
