package state

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
)

// A Problem says why an answer does not fit its question. It quotes nothing of the answer but names of members.
type Problem struct {
	InterruptID string `json:"interruptId"`
	Path        string `json:"path"`    // a JSON Pointer into the payload; empty for all of it
	Problem     string `json:"problem"` // what follows "the value at that path"
}

// String is the problem as logs have it.
func (p Problem) String() string {
	return strings.TrimSpace(p.InterruptID + " " + p.Path + ": " + p.Problem)
}

// The limits of the problems of an answer.
const (
	maxProblems    = 8
	maxProblemText = 200
)

// problems are those of a payload that [FitQuestion] has no form of.
func problems(token Token, payload json.RawMessage) []Problem {
	id := token.Interrupt.ID
	if payload == nil {
		return []Problem{{InterruptID: id, Problem: "is missing"}}
	}
	if members := bareMembers(token.Interrupt.ResponseSchema); payload[0] != '{' && len(members) > 0 {
		payload = wrap(members[0], payload)
	}
	schema, err := CompileSchema(token.Interrupt.ResponseSchema)
	if err != nil {
		return []Problem{{InterruptID: id, Problem: "cannot be checked"}}
	}
	var list []Problem
	for _, m := range schema.mismatches(payload) {
		if len(list) < maxProblems {
			list = append(list, Problem{id, clip.To(m.pointer, maxProblemText), clip.To(m.problem, maxProblemText)})
		}
	}
	if list == nil {
		list = []Problem{{InterruptID: id, Problem: "has a number that may be one of several: see docs/questions.md"}}
	}
	return list
}

// MetadataOf is the metadata of an event that refuses answers because of problems; nil without any.
func MetadataOf(list []Problem) agui.Metadata {
	raw, err := json.Marshal(list)
	if err != nil || len(list) == 0 {
		return nil
	}
	return agui.Metadata{"details": raw}
}
