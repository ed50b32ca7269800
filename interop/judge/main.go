// Command judge says what our Verifier thinks of event streams, for the tests that compare it with the reference
// client's.
//
// It reads one stream a line, a JSON array of events, and writes one line for each: {"at":-1} if it is accepted, else
// the index of the event that was refused and the rule it broke, or "decode" if it is not an event at all.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/agui-gateway/gateway/agui"
)

type verdict struct {
	At   int    `json:"at"`
	Rule string `json:"rule,omitempty"`
}

func main() {
	if err := judgeAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func judgeAll(r io.Reader, w io.Writer) error {
	in := json.NewDecoder(r)
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	for {
		var events []json.RawMessage
		switch err := in.Decode(&events); {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case err != nil:
			return err
		}
		if err := enc.Encode(judge(events)); err != nil {
			return err
		}
	}
}

func judge(events []json.RawMessage) verdict {
	var v agui.Verifier
	for i, data := range events {
		e, err := agui.Decode(data, nil)
		if err != nil {
			return verdict{At: i, Rule: "decode"}
		}
		var order *agui.OrderError
		if errors.As(v.Next(e), &order) {
			return verdict{At: i, Rule: string(order.Rule)}
		}
	}
	return verdict{At: -1}
}
