package wire

import (
	"slices"

	"github.com/agui-gateway/gateway/a2ui"
	"github.com/agui-gateway/gateway/agui"
)

func (w Profile) hides(activityType string) bool {
	return !w.Surfaces && activityType == a2ui.ActivityType
}

// projectMessages removes from a snapshot the content that the reader is not sent, and converts the rest.
func (w Profile) projectMessages(e *agui.MessagesSnapshot) ([]agui.Event, Loss) {
	e.Messages = slices.DeleteFunc(e.Messages,
		func(m agui.Message) bool { return m.Role == agui.RoleActivity && w.hides(m.ActivityType) })
	for i := range e.Messages {
		e.Messages[i] = w.Links.In(e.Messages[i])
	}
	if w.Era != agui.Era0 {
		return []agui.Event{e}, 0
	}
	loss := olderMessages(e.Messages)
	if w.Binary {
		binary(e.Messages)
	}
	return []agui.Event{e}, loss
}
