package guard

import (
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
)

// MaxHeld is how many bytes of one text may be held back. An [Edit] that holds back more fails with hook_failed.
const MaxHeld = 256 << 10

// A Kind says what a text is.
type Kind string

// The kinds of texts that people see.
const (
	Words     Kind = "words"     // what an agent says
	Reasoning Kind = "reasoning" // what its model thinks
)

// A Passage is the part of a text that has not passed yet: the held part, followed by the new one.
type Passage struct {
	Turn *groupchat.Turn
	Kind Kind
	ID   string // of the message
	Text string // whole characters
	Last bool   // the message has ended: nothing can be held back any more
}

// An Edit returns the part of a passage that passes, edited or not, and the part that is held for the next one. An
// error ends the turn.
type Edit func(p Passage) (goesOn, held string, err error)

// Text returns hooks that call edit with the words and the reasoning of every message before people see them. Edit is
// called by one goroutine at a time for a turn, and by several for several turns.
func Text(edit Edit) groupchat.Hooks {
	return groupchat.Hooks{Name: "text", Stream: func(t *groupchat.Turn) run.Filter {
		return newTexts(func(kind Kind, id string) editor {
			return &edited{edit: edit, p: Passage{Turn: t, Kind: kind, ID: id}}
		}).filter
	}}
}

type editor interface {
	push(piece string, last bool) (goesOn string, err error)
}

type edited struct {
	edit Edit
	p    Passage
}

func (e *edited) push(piece string, last bool) (string, error) {
	e.p.Text, e.p.Last = e.p.Text+piece, last
	goesOn, held, err := e.edit(e.p)
	if last && err == nil {
		goesOn, held = goesOn+held, ""
	}
	if err == nil && len(held) > MaxHeld {
		err = tooMuchHeld()
	}
	e.p.Text = held
	return goesOn, err
}

func tooMuchHeld() error {
	return &errcode.Error{Code: errcode.HookFailed,
		Err: fmt.Errorf("guard: more than %d bytes of a text are held back", MaxHeld)}
}

// texts are the texts of a turn that are being written, by message.
type texts struct {
	make func(kind Kind, id string) editor
	open map[string]*openText
}

// An openText is one of them. Its start is held back until a part of it passes, so that no empty message appears.
type openText struct {
	editor editor
	start  *agui.TextMessageStart
	spoken bool // there was text, whatever became of it
}

func newTexts(make func(kind Kind, id string) editor) *texts {
	return &texts{make: make, open: map[string]*openText{}}
}

func (x *texts) filter(e agui.Event, next run.Emit) error {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		x.open[e.MessageID] = &openText{editor: x.make(Words, e.MessageID), start: e}
		return nil
	case *agui.ReasoningMessageStart:
		x.open[e.MessageID] = &openText{editor: x.make(Reasoning, e.MessageID)}
	case *agui.TextMessageContent:
		if m := x.open[e.MessageID]; m != nil {
			return m.piece(e.Delta, e, &e.Delta, next)
		}
	case *agui.ReasoningMessageContent:
		if m := x.open[e.MessageID]; m != nil {
			return m.piece(e.Delta, e, &e.Delta, next)
		}
	case *agui.TextMessageEnd:
		return x.end(e.MessageID, e, func(words string) agui.Event {
			return &agui.TextMessageContent{Tagged: agui.Tagged{SubagentRunID: e.SubagentRunID}, MessageID: e.MessageID,
				Delta: words}
		}, next)
	case *agui.ReasoningMessageEnd:
		return x.end(e.MessageID, e, func(words string) agui.Event {
			return &agui.ReasoningMessageContent{Tagged: agui.Tagged{SubagentRunID: e.SubagentRunID},
				MessageID: e.MessageID, Delta: words}
		}, next)
	}
	return next(e)
}

// piece sends the part of the text that passes with e's piece, in e.
func (m *openText) piece(piece string, e agui.Event, delta *string, next run.Emit) error {
	m.spoken = m.spoken || piece != ""
	goesOn, err := m.editor.push(piece, false)
	if err != nil || goesOn == "" {
		return err
	}
	*delta = goesOn
	agui.BaseOf(e).RawEvent = nil // which has the words as they were
	return m.send(e, next)
}

func (m *openText) send(e agui.Event, next run.Emit) error {
	if m.start != nil {
		start := m.start
		m.start = nil
		if err := next(start); err != nil {
			return err
		}
	}
	return next(e)
}

// end sends the held text, and the end, unless the message is empty.
func (x *texts) end(id string, end agui.Event, content func(words string) agui.Event, next run.Emit) error {
	m := x.open[id]
	if m == nil {
		return next(end)
	}
	delete(x.open, id)
	rest, err := m.editor.push("", true)
	switch {
	case err != nil:
		return err
	case rest != "":
		err = m.send(content(rest), next)
	case m.start != nil && m.spoken:
		return nil
	}
	return errors.Join(err, m.send(end, next))
}
