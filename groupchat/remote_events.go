package groupchat

import (
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// takeEvent folds in one event of the remote's. Its run's own life, its state and its conversation are not passed on as
// they are; the rest is attributed and has our ids. A provider's raw events may hold prompts, and stay here.
func (x *exchange) takeEvent(e agui.Event) error {
	switch e := e.(type) {
	case *agui.RunStarted:
		x.finished, x.failed, x.legacyAsks = nil, nil, nil
	case *agui.RunFinished:
		x.finished = e
		return x.used(e.Usage)
	case *agui.RunError:
		x.failed = e
		return x.used(e.Usage)
	case *agui.StepStarted:
		return x.startStep(e)
	case *agui.StepFinished:
		return x.finishStep(e)
	case *agui.SubagentStarted:
		return x.startSub(e)
	case *agui.SubagentFinished:
		return x.finishSub(e)
	case *agui.SubagentError:
		return x.failSub(e)
	case *agui.StateSnapshot:
		return x.state.Snapshot(x.t.ctx, e.Snapshot)
	case *agui.StateDelta:
		applies, err := x.state.Delta(x.t.ctx, e.Delta)
		if !applies {
			x.note(agui.Warning{Path: string(agui.TypeOf(e)), Reason: "does not apply, passed over"})
		}
		return err
	case *agui.MessagesSnapshot:
		return x.messagesSnapshot(e.Messages)
	case *agui.Custom:
		return x.custom(e)
	default:
		return x.passMessage(e)
	}
	return nil
}

// passMessage passes on what belongs to messages.
func (x *exchange) passMessage(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		return x.startText(e)
	case *agui.TextMessageContent:
		if s := x.texts[e.MessageID]; s != nil && !s.ignored {
			s.said.WriteString(e.Delta)
			return x.emit(s.tag,
				&agui.TextMessageContent{Tagged: taggedWith(e.Metadata), MessageID: s.ours, Delta: e.Delta})
		}
	case *agui.TextMessageEnd:
		if s := x.texts[e.MessageID]; s != nil && !s.ignored {
			s.open = false
			return x.emit(s.tag, &agui.TextMessageEnd{Tagged: taggedWith(e.Metadata), MessageID: s.ours})
		}
	case *agui.ToolCallStart:
		return x.startCall(e)
	case *agui.ToolCallArgs:
		if c := x.calls[e.ToolCallID]; c != nil {
			c.args.WriteString(e.Delta)
			return x.emit(c.tag, &agui.ToolCallArgs{Tagged: taggedWith(e.Metadata), ToolCallID: c.ours, Delta: e.Delta})
		}
	case *agui.ToolCallEnd:
		if c := x.calls[e.ToolCallID]; c != nil {
			return x.emit(c.tag, &agui.ToolCallEnd{Tagged: taggedWith(e.Metadata), ToolCallID: c.ours})
		}
	case *agui.ToolCallResult:
		return x.result(e)
	case *agui.ActivitySnapshot:
		return x.activitySnapshot(e)
	case *agui.ActivityDelta:
		return x.activityDelta(e)
	default:
		return x.passReasoning(e)
	}
	return nil
}

func (x *exchange) passReasoning(e agui.Event) error {
	switch e := e.(type) {
	case *agui.ReasoningStart:
		return x.openThought(e.MessageID, e.SubagentRunID, func(id string, own agui.Metadata) agui.Event {
			return &agui.ReasoningStart{Tagged: taggedWith(e.Metadata, own), MessageID: id}
		})
	case *agui.ReasoningMessageStart:
		return x.openThought(e.MessageID, e.SubagentRunID, func(id string, own agui.Metadata) agui.Event {
			return &agui.ReasoningMessageStart{Tagged: taggedWith(e.Metadata, own), MessageID: id,
				Role: agui.RoleReasoning}
		})
	case *agui.ReasoningMessageContent:
		s := x.reasoning[e.MessageID]
		s.said.WriteString(e.Delta)
		return x.emit(s.tag,
			&agui.ReasoningMessageContent{Tagged: taggedWith(e.Metadata), MessageID: s.ours, Delta: e.Delta})
	case *agui.ReasoningMessageEnd:
		s := x.reasoning[e.MessageID]
		return x.emit(s.tag, &agui.ReasoningMessageEnd{Tagged: taggedWith(e.Metadata), MessageID: s.ours})
	case *agui.ReasoningEnd:
		s := x.reasoning[e.MessageID]
		return x.emit(s.tag, &agui.ReasoningEnd{Tagged: taggedWith(e.Metadata), MessageID: s.ours})
	case *agui.ReasoningEncryptedValue:
		return x.encrypt(e)
	}
	return nil
}

// maxRemoteSaid and maxRemoteAsked bound what one run of a remote's may add to a thread: bytes of text, arguments,
// results and activities, and questions with calls. A person can read and answer less.
const (
	maxRemoteSaid  = 4 << 20
	maxRemoteAsked = 100
)

var (
	errRemoteSaid  = errors.New("it says more than a thread should hold")
	errRemoteAsked = errors.New("it asks more than a person can answer")
)

// emit sends an event as the agent's that made it.
func (x *exchange) emit(tag string, e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		x.size += len(e.Delta)
	case *agui.ReasoningMessageContent:
		x.size += len(e.Delta)
	case *agui.ToolCallArgs:
		x.size += len(e.Delta)
	case *agui.ActivitySnapshot:
		x.size += len(e.Content)
	case *agui.ToolCallResult:
		raw, err := e.Content.MarshalJSON()
		if err != nil {
			return err
		}
		x.size += len(raw)
	}
	if x.size > maxRemoteSaid {
		return errRemoteSaid
	}
	return x.t.out.As(tag).Emit(e)
}

// taggedWith is what an event of ours takes over of one of the remote's: its metadata, and not what a provider or a
// clock had to say.
func taggedWith(metadata ...agui.Metadata) agui.Tagged {
	var all agui.Metadata
	for i, m := range metadata {
		if i == 0 {
			m = withoutReserved(m)
		}
		if all == nil {
			all = maps.Clone(m)
			continue
		}
		maps.Copy(all, m)
	}
	return agui.Tagged{Base: agui.Base{Metadata: all}}
}

// open sends what opens something of the remote's under an id of ours that nothing else has, and returns that. An id
// may be used by earlier messages, or belong to a failed try of this turn.
func (x *exchange) open(theirs, tag string, opener func(id string, own agui.Metadata) agui.Event) (string, error) {
	const enough = 1000
	for n := 1; n <= enough; n++ {
		id, own := x.prefix+theirs, x.t.marked()
		if n > 1 {
			id += "~" + strconv.Itoa(n)
			own = x.remoteIDMetadata(theirs)
		}
		if x.usedIDs[id] {
			continue
		}
		err := x.emit(tag, opener(id, own))
		if isOrder(err, agui.RuleOwner, agui.RuleIDTaken) {
			x.usedIDs[id] = true
			continue
		}
		x.usedIDs[id] = err == nil
		return id, err
	}
	return "", errors.New("an id is used too often")
}

// remoteIDMetadata is the metadata with the remote's id.
func (x *exchange) remoteIDMetadata(theirs string) agui.Metadata {
	raw, err := json.Marshal(map[string]string{"id": theirs})
	if err != nil {
		return nil // strings always encode
	}
	return with(maps.Clone(x.t.marked()), remoteMeta, json.RawMessage(raw))
}

func isOrder(err error, rules ...agui.OrderRule) bool {
	order, ok := errors.AsType[*agui.OrderError](err)
	for _, r := range rules {
		if ok && order.Rule == r {
			return true
		}
	}
	return false
}

// speaker is the author of a message: the participant, or an agent behind it, which must not be taken for a
// participant's of the same name.
func (x *exchange) speaker(theirs, name string) string {
	if theirs == "" || x.prefix == "" {
		if x.prefix == "" {
			return name
		}
		return x.t.name()
	}
	if s := x.subagents[theirs]; name == "" && s != nil {
		name = s.name
	}
	if name == "" {
		return x.t.name()
	}
	return x.t.name() + "." + name
}

func (x *exchange) startText(e *agui.TextMessageStart) error {
	if s := x.texts[e.MessageID]; s != nil {
		if s.ignored {
			return nil
		}
		s.open = true // the name it has is the one it began with
		return x.emit(s.tag,
			&agui.TextMessageStart{Tagged: taggedWith(e.Metadata), MessageID: s.ours, Role: agui.RoleAssistant})
	}
	if e.Role != "" && e.Role != agui.RoleAssistant {
		x.texts[e.MessageID] = &saidText{ignored: true}
		x.note(agui.Warning{Path: "role", Reason: "is not an assistant's, the message is passed over"})
		return nil
	}
	s := &saidText{tag: x.tag(e.SubagentRunID), open: true}
	var err error
	s.ours, err = x.open(e.MessageID, s.tag, func(id string, own agui.Metadata) agui.Event {
		return &agui.TextMessageStart{
			Tagged: taggedWith(e.Metadata, own), MessageID: id, Role: agui.RoleAssistant,
			Name: x.speaker(e.SubagentRunID, e.Name),
		}
	})
	x.texts[e.MessageID] = s
	return err
}

// openThought opens a span of reasoning or a message in it, which may share an id.
func (x *exchange) openThought(theirs, tag string, opener func(id string, own agui.Metadata) agui.Event) error {
	if s := x.reasoning[theirs]; s != nil {
		return x.emit(s.tag, opener(s.ours, nil))
	}
	s := &saidText{tag: x.tag(tag)}
	var err error
	s.ours, err = x.open(theirs, s.tag, opener)
	x.reasoning[theirs] = s
	return err
}

func (x *exchange) encrypt(e *agui.ReasoningEncryptedValue) error {
	entity, tag := "", ""
	if e.Subtype == agui.EncryptedToolCall {
		if c := x.calls[e.EntityID]; c != nil && !c.earlier {
			entity, tag = c.ours, c.tag
		}
	} else if s := x.texts[e.EntityID]; s != nil {
		entity, tag = s.ours, s.tag
	} else if s := x.reasoning[e.EntityID]; s != nil {
		entity, tag = s.ours, s.tag
	}
	if entity == "" {
		return nil // of something that is not passed on
	}
	return x.emit(tag,
		&agui.ReasoningEncryptedValue{Subtype: e.Subtype, EntityID: entity, EncryptedValue: e.EncryptedValue})
}

func (x *exchange) startCall(e *agui.ToolCallStart) error {
	parent, tag := "", x.tag(e.SubagentRunID)
	if e.ParentMessageID != "" && e.ParentMessageID != e.ToolCallID {
		var owner string
		parent, owner = x.parent(e.ParentMessageID, tag)
		if e.SubagentRunID == "" {
			tag = owner
		}
	}
	opener := func(id string, own agui.Metadata) agui.Event {
		return &agui.ToolCallStart{
			Tagged: taggedWith(e.Metadata, own), ToolCallID: id, ToolCallName: e.ToolCallName, ParentMessageID: parent,
		}
	}
	if c := x.calls[e.ToolCallID]; c != nil && !c.earlier {
		return x.emit(c.tag, opener(c.ours, nil))
	}
	id, err := x.open(e.ToolCallID, tag, opener)
	x.calls[e.ToolCallID] = &madeCall{ours: id, name: e.ToolCallName, tag: tag}
	x.callOrder = append(x.callOrder, e.ToolCallID)
	return err
}

// parent is our id of the message that makes a call, and its author: one of this exchange, or a new one.
func (x *exchange) parent(theirs, tag string) (id, owner string) {
	if s := x.texts[theirs]; s != nil && !s.ignored {
		return s.ours, s.tag
	}
	if p, ok := x.parents[theirs]; ok {
		return p.ours, p.tag
	}
	id = x.prefix + theirs
	for n := 2; x.usedIDs[id]; n++ {
		id = x.prefix + theirs + "~" + strconv.Itoa(n)
	}
	x.usedIDs[id], x.parents[theirs] = true, &saidText{ours: id, tag: tag}
	return id, tag
}

// result sends the result of a call. The result of a frontend call is here already.
func (x *exchange) result(e *agui.ToolCallResult) error {
	c := x.calls[e.ToolCallID]
	if c == nil || c.answered || x.results[e.MessageID] {
		return nil
	}
	c.answered, x.results[e.MessageID] = true, true
	_, err := x.open(e.MessageID, x.tag(e.SubagentRunID), func(id string, own agui.Metadata) agui.Event {
		return &agui.ToolCallResult{
			Tagged: taggedWith(e.Metadata, own), MessageID: id, ToolCallID: c.ours, Role: agui.RoleTool,
			Content: x.withoutInnerFiles(e.Content),
		}
	})
	return err
}
