package chat

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/peterh/liner"
)

// ErrLeft is returned for a line that a person cancels by Ctrl-C, or by Ctrl-D on an empty line.
var ErrLeft = errors.New("chat: left")

// Lines reads lines that a person writes at a terminal.
type Lines interface {
	// Line displays prompt and text for editing, and returns the edited text. The error is ErrLeft, or the terminal's.
	Line(prompt, text string) (string, error)
	// Remember offers a line again.
	Remember(text string)
	// Drop discards input from before the prompt.
	Drop()
}

// A Terminal is this process' terminal. It is not safe for concurrent use.
type Terminal struct{ state *liner.State }

// IsTerminal reports whether a person is at standard input.
func IsTerminal() bool {
	_, err := liner.TerminalMode()
	return err == nil
}

// OpenTerminal prepares the terminal of this process. Without a call of Close it stays in that mode.
func OpenTerminal() *Terminal {
	t := &Terminal{}
	t.open()
	return t
}

func (t *Terminal) open() {
	t.state = liner.NewLiner()
	t.state.SetCtrlCAborts(true)
	t.state.SetMultiLineMode(true)
	t.state.SetBeep(false)
	t.state.SetCompleter(complete)
}

// complete are the commands that begin as the line does.
func complete(text string) (list []string) {
	if !strings.HasPrefix(text, "/") {
		return nil
	}
	for _, c := range commands {
		if strings.HasPrefix("/"+c.name, text) {
			list = append(list, "/"+c.name)
		}
	}
	return list
}

// Line reads a line.
func (t *Terminal) Line(prompt, text string) (string, error) {
	text, err := t.state.PromptWithSuggestion(prompt, text, -1)
	if errors.Is(err, liner.ErrPromptAborted) || errors.Is(err, io.EOF) {
		return "", ErrLeft
	}
	return text, err
}

// Remember puts a line among those that the arrow keys bring back.
func (t *Terminal) Remember(text string) { t.state.AppendHistory(text) }

// Drop discards input typed between prompts: it must not answer a question that the person has not seen.
func (t *Terminal) Drop() {
	var history bytes.Buffer
	_, err := t.state.WriteHistory(&history)
	_ = t.state.Close() // it returns nil
	dropInput(os.Stdin)
	t.open()
	if err == nil {
		_, _ = t.state.ReadHistory(&history) // what cannot be read is not offered again
	}
}

// Close makes the terminal what it was.
func (t *Terminal) Close() error { return t.state.Close() }
