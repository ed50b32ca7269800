package state_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/state"
)

func ExampleParseFormat() {
	stored, err := state.ParseFormat("agui-gateway threads 2.1")
	fmt.Println(stored, err)
	fmt.Println(errors.Is(stored.Check(), state.ErrLater))
	// Output:
	// 2.1 <nil>
	// true
}

func TestFormats(t *testing.T) {
	t.Parallel()
	current := state.CurrentFormat
	for record, want := range map[string]struct {
		format state.Format
		err    error
		check  error
	}{
		current.Record():           {format: current},
		"agui-gateway threads 1":   {format: state.Format{Major: 1}}, // as files of 1.0 have it
		"agui-gateway threads 1.0": {format: state.Format{Major: 1}},
		state.Format{Major: current.Major, Minor: current.Minor + 7}.Record(): {format: state.Format{Major: current.Major, Minor: current.Minor + 7}},
		state.Format{Major: current.Major + 1}.Record():                       {format: state.Format{Major: current.Major + 1}, check: state.ErrLater},
		"agui-gateway threads 0.9":                                            {err: state.ErrFormat},
		"agui-gateway threads 1.":                                             {err: state.ErrFormat},
		"agui-gateway threads -1":                                             {err: state.ErrFormat},
		"agui-gateway threads 1.1.1":                                          {err: state.ErrFormat},
		"agui-gateway threads 99999999999999999999":                           {err: state.ErrFormat},
		"another's threads 1.1":                                               {err: state.ErrFormat},
		"":                                                                    {err: state.ErrFormat},
	} {
		got, err := state.ParseFormat(record)
		if got != want.format || !errors.Is(err, want.err) {
			t.Errorf("ParseFormat(%q) = %v, %v, want %v, %v", record, got, err, want.format, want.err)
		}
		if err := got.Check(); !errors.Is(err, want.check) {
			t.Errorf("%v.Check() = %v, want %v", got, err, want.check)
		}
	}
	for _, later := range []state.Format{{1, 2}, {2, 0}} {
		if older := (state.Format{Major: 1, Minor: 1}); !later.Later(older) || older.Later(later) || later.Later(later) {
			t.Errorf("%v is not later than %v", later, older)
		}
	}
}
