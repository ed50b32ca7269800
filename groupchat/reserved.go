package groupchat

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/agui-gateway/gateway/agui"
)

// subAgentMeta begins the members of a result's metadata that describe the branch of a specialist.
const subAgentMeta = "subAgent"

// isReserved reports whether a member of the metadata of messages, calls and results is the gateway's own: decisions of
// people, branches of specialists, failures, and places in a team.
func isReserved(name string) bool {
	return name == approvalMeta || name == failedMeta || strings.HasPrefix(name, subAgentMeta) ||
		strings.HasPrefix(name, turnMeta)
}

// DropReserved removes from messages of a client or of another server the members of metadata that only the gateway
// writes.
func DropReserved(messages []Message) {
	for i := range messages {
		m := &messages[i]
		m.Metadata = withoutReserved(m.Metadata)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Metadata = withoutReserved(m.ToolCalls[j].Metadata)
		}
	}
}

// withoutReserved returns m without the members that only the gateway writes; nil if nothing else is left.
func withoutReserved(m agui.Metadata) agui.Metadata {
	kept := maps.Clone(m)
	maps.DeleteFunc(kept, func(name string, _ json.RawMessage) bool { return isReserved(name) })
	switch len(kept) {
	case len(m):
		return m
	case 0:
		return nil
	default:
		return kept
	}
}
