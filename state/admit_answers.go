package state

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/clip"
)

// answers is rows 1 to 3: the request carries answers. What it brings besides is judged only once they are
// accepted; a refused resume claims nothing (I3).
func (a *admission) answers() Verdict {
	entries, code := a.bind()
	if code != "" {
		return a.refuse(3, code)
	}
	var current, past []Answer // to tokens that wait, and to those somebody answered before
	var unknown []string
	for _, e := range entries {
		token, ok := a.tokens(e.ID)
		switch {
		case !ok:
			unknown = append(unknown, e.ID)
		case token.Status == TokenOpen:
			current = append(current, e)
		case token.Status == TokenDropped && e.Status == agui.ResumeCancelled:
			past = append(past, e) // cancelling a dropped token changes nothing
		case given(token, e):
			past = append(past, e)
		case a.tries(token):
			return a.busy() // what it comes to is not known yet
		case token.Expired(a.now) && (token.Answer == nil || token.Answer.TimedOut):
			return a.refuse(3, errcode.InterruptExpired)
		default:
			return a.refuse(3, errcode.InterruptAlreadyResolved)
		}
	}
	switch {
	case len(current) == 0 && len(past) == 0:
		return a.refuse(3, errcode.InterruptNotFound)
	case len(current) == 0 && a.t.Live != nil:
		return Verdict{Meaning: Join, Row: 2}
	case len(current) == 0:
		return Verdict{Meaning: Show, Row: 2}
	case a.t.Live != nil: // a live run leaves no question open; if one were, it would have to wait (R1)
		return a.busy()
	}
	claims, code := a.claims(current)
	if code != "" {
		return a.refuse(3, code)
	}
	v := Verdict{Meaning: Resume, Row: 1, Claims: claims, Append: a.newMessages, CallAnswers: a.calls,
		NotAnswered: a.missingCalls()}
	if len(unknown) > 0 {
		v.Warnings = append(v.Warnings, "answers to interrupts this thread never had: "+quoteIDs(unknown))
	}
	return v
}

// bind gives a bare legacy answer the interrupt it is for (I8) and refuses a doubled entry.
func (a *admission) bind() ([]Answer, errcode.Code) {
	entries := slices.Clone(a.r.Answers)
	seen := map[string]bool{}
	for i := range entries {
		if entries[i].ID == "" {
			id, code := a.only()
			if code == "" && len(entries) > 1 {
				code = errcode.ResumeAmbiguous
			}
			if code != "" {
				return nil, code
			}
			entries[i].ID = id
		}
		if seen[entries[i].ID] {
			a.problems = []Problem{{InterruptID: clip.To(entries[i].ID, maxProblemText), Problem: "is answered twice"}}
			return nil, errcode.ResumeInvalid
		}
		seen[entries[i].ID] = true
	}
	return entries, ""
}

// only returns the one interrupt for an answer without a name: the open one, else the expired one,
// else the one that the live run answers, which is the same click once more.
func (a *admission) only() (string, errcode.Code) {
	waiting := a.open
	if len(waiting) == 0 {
		waiting = a.expired
	}
	switch {
	case len(waiting) > 1, len(waiting) == 0 && len(a.t.Open) > 1:
		return "", errcode.ResumeAmbiguous
	case len(waiting) == 1:
		return waiting[0].Interrupt.ID, ""
	case len(a.t.Open) == 1:
		return a.t.Open[0], ""
	default:
		return "", errcode.InterruptNotFound
	}
}

// given reports whether e is the answer that token has.
func given(token Token, e Answer) bool {
	if token.Answer == nil {
		return false
	}
	for _, form := range spellings(token.Interrupt.ResponseSchema, e.Payload) {
		same := func(payload json.RawMessage) bool {
			e.Payload = payload
			return token.Answer.same(&e)
		}
		if same(form) || form != nil && same(respellAnswer(token.Interrupt, form)) {
			return true
		}
	}
	return false
}

// claims checks entries, which all name waiting tokens, and returns one answer for every waiting token.
func (a *admission) claims(entries []Answer) ([]Answer, errcode.Code) {
	byID := map[string]Answer{}
	for _, e := range entries {
		byID[e.ID] = e
	}
	var claims []Answer
	for _, token := range a.open {
		e, ok := byID[token.Interrupt.ID]
		if !ok {
			return nil, errcode.ResumeIncomplete
		}
		if e.Status == agui.ResumeCancelled {
			e.Payload = nil
		} else {
			form := FitQuestion(token.Interrupt, e.Payload)
			if form == nil {
				a.problems = append(a.problems, problems(token, e.Payload)...)
				continue
			}
			e.Payload = form
		}
		e.AskedAt = token.AskedAt
		claims = append(claims, e)
	}
	if len(a.problems) > 0 {
		a.problems = a.problems[:min(len(a.problems), maxProblems)]
		return nil, errcode.ResumeInvalid
	}
	for _, token := range a.expired {
		e, ok := byID[token.Interrupt.ID]
		switch {
		case !ok || e.Status == agui.ResumeCancelled:
			e = Answer{ID: token.Interrupt.ID, Status: agui.ResumeCancelled}
		case a.r.Era == agui.Era1:
			return nil, errcode.InterruptExpired
		default: // it could not see the deadline: asked again rather than refused (I7)
			e = Answer{ID: token.Interrupt.ID, Status: agui.ResumeCancelled, TimedOut: true, Late: e.Payload}
		}
		e.AskedAt, e.Expired = token.AskedAt, true
		claims = append(claims, e)
	}
	return claims, ""
}

// quoteIDs lists ids for a log line; they are a caller's words and may hold anything.
func quoteIDs(ids []string) string {
	const most = 8
	more := ""
	if len(ids) > most {
		ids, more = ids[:most], ", …"
	}
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = strconv.Quote(id)
	}
	return strings.Join(quoted, ", ") + more
}
