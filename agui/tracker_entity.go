package agui

// An entity is a text message, a tool call, reasoning or an activity of the current run.
type entity struct {
	owner string // the subagent it belongs to; empty is the parent agent
	open  [2]opened
}

// The parts of an entity that can be open: reasoning has a message and a span around it, everything else is a message.
const (
	message = iota
	span
)

// opened is where something was opened; the zero value is closed.
type opened struct {
	order int
	event Event
}

type entities struct {
	byID map[string]*entity
	open [2]int // how many messages and spans are open
}

// of returns the entity with an id, and makes it if there is none.
func (s *entities) of(id string) *entity {
	e := s.byID[id]
	if e == nil {
		if s.byID == nil {
			s.byID = make(map[string]*entity)
		}
		e = &entity{}
		s.byID[id] = e
	}
	return e
}

// own gives id to owner, whoever had it, and leaves it as open as it is.
func (s *entities) own(id, owner string) { s.of(id).owner = owner }

// claim gives id to owner unless it has one.
func (s *entities) claim(id, owner string) {
	if s.byID[id] == nil {
		s.own(id, owner)
	}
}

// agrees reports whether a tag may continue what owner opened: an absent tag always may.
func agrees(tag, owner string) bool { return tag == "" || tag == owner }

// entitiesOf returns the entities of a kind, and which part of them it is.
func (t *Tracker) entitiesOf(kind Kind) (*entities, int) {
	switch kind {
	case KindText, KindResult:
		return &t.texts, message
	case KindToolCall:
		return &t.toolCalls, message
	case KindReasoning:
		return &t.reasoning, message
	case KindSpan:
		return &t.reasoning, span
	case KindActivity:
		return &t.activity, message
	default:
		return nil, message
	}
}

// Owner returns the subagent invocation that owns an id, empty for the parent agent. An id without an event is not
// known. Steps and subagents have no owner by id.
func (t *Tracker) Owner(kind Kind, id string) (owner string, known bool) {
	s, _ := t.entitiesOf(kind)
	if s == nil {
		return "", false
	}
	if e := s.byID[id]; e != nil {
		return e.owner, true
	}
	if t.Known != nil {
		return t.Known(kind, id)
	}
	return "", false
}

// Claim gives an id to owner for the current run, unless the run knows it already.
func (t *Tracker) Claim(kind Kind, id, owner string) {
	if s, _ := t.entitiesOf(kind); s != nil {
		s.claim(id, owner)
	}
}

// checkOwner checks an event that continues id, whether open or not, against its owner. An unseen id has no owner.
func (t *Tracker) checkOwner(kind Kind, id, tag string) *OrderError {
	if owner, known := t.Owner(kind, id); known && !agrees(tag, owner) {
		return &OrderError{Rule: RuleOwner, Kind: kind, ID: id}
	}
	return nil
}

// checkOpen checks an event that continues or closes an item against the item's opener.
func (s *entities) checkOpen(part int, item Item) *OrderError {
	e := s.byID[item.ID]
	if e == nil || e.open[part].order == 0 {
		return &OrderError{Rule: RuleNotOpen, Kind: item.Kind, ID: item.ID}
	}
	if !agrees(item.Owner, e.owner) {
		return &OrderError{Rule: RuleOwner, Kind: item.Kind, ID: item.ID}
	}
	return nil
}

// checkStart checks an opener. The first opener of an id owns it for the run: a later one may be untagged but not
// another's.
func (t *Tracker) checkStart(item Item) *OrderError {
	if _, open := t.Opened(item.Kind, item.ID); open {
		return &OrderError{Rule: RuleAlreadyOpen, Kind: item.Kind, ID: item.ID}
	}
	return t.checkOwner(item.Kind, item.ID, item.Owner)
}

func (t *Tracker) end(item Item) {
	s, part := t.entitiesOf(item.Kind)
	if e := s.byID[item.ID]; e != nil && e.open[part].order > 0 {
		e.open[part] = opened{}
		s.open[part]--
	}
}

func (t *Tracker) start(item Item, opener Event) {
	s, part := t.entitiesOf(item.Kind)
	if s.byID[item.ID] == nil {
		if item.Owner == "" {
			item.Owner, _ = t.Owner(item.Kind, item.ID)
		}
		s.own(item.ID, item.Owner)
	}
	e := s.of(item.ID)
	if e.open[part].order == 0 {
		s.open[part]++
	}
	t.order++
	e.open[part] = opened{order: t.order, event: opener}
}

// callOwner returns who owns a call that e opens. A call lives in its parent message and has no place for another
// owner, so the message's owner is the call's; inherited is false if the message is not known.
func (t *Tracker) callOwner(e *ToolCallStart) (owner string, inherited bool) {
	if e.ParentMessageID != "" {
		if owner, known := t.Owner(KindText, e.ParentMessageID); known {
			return owner, true
		}
	}
	return e.SubagentRunID, false
}

func (t *Tracker) checkToolCall(e *ToolCallStart, item Item) *OrderError {
	owner, inherited := t.callOwner(e)
	if !agrees(e.SubagentRunID, owner) {
		return &OrderError{Rule: RuleOwner, Kind: KindText, ID: e.ParentMessageID}
	}
	if _, open := t.Opened(KindToolCall, e.ToolCallID); !open && inherited {
		if before, known := t.Owner(KindToolCall, e.ToolCallID); known && before != owner {
			return &OrderError{Rule: RuleOwner, Kind: KindToolCall, ID: e.ToolCallID}
		}
	}
	item.Owner = owner
	return t.checkStart(item)
}

// checkEncrypted checks the value's tag against the entity it names. A message is a text message first, else a
// reasoning message.
func (t *Tracker) checkEncrypted(e *ReasoningEncryptedValue) *OrderError {
	kind := KindReasoning
	if e.Subtype == EncryptedToolCall {
		kind = KindToolCall
	} else if _, text := t.Owner(KindText, e.EntityID); text && e.Subtype == EncryptedMessage {
		kind = KindText
	}
	return t.checkOwner(kind, e.EntityID, e.SubagentRunID)
}

// record records the owners of messages and of their tool calls, which have no tag.
func (t *Tracker) record(messages []Message, record func(s *entities, id, owner string)) {
	for i := range messages {
		m := &messages[i]
		s, _ := t.entitiesOf(KindOf(m.Role))
		record(s, m.ID, m.SubagentRunID)
		for j := range m.ToolCalls {
			record(&t.toolCalls, m.ToolCalls[j].ID, m.SubagentRunID)
		}
	}
}
