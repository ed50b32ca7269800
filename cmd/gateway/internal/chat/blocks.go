package chat

import (
	"slices"
	"strings"
)

type kind int

const (
	textBlock kind = iota // a message of an agent
	thought               // its reasoning
	noted                 // a line about something else
)

// A block is something that is shown in one piece: a message, or a line about a call.
type block struct {
	id   string
	kind kind
	by   string // name of the author
	text strings.Builder
	// waiting is text that arrived while another block was shown.
	waiting strings.Builder
	done    bool
}

// A display shows one block after the other.
type display interface {
	begin(b *block)
	write(b *block, text string)
	end(b *block)
}

// blocks separates concurrent output: the first block is shown as it arrives, and later ones wait for its end.
type blocks struct {
	display display
	list    []*block
}

// open begins a block, unless there is one of this id.
func (q *blocks) open(id string, k kind, by string) *block {
	if b := q.find(id); b != nil {
		return b
	}
	b := &block{id: id, kind: k, by: by}
	q.list = append(q.list, b)
	if len(q.list) == 1 {
		q.display.begin(b)
	}
	return b
}

func (q *blocks) find(id string) *block {
	if i := slices.IndexFunc(q.list, func(b *block) bool { return b.id == id }); i >= 0 {
		return q.list[i]
	}
	return nil
}

// add adds text to a block. Text of one that is not open is left out.
func (q *blocks) add(id, text string) {
	b := q.find(id)
	if b == nil || b.done {
		return
	}
	b.text.WriteString(text)
	if b == q.list[0] {
		q.display.write(b, text)
		return
	}
	b.waiting.WriteString(text)
}

func (q *blocks) end(id string) (ended *block) {
	b := q.find(id)
	if b == nil {
		return nil
	}
	b.done = true
	for len(q.list) > 0 && q.list[0].done {
		q.display.end(q.list[0])
		q.list = q.list[1:]
		if len(q.list) > 0 {
			first := q.list[0]
			q.display.begin(first)
			if first.waiting.Len() > 0 {
				q.display.write(first, first.waiting.String())
				first.waiting.Reset()
			}
		}
	}
	return b
}

// note shows a line in its turn.
func (q *blocks) note(id, text string) {
	q.open(id, noted, "")
	q.add(id, text)
	q.end(id)
}

func (q *blocks) flush() {
	for len(q.list) > 0 {
		q.end(q.list[0].id)
	}
}
