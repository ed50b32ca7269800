package a2ui

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
)

// ActivityType is the type of activities that carry a surface.
const ActivityType = "a2ui-surface"

// activityPrefix begins the ids of their messages; the id of a call follows.
const activityPrefix = "a2ui-surface-"

// DefaultAttempts is the default number of attempts for a surface.
const DefaultAttempts = 3

// MessageID is the id of the activity of a call of a tool.
func MessageID(call string) string { return activityPrefix + call }

// A status is the content of an activity before its surface is there.
type status struct {
	Status      string `json:"status"`
	Tokens      int    `json:"progressTokens,omitempty"`
	Attempt     int    `json:"attempt,omitempty"`
	MaxAttempts int    `json:"maxAttempts,omitempty"`
	Error       string `json:"error,omitempty"`
	Errors      any    `json:"errors,omitempty"`
	Attempts    any    `json:"attempts,omitempty"`
}

func activity(messageID string, content json.RawMessage) *agui.ActivitySnapshot {
	replace := true
	return &agui.ActivitySnapshot{MessageID: messageID, ActivityType: ActivityType, Content: content, Replace: &replace}
}

// painted returns the activity of a call with a valid surface.
func painted(messageID string, operations []Operation) *agui.ActivitySnapshot {
	return activity(messageID, json.RawMessage(Result(operations)))
}

func building(call string, tokens int) *agui.ActivitySnapshot {
	return activity(MessageID(call), json.RawMessage(encode(status{Status: "building", Tokens: tokens})))
}

func retrying(call string, attempt, most int, problems []Problem) *agui.ActivitySnapshot {
	return activity(MessageID(call), json.RawMessage(encode(status{Status: "retrying", Attempt: min(attempt, most),
		MaxAttempts: most, Errors: problems})))
}

// failed is the activity of a call that made no surface.
func failed(call string, f failure, most int) *agui.ActivitySnapshot {
	if n := len(f.Attempts); n > 0 {
		most = n
	}
	attempts := f.Attempts
	if attempts == nil {
		attempts = []Attempt{}
	}
	return activity(MessageID(call),
		json.RawMessage(encode(status{Status: "failed", Error: f.Error, Attempts: attempts, MaxAttempts: most})))
}
