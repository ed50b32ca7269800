package agui

import "encoding/json"

// StateSnapshot replaces the shared state as a whole.
type StateSnapshot struct {
	Tagged
	Snapshot json.RawMessage `json:"snapshot"`
}

// StateDelta changes the shared state by an RFC 6902 patch.
type StateDelta struct {
	Tagged
	Delta Patch `json:"delta"`
}

// MessagesSnapshot restates the conversation: what it leaves out is gone, for activity and reasoning
// messages only if it holds any of their kind.
type MessagesSnapshot struct {
	Base
	Messages List[Message] `json:"messages"`
}

// ActivitySnapshot creates or replaces an activity message.
type ActivitySnapshot struct {
	Tagged
	MessageID    string          `json:"messageId" agui:"id"`
	ActivityType string          `json:"activityType"`
	Content      json.RawMessage `json:"content" agui:"object"`
	// Replace is true when nil; false leaves an existing message as it is.
	Replace *bool `json:"replace,omitempty"`
}

// ActivityDelta changes an activity message that a snapshot created.
type ActivityDelta struct {
	Tagged
	MessageID    string `json:"messageId"`
	ActivityType string `json:"activityType"`
	Patch        Patch  `json:"patch"`
}

// Raw carries a provider's own event alongside the protocol's.
type Raw struct {
	Tagged
	Event  json.RawMessage `json:"event"`
	Source string          `json:"source,omitempty"`
}

// Custom is an application's own signal. Unprefixed names are the protocol's.
type Custom struct {
	Tagged
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}
