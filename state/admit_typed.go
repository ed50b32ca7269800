package state

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// rowTyped is the row of a message to a thread that asks. A run with the meaning [Resume] that began there has such a
// message instead of an answer.
const rowTyped = 6

// Typed returns the text of a message that the run has claimed its question with, and whether it has. What the text
// means is the run's to find out, because that may take a model: either the text is an answer, and the run continues
// like any resume, or the run ends with [End.Reopen] and the question is open as before. It is false from the run's
// first commit on.
//
// The claim's payload is the text, as JSON. A gateway that knows nothing of typed answers and takes such a run over
// gives it to the agent, which judges it like an answer of a former schema: what does not fit is asked again, and
// approves of nothing.
func (i *Intent) Typed() (text string, ok bool) {
	if i.Meaning != Resume || i.Row != rowTyped || len(i.Claims) != 1 {
		return "", false
	}
	return text, json.Unmarshal(i.Claims[0].Payload, &text) == nil
}

// typed returns the text of the request's message, and whether it may be tried as the answer to the open question: it
// is the only question and nothing else is waited for, the message is a user's and the only one, and its author can
// have seen the question. A message that waited for its turn was written before, an edit is about something else, and a
// list without the newest message comes from a page that has not seen it.
func (a *admission) typed() (text string, ok bool) {
	if !a.r.TypedAnswers || !a.r.Since.IsZero() || a.r.Edit {
		return "", false
	}
	if len(a.open) != 1 || len(a.expired) > 0 || len(a.t.OpenCalls()) > 0 || len(a.newMessages) != 1 {
		return "", false
	}
	m, last := a.newMessages[0], a.r.Messages[len(a.r.Messages)-1]
	if m.Role != agui.RoleUser || m.ID != last.ID || !a.seen() {
		return "", false
	}
	text = strings.TrimSpace(m.Content.Text())
	return text, text != ""
}

// seen reports whether the request names the newest message that a person or an agent wrote. Other kinds clients may
// leave out.
func (a *admission) seen() bool {
	for m := range a.facts.Messages() {
		if m.Role == agui.RoleUser || m.Role == agui.RoleAssistant {
			return slices.ContainsFunc(a.r.Messages, func(x agui.Message) bool { return x.ID == m.ID })
		}
	}
	return false
}

// try is a run that finds out whether text answers the open question. It holds the right to answer meanwhile (I2).
func (a *admission) try(text string) Verdict {
	payload, err := encode(text)
	if err != nil {
		return a.refuse(rowTyped, errcode.InterruptPending)
	}
	token := a.open[0]
	claim := Answer{ID: token.Interrupt.ID, Status: agui.ResumeResolved, Payload: payload, AskedAt: token.AskedAt}
	return Verdict{Meaning: Resume, Row: rowTyped, Claims: []Answer{claim}, Append: a.newMessages}
}

// tries reports whether the live run is finding out whether a message answers the token's question.
func (a *admission) tries(token Token) bool {
	if token.Status != TokenClaimed || a.t.Live == nil {
		return false
	}
	_, typed := a.t.Live.Intent.Typed()
	return typed
}
