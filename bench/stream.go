package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/agui-gateway/gateway/agui"
)

// A seen is what a reader saw of one run.
type seen struct {
	events int
	bytes  int
	text   int // bytes of text
}

var errNoEnd = errors.New("the stream ended before the run did")

// readStream reads a run's events to the terminal one, each checked by the verifier, and calls first for the first
// event and for the first text.
func readStream(body io.Reader, first func(text bool)) (seen, error) {
	var s seen
	var verifier agui.Verifier
	lines := bufio.NewReaderSize(body, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return s, errors.Join(errNoEnd, err)
		}
		s.bytes += len(line)
		data, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if !ok {
			continue
		}
		event, err := agui.DecodeWritten(bytes.TrimPrefix(data, []byte(" ")))
		if err != nil {
			return s, err
		}
		if err := verifier.Next(event); err != nil {
			return s, err
		}
		if s.events++; s.events == 1 {
			first(false)
		}
		switch e := event.(type) {
		case *agui.TextMessageContent:
			if s.text == 0 {
				first(true)
			}
			s.text += len(e.Delta)
		case *agui.RunFinished:
			return s, nil
		case *agui.RunError:
			return s, fmt.Errorf("the run failed: %s", e.Code)
		}
	}
}
