package host

import (
	"encoding/json"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat/internal/hosting"
)

// A Usage counts what a run's models use, those of remote agents included, per provider and model, while it goes on. The zero
// value has counted nothing. It is safe for concurrent use.
type Usage struct{ counted hosting.Usage }

// Add counts more.
func (u *Usage) Add(more ...agui.TokenUsage) { u.counted.Add(more...) }

// Total is what was counted so far.
func (u *Usage) Total() []agui.TokenUsage { return u.counted.Total() }

// AddCost counts what a call cost, in whatever currency the models' prices are; nil if that is not known.
func (u *Usage) AddCost(more *float64) { u.counted.AddCost(more) }

// Cost is what the calls cost whose prices are known; nil if there was none. The caller must not change it.
func (u *Usage) Cost() *float64 { return u.counted.Cost() }

// EarlierUsage is what earlier attempts at the run of this origin used and what is known of its cost, by the checkpoint and the recorded effects that a
// takeover goes on from. What an attempt used that was not recorded is not known.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage, origin string) ([]agui.TokenUsage, *float64) {
	return hosting.EarlierUsage(checkpoint, memo, origin)
}

// OpenMessages returns the ids of the messages that the failed turns in err left open. They were closed on the wire, because
// other turns may go on; if the run ends with err, they should not stay in the conversation.
func OpenMessages(err error) []string { return hosting.OpenMessages(err) }
