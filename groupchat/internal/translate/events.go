package translate

import (
	"encoding/json"
	"errors"
	"maps"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

// Take takes one event of the remote's. Its run's own life, its state and its conversation are not passed on as
// they are; the rest is attributed and has our ids. A provider's raw events may hold prompts, and stay here.
func (t *Translator) Take(e agui.Event) error {
	switch e := e.(type) {
	case *agui.RunStarted:
		t.Finished, t.Failed, t.LegacyAsks = nil, nil, nil
	case *agui.RunFinished:
		t.Finished = e
		return t.Use(e.Usage)
	case *agui.RunError:
		t.Failed = e
		return t.Use(e.Usage)
	case *agui.StepStarted:
		return t.startStep(e)
	case *agui.StepFinished:
		return t.finishStep(e)
	case *agui.SubagentStarted:
		return t.startSub(e)
	case *agui.SubagentFinished:
		return t.finishSub(e)
	case *agui.SubagentError:
		return t.failSub(e)
	case *agui.StateSnapshot:
		return t.State.Snapshot(t.ctx, e.Snapshot)
	case *agui.StateDelta:
		applies, err := t.State.Delta(t.ctx, e.Delta)
		if !applies {
			t.Note(agui.Warning{Path: string(agui.TypeOf(e)), Reason: "does not apply, passed over"})
		}
		return err
	case *agui.MessagesSnapshot:
		return t.messagesSnapshot(e.Messages)
	case *agui.Custom:
		return t.custom(e)
	default:
		return t.passMessage(e)
	}
	return nil
}

// passMessage passes on an event of a message, a call, reasoning or an activity.
func (t *Translator) passMessage(e agui.Event) error {
	switch e := e.(type) {
	case *agui.TextMessageStart:
		return t.startText(e)
	case *agui.TextMessageContent:
		return t.pass(t.texts[e.MessageID], e, &e.MessageID, e.Delta, true)
	case *agui.TextMessageEnd:
		return t.pass(t.texts[e.MessageID], e, &e.MessageID, "", false)
	case *agui.ReasoningStart:
		return t.startReasoning(e, &e.MessageID)
	case *agui.ReasoningMessageStart:
		e.Role = agui.RoleReasoning
		return t.startReasoning(e, &e.MessageID)
	case *agui.ReasoningMessageContent:
		return t.pass(t.reasoning[e.MessageID], e, &e.MessageID, e.Delta, true)
	case *agui.ReasoningMessageEnd:
		return t.pass(t.reasoning[e.MessageID], e, &e.MessageID, "", true)
	case *agui.ReasoningEnd:
		return t.pass(t.reasoning[e.MessageID], e, &e.MessageID, "", false)
	case *agui.ReasoningEncryptedValue:
		return t.encrypt(e)
	case *agui.ToolCallStart:
		return t.startCall(e)
	case *agui.ToolCallArgs:
		return t.pass(t.Calls[e.ToolCallID], e, &e.ToolCallID, e.Delta, true)
	case *agui.ToolCallEnd:
		return t.pass(t.Calls[e.ToolCallID], e, &e.ToolCallID, "", false)
	case *agui.ToolCallResult:
		return t.Result(e)
	case *agui.ActivitySnapshot:
		return t.activitySnapshot(e)
	case *agui.ActivityDelta:
		return t.activityDelta(e)
	}
	return nil
}

// pass sends a piece or the end of an item under our id of it, which it writes to id.
func (t *Translator) pass(i *Item, e agui.Event, id *string, delta string, open bool) error {
	if i == nil || i.ignored {
		return nil
	}
	i.Text.WriteString(delta)
	i.open, *id = open, i.Ours
	return t.emit(i.tag, e, nil)
}

// maxSize is the limit of what one run of a remote agent may add to a thread: bytes of text, arguments, results and
// activities.
const maxSize = 4 << 20

var errSize = errors.New("it says more than a thread should hold")

// emit sends an event of the remote agent as one of the invocation tag, with our metadata own. It does not send the
// metadata that only the gateway writes, and what a provider or a clock has added.
func (t *Translator) emit(tag string, e agui.Event, own agui.Metadata) error {
	switch e := e.(type) {
	case *agui.TextMessageContent:
		t.size += len(e.Delta)
	case *agui.ReasoningMessageContent:
		t.size += len(e.Delta)
	case *agui.ToolCallArgs:
		t.size += len(e.Delta)
	case *agui.ActivitySnapshot:
		t.size += len(e.Content)
	case *agui.ToolCallResult:
		raw, err := e.Content.MarshalJSON()
		if err != nil {
			return err
		}
		t.size += len(raw)
	}
	if t.size > maxSize {
		return errSize
	}
	base := agui.BaseOf(e)
	metadata := maps.Clone(t.Public(base.Metadata))
	if metadata == nil {
		metadata = maps.Clone(own)
	} else {
		maps.Copy(metadata, own)
	}
	*base = agui.Base{Metadata: metadata}
	agui.Reattribute(e, tag)
	return t.Out.As(tag).Emit(e)
}

// open sends an event that opens an item of the remote agent, under an id of ours that nothing else has, and writes
// that to id. An id may be used by earlier messages, or belong to a failed try of this turn.
func (t *Translator) open(tag string, e agui.Event, id *string) error {
	theirs := *id
	return t.unused(theirs, func(ours string, first bool) (again bool, err error) {
		if t.usedIDs[ours] {
			return true, nil
		}
		own := t.Metadata()
		if !first {
			own = t.remoteIDMetadata(theirs)
		}
		*id = ours
		err = t.emit(tag, e, own)
		again = isOrder(err, agui.RuleOwner, agui.RuleIDTaken)
		t.usedIDs[ours] = again || err == nil
		return again, err
	})
}

// unused calls try with ids of ours for an id of the remote agent, until one is not used.
func (t *Translator) unused(theirs string, try func(id string, first bool) (again bool, err error)) error {
	const enough = 1000
	for n := 1; n <= enough; n++ {
		id := t.Prefix + theirs
		if n > 1 {
			id += "~" + strconv.Itoa(n)
		}
		if again, err := try(id, n == 1); !again {
			return err
		}
	}
	return errors.New("an id is used too often")
}

// remoteIDMetadata is the metadata with the remote's id.
func (t *Translator) remoteIDMetadata(theirs string) agui.Metadata {
	raw, err := json.Marshal(map[string]string{"id": theirs})
	if err != nil {
		return nil // strings always encode
	}
	own := maps.Clone(t.Metadata())
	if own == nil {
		own = agui.Metadata{}
	}
	own[metaKey] = raw
	return own
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
func (t *Translator) speaker(theirs, name string) string {
	if theirs == "" || t.Prefix == "" {
		if t.Prefix == "" {
			return name
		}
		return t.Name
	}
	if s := t.Subagents[theirs]; name == "" && s != nil {
		name = s.name
	}
	if name == "" {
		return t.Name
	}
	return t.Name + "." + name
}

func (t *Translator) startText(e *agui.TextMessageStart) error {
	if i := t.texts[e.MessageID]; i != nil {
		if !i.ignored {
			e.Role, e.Name = agui.RoleAssistant, "" // the name it has is the one it began with
		}
		return t.pass(i, e, &e.MessageID, "", true)
	}
	if e.Role != "" && e.Role != agui.RoleAssistant {
		t.texts[e.MessageID] = &Item{ignored: true}
		t.Note(agui.Warning{Path: "role", Reason: "is not an assistant's, the message is passed over"})
		return nil
	}
	i := &Item{tag: t.Tag(e.SubagentRunID), open: true}
	t.texts[e.MessageID] = i
	e.Role, e.Name = agui.RoleAssistant, t.speaker(e.SubagentRunID, e.Name)
	err := t.open(i.tag, e, &e.MessageID)
	i.Ours = e.MessageID
	return err
}

// startReasoning opens a span of reasoning or a message in it, which may share an id.
func (t *Translator) startReasoning(e agui.Event, id *string) error {
	if i := t.reasoning[*id]; i != nil {
		return t.pass(i, e, id, "", true)
	}
	i := &Item{tag: t.Tag(agui.SubagentOf(e))}
	t.reasoning[*id] = i
	err := t.open(i.tag, e, id)
	i.Ours = *id
	return err
}

func (t *Translator) encrypt(e *agui.ReasoningEncryptedValue) error {
	i := t.texts[e.EntityID]
	switch {
	case e.Subtype == agui.EncryptedToolCall:
		i = t.Calls[e.EntityID]
	case i == nil:
		i = t.reasoning[e.EntityID]
	}
	if i == nil || i.ignored || i.Earlier || e.EncryptedValue == "" {
		return nil // it belongs to no item that is passed on, or is none
	}
	e.EntityID, e.Metadata = i.Ours, nil
	return t.emit(i.tag, e, nil)
}

func (t *Translator) startCall(e *agui.ToolCallStart) error {
	tag := t.Tag(e.SubagentRunID)
	if e.ParentMessageID == e.ToolCallID {
		e.ParentMessageID = ""
	}
	if e.ParentMessageID != "" {
		parent := t.parent(e.ParentMessageID, tag)
		e.ParentMessageID = parent.Ours
		if e.SubagentRunID == "" {
			tag = parent.tag
		}
	}
	if i := t.Calls[e.ToolCallID]; i != nil && !i.Earlier {
		return t.pass(i, e, &e.ToolCallID, "", true)
	}
	i := &Item{tag: tag, Name: e.ToolCallName}
	t.Calls[e.ToolCallID] = i
	t.CallOrder = append(t.CallOrder, e.ToolCallID)
	err := t.open(tag, e, &e.ToolCallID)
	i.Ours = e.ToolCallID
	return err
}

// parent returns the message that makes a call: one of this exchange, or a new one.
func (t *Translator) parent(theirs, tag string) *Item {
	if i := t.texts[theirs]; i != nil && !i.ignored {
		return i
	}
	if t.parents[theirs] == nil {
		i := &Item{tag: tag}
		t.parents[theirs] = i
		_ = t.unused(theirs, func(id string, _ bool) (bool, error) {
			i.Ours = id
			return t.usedIDs[id], nil
		})
		t.usedIDs[i.Ours] = true
	}
	return t.parents[theirs]
}

// Result sends the result of a call. The result of a frontend call is here already.
func (t *Translator) Result(e *agui.ToolCallResult) error {
	c := t.Calls[e.ToolCallID]
	if c == nil || c.Answered || t.results[e.MessageID] {
		return nil
	}
	c.Answered, t.results[e.MessageID] = true, true
	e.ToolCallID, e.Role, e.Content = c.Ours, agui.RoleTool, t.withoutInnerFiles(e.Content)
	return t.open(t.Tag(e.SubagentRunID), e, &e.MessageID)
}
