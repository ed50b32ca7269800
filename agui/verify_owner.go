package agui

// restate takes the owners of a snapshot as the last word: the client replaces its messages with these.
func (v *Verifier) restate(messages []Message) {
	v.seed(messages, (*entities).own)
}

// recall takes the owners of replayed history for ids nobody has claimed.
func (v *Verifier) recall(messages []Message) {
	v.seed(messages, (*entities).claim)
}

// seed records the owners of messages and of their tool calls, which have no tag of their own.
func (v *Verifier) seed(messages []Message, record func(s *entities, id, owner string)) {
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case RoleReasoning:
			record(&v.reasoning, m.ID, m.SubagentRunID)
		case RoleActivity:
			record(&v.activity, m.ID, m.SubagentRunID)
		default:
			record(&v.texts, m.ID, m.SubagentRunID)
		}
		for j := range m.ToolCalls {
			record(&v.toolCalls, m.ToolCalls[j].ID, m.SubagentRunID)
		}
	}
}

// startToolCall opens a call. A call lives in its parent message and has no place for another owner, so its tag must
// be the message's owner, and without a tag the message's owner is the call's.
func (v *Verifier) startToolCall(id, parent, tag string) *OrderError {
	owner := tag
	if parent != "" {
		if p, ok := v.texts.byID[parent]; ok {
			if !agrees(tag, p.owner) {
				return &OrderError{Rule: RuleOwner, Kind: kindText, ID: parent}
			}
			owner = p.owner
			if call, known := v.toolCalls.byID[id]; known && call.open == 0 && call.owner != owner {
				return &OrderError{Rule: RuleOwner, Kind: kindToolCall, ID: id}
			}
		}
	}
	return v.toolCalls.start(openMessage, kindToolCall, id, owner)
}

// encryptedValue holds the value's tag against the entity it names. A message is a text message first, else a
// reasoning message.
func (v *Verifier) encryptedValue(e *ReasoningEncryptedValue) *OrderError {
	switch {
	case e.Subtype == EncryptedToolCall:
		return v.toolCalls.agree(kindToolCall, e.EntityID, e.SubagentRunID)
	case e.Subtype == EncryptedMessage && v.texts.has(e.EntityID):
		return v.texts.agree(kindText, e.EntityID, e.SubagentRunID)
	default:
		return v.reasoning.agree(kindReasoning, e.EntityID, e.SubagentRunID)
	}
}
