// Command gosdk is a terminal's client of an AG-UI agent, made of the community Go SDK: it reads what to send from the
// lines of its input and writes what it heard as lines of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/client/sse"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/sirupsen/logrus"
)

func main() {
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	client := sse.NewClient(sse.Config{Endpoint: os.Args[1], Logger: logger})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var input types.RunAgentInput
		if err := json.Unmarshal(lines.Bytes(), &input); err != nil {
			log.Fatal(err)
		}
		if err := run(client, events.NewEventDecoder(logger), input); err != nil {
			log.Fatal(err)
		}
	}
}

// run sends an input, and writes each event as it was decoded, and at the end an empty line.
func run(client *sse.Client, decoder *events.EventDecoder, input types.RunAgentInput) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	frames, failed, err := client.Stream(sse.StreamOptions{Context: ctx, Payload: input})
	if err != nil {
		return err
	}
	var heard []events.Event
	for frame := range frames {
		var head struct{ Type string }
		if err := json.Unmarshal(frame.Data, &head); err != nil {
			return err
		}
		event, err := decoder.DecodeEvent(head.Type, frame.Data)
		if err != nil {
			return fmt.Errorf("%s: %w", head.Type, err)
		}
		if err := event.Validate(); err != nil {
			return fmt.Errorf("%s: %w", head.Type, err)
		}
		heard = append(heard, event)
		line, err := json.Marshal(event)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	if err := <-failed; err != nil {
		return err
	}
	if err := events.ValidateSequence(heard); err != nil {
		return err
	}
	fmt.Println()
	return nil
}
