package agui

import "slices"

// A lane is the stream one agent is assembling from chunks. The shorthand says "as before" and nothing else, so an
// agent, the parent or a subagent, has at most one. A chunk is described by the lane it asks for: what it leaves out
// is empty.
type lane struct {
	owner string // the tag; empty is the parent agent
	kind  string // kindText, kindToolCall or kindReasoning
	id    string

	// What the opener establishes and later chunks may only repeat.
	role, name, parent string
}

func (v *Verifier) textChunk(e *TextMessageChunk) *OrderError {
	return v.chunk(lane{
		owner: e.SubagentRunID, kind: kindText, id: e.MessageID, role: string(e.Role), name: e.Name,
	}, carries(e.Delta, &e.Base))
}

func (v *Verifier) toolCallChunk(e *ToolCallChunk) *OrderError {
	return v.chunk(lane{
		owner: e.SubagentRunID, kind: kindToolCall, id: e.ToolCallID, name: e.ToolCallName, parent: e.ParentMessageID,
	}, carries(e.Delta, &e.Base))
}

func (v *Verifier) reasoningChunk(e *ReasoningMessageChunk) *OrderError {
	return v.chunk(lane{owner: e.SubagentRunID, kind: kindReasoning, id: e.MessageID}, carries(e.Delta, &e.Base))
}

// carries reports whether a chunk adds anything to its stream. One that does not expands to nothing, so nothing about
// it can be out of order.
func carries(delta *string, b *Base) bool {
	return delta != nil || b.RawEvent != nil || b.Metadata != nil
}

// chunk expands a chunk to what it stands for: a start, a content, or both, after the end of what its lane held.
func (v *Verifier) chunk(c lane, carries bool) *OrderError {
	owner, err := v.laneOf(c)
	if err != nil {
		return err
	}
	if i := v.laneIndex(owner); i >= 0 && v.lanes[i].kind == c.kind && (c.id == "" || c.id == v.lanes[i].id) {
		return v.continueLane(&v.lanes[i], c, carries)
	}
	if err := v.closeLane(owner); err != nil {
		return err
	}
	if c.id == "" || c.kind == kindToolCall && c.name == "" {
		return &OrderError{Rule: RuleChunkOpener, Kind: c.kind, ID: c.id}
	}
	return v.openLane(c)
}

// laneOf returns the owner of the lane a chunk means.
func (v *Verifier) laneOf(c lane) (string, *OrderError) {
	if c.id != "" {
		for i := range v.lanes {
			l := &v.lanes[i]
			if l.kind != c.kind || l.id != c.id {
				continue
			}
			if !agrees(c.owner, l.owner) {
				return "", &OrderError{Rule: RuleOwner, Kind: c.kind, ID: c.id}
			}
			return l.owner, nil
		}
		return c.owner, nil
	}
	if c.owner != "" {
		return c.owner, nil
	}
	return v.untaggedLane(c.kind)
}

// untaggedLane returns the owner of the lane that a chunk with neither id nor tag continues: the parent's if that
// holds the kind, else the only one that does.
func (v *Verifier) untaggedLane(kind string) (string, *OrderError) {
	owner, found := "", 0
	for i := range v.lanes {
		if v.lanes[i].kind != kind {
			continue
		}
		if v.lanes[i].owner == "" {
			return "", nil
		}
		owner = v.lanes[i].owner
		found++
	}
	if found > 1 {
		return "", &OrderError{Rule: RuleChunkAmbiguous, Kind: kind}
	}
	return owner, nil
}

func (v *Verifier) openLane(l lane) *OrderError {
	if l.kind == kindText && l.role == "" {
		l.role = string(RoleAssistant)
	}
	v.lanes = append(v.lanes, l)
	if l.kind == kindToolCall {
		return v.startToolCall(l.id, l.parent, l.owner)
	}
	return v.laneEntities(l.kind).start(openMessage, l.kind, l.id, l.owner)
}

func (v *Verifier) continueLane(open *lane, c lane, carries bool) *OrderError {
	if !agrees(c.role, open.role) || !agrees(c.name, open.name) || !agrees(c.parent, open.parent) {
		return &OrderError{Rule: RuleChunkChanged, Kind: open.kind, ID: open.id}
	}
	if !carries {
		return nil
	}
	return v.laneEntities(open.kind).check(openMessage, open.kind, open.id, open.owner)
}

// closeLanesBefore ends what e leaves no room for: an event of an agent its lane, an event about the run all of them.
func (v *Verifier) closeLanesBefore(e Event) *OrderError {
	switch e := e.(type) {
	case *TextMessageChunk, *ToolCallChunk, *ReasoningMessageChunk:
		return nil // they find their lane themselves
	case *Raw, *ActivitySnapshot, *ActivityDelta, *ReasoningEncryptedValue, *SubagentStarted:
		return nil // beside the stream
	case *RunStarted, *RunFinished, *RunError, *MessagesSnapshot:
		return v.closeAllLanes()
	case *SubagentFinished:
		return v.closeSubagentLane(e.SubagentRunID)
	case *SubagentError:
		return v.closeSubagentLane(e.SubagentRunID)
	default:
		return v.closeLane(SubagentOf(e))
	}
}

// closeSubagentLane never touches the parent's lane, not even for a subagent whose id is empty.
func (v *Verifier) closeSubagentLane(id string) *OrderError {
	if id == "" {
		return nil
	}
	return v.closeLane(id)
}

// closeAllLanes ends all lanes in the order they were opened.
func (v *Verifier) closeAllLanes() *OrderError {
	for len(v.lanes) > 0 {
		if err := v.closeLane(v.lanes[0].owner); err != nil {
			return err
		}
	}
	return nil
}

// closeLane ends the stream owner is assembling, if any.
func (v *Verifier) closeLane(owner string) *OrderError {
	i := v.laneIndex(owner)
	if i < 0 {
		return nil
	}
	l := v.lanes[i]
	v.lanes = slices.Delete(v.lanes, i, i+1)
	return v.laneEntities(l.kind).end(openMessage, l.kind, l.id, l.owner)
}

func (v *Verifier) laneIndex(owner string) int {
	return slices.IndexFunc(v.lanes, func(l lane) bool { return l.owner == owner })
}

// laneEntities returns the entities that a lane's stream is one of.
func (v *Verifier) laneEntities(kind string) *entities {
	switch kind {
	case kindToolCall:
		return &v.toolCalls
	case kindReasoning:
		return &v.reasoning
	default:
		return &v.texts
	}
}
