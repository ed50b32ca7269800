package gateway

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// An answerStatus is the fate of a closed question.
type answerStatus string

// The statuses of answers.
const (
	answerResolved  answerStatus = "resolved"
	answerCancelled answerStatus = "cancelled"
	answerExpired   answerStatus = "expired"
)

// answerDocument is an answered question with its proposal, as clients see it.
type answerDocument struct {
	Interrupt  agui.Interrupt  `json:"interrupt"`
	Status     answerStatus    `json:"status"`
	Payload    json.RawMessage `json:"payload,omitempty"`
	AskedAt    route.Timestamp `json:"askedAt,omitzero"`
	AnsweredAt route.Timestamp `json:"answeredAt"`
	// the last message of the conversation when the question was asked
	After string `json:"afterMessageId"`
}

func documentOfAnswer(a *state.AnsweredToken) answerDocument {
	d := answerDocument{
		Interrupt: a.Interrupt, Status: answerExpired, AskedAt: route.Timestamp(a.AskedAt),
		AnsweredAt: route.Timestamp(a.AnsweredAt), After: a.After,
	}
	switch {
	case a.Answer == nil || a.Answer.Expired:
	case a.Answer.Status == agui.ResumeResolved:
		d.Status, d.Payload = answerResolved, a.Answer.Payload
	default:
		d.Status = answerCancelled
	}
	return d
}
