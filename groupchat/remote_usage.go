package groupchat

import (
	"slices"

	"github.com/agui-gateway/gateway/agui"
)

// maxModelName is how many bytes the name of a remote agent's provider or model may have. A thread keeps it for its
// life.
const maxModelName = 200

// used counts what the remote says its run used. What it calls too long a name is counted without one.
func (x *exchange) used(list []agui.TokenUsage) error {
	list = slices.Clone(list)
	for i := range list {
		if len(list[i].Provider) > maxModelName || len(list[i].Model) > maxModelName {
			list[i].Provider, list[i].Model = "", ""
		}
	}
	return x.t.x.addUsage(list...)
}
