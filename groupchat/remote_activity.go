package groupchat

import (
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/mirror"
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

// An activity is one of the remote's as it is shown.
type activity struct {
	ours    string
	content json.RawMessage
}

func (x *exchange) activitySnapshot(e *agui.ActivitySnapshot) error {
	a := x.activities[e.MessageID]
	opener := func(id string, own agui.Metadata) agui.Event {
		return &agui.ActivitySnapshot{
			Tagged: taggedWith(e.Metadata, own), MessageID: id, ActivityType: e.ActivityType,
			Content: screened(e.ActivityType, e.Content), Replace: e.Replace,
		}
	}
	if a == nil {
		id, err := x.open(e.MessageID, x.tag(e.SubagentRunID), opener)
		x.activities[e.MessageID] = &activity{ours: id, content: e.Content}
		return err
	}
	if e.Replace == nil || *e.Replace {
		a.content = e.Content
	}
	return x.emit(x.tag(e.SubagentRunID), opener(a.ours, nil))
}

// activityDelta shows an activity as a patch leaves it. One that does not apply changes nothing, as in every client.
func (x *exchange) activityDelta(e *agui.ActivityDelta) error {
	a := x.activities[e.MessageID]
	if a == nil {
		return nil
	}
	doc, err := document.New(a.content, document.Options{MaxSize: mirror.MaxSize})
	if err != nil {
		return err
	}
	if err := doc.Apply(x.t.ctx, e.Patch); err != nil {
		return mirror.UnlessPatch(err)
	}
	a.content = doc.JSON()
	return x.emit(x.tag(e.SubagentRunID), &agui.ActivitySnapshot{
		Tagged: taggedWith(e.Metadata), MessageID: a.ours, ActivityType: e.ActivityType,
		Content: screened(e.ActivityType, a.content),
	})
}

// screened returns the content of an activity of the remote's as it may be shown.
func screened(activityType string, content json.RawMessage) json.RawMessage {
	if activityType != a2ui.ActivityType {
		return content
	}
	return a2ui.Screened(content)
}

// custom passes on an application's own signal, but for those that say how the run fares.
func (x *exchange) custom(e *agui.Custom) error {
	switch {
	case e.Name == customInterrupt && x.r.o.Dialect != RemoteStandard:
		x.legacyAsks = append(x.legacyAsks, legacyAsk{value: e.Value, tag: e.SubagentRunID})
		return nil
	case e.Name == customFailed || e.Name == customRefused:
		var why struct{ Code, Message string }
		_ = exact.Unmarshal(e.Value, &why) // without a code it is a failure all the same
		x.failed = &agui.RunError{Code: why.Code, Message: why.Message}
		return x.reportedFailure()
	case strings.HasPrefix(e.Name, customOwn):
		return nil
	default:
		return x.emit(x.tag(e.SubagentRunID),
			&agui.Custom{Tagged: taggedWith(e.Metadata), Name: e.Name, Value: e.Value})
	}
}
