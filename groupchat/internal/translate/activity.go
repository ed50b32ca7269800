package translate

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state/document"
)

// The CUSTOM events of other servers that are about the run itself.
const (
	customInterrupt = "on_interrupt"    // a question, of servers before 1.0
	customFailed    = "gateway.failed"  // how another gateway tells of an error that cannot be sent as RUN_ERROR
	customRefused   = "gateway.refused" // how another gateway tells of a refused answer
	customOwn       = "gateway."        // begins the names of this gateway's own
)

func (t *Translator) activitySnapshot(e *agui.ActivitySnapshot) error {
	i, tag := t.activities[e.MessageID], t.Tag(e.SubagentRunID)
	content := e.Content
	e.Content = screened(e.ActivityType, content)
	if i == nil {
		i = &Item{content: content}
		t.activities[e.MessageID] = i
		err := t.open(tag, e, &e.MessageID)
		i.Ours = e.MessageID
		return err
	}
	if e.Replace == nil || *e.Replace {
		i.content = content
	}
	e.MessageID = i.Ours
	return t.emit(tag, e, nil)
}

// activityDelta shows an activity as a patch leaves it. One that does not apply changes nothing, as in every client.
func (t *Translator) activityDelta(e *agui.ActivityDelta) error {
	i := t.activities[e.MessageID]
	if i == nil {
		return nil
	}
	doc, err := document.New(i.content, document.Options{MaxSize: maxState})
	if err != nil {
		return err
	}
	if err := doc.Apply(t.ctx, e.Patch); err != nil {
		return unlessPatch(err)
	}
	return t.activitySnapshot(&agui.ActivitySnapshot{Tagged: e.Tagged, MessageID: e.MessageID,
		ActivityType: e.ActivityType, Content: doc.JSON()})
}

// screened returns the content of an activity of the remote's as it may be shown.
func screened(activityType string, content json.RawMessage) json.RawMessage {
	if activityType != a2ui.ActivityType {
		return content
	}
	return a2ui.Screened(content)
}

// custom passes on an application's own signal, but for those that say how the run fares.
func (t *Translator) custom(e *agui.Custom) error {
	switch {
	case e.Name == customInterrupt && t.Legacy:
		t.LegacyAsks = append(t.LegacyAsks, LegacyAsk{Value: e.Value, Tag: e.SubagentRunID})
		return nil
	case e.Name == customFailed || e.Name == customRefused:
		var why struct{ Code, Message string }
		_ = exact.Unmarshal(e.Value, &why) // without a code it is a failure all the same
		t.Failed = &agui.RunError{Code: why.Code, Message: why.Message}
		return t.Reported()
	case strings.HasPrefix(e.Name, customOwn):
		return nil
	default:
		return t.emit(t.Tag(e.SubagentRunID), e, nil)
	}
}

// withoutInnerFiles returns the content of a result with a sentence for each file with a URL that a request could not
// have either: a model's server may fetch the files of a conversation.
func (t *Translator) withoutInnerFiles(c agui.Content) agui.Content {
	parts, ok := c.Parts()
	if !ok {
		return c
	}
	changed := false
	for i, p := range parts {
		if p.Source == nil || p.Source.Type != agui.SourceURL || strings.HasPrefix(p.Source.Value, "data:") {
			continue
		}
		_, problem := egress.CheckFileURL(p.Source.Value, t.AllowAddresses...)
		if problem == "" {
			continue
		}
		if !changed {
			parts, changed = slices.Clone(parts), true
		}
		parts[i] = agui.Part{Type: agui.PartText, Text: "A file was left out: it " + problem + "."}
		t.Note(agui.Warning{Path: string(agui.TypeToolCallResult), Reason: "a file " + problem + ", left out"})
	}
	if !changed {
		return c
	}
	return agui.PartsContent(parts...)
}
