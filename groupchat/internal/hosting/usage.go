package hosting

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Usage counts what a run's models use. It is safe for concurrent use.
type Usage struct {
	mu    sync.Mutex
	total []agui.TokenUsage
	cost  *float64
}

// Add counts more.
func (u *Usage) Add(more ...agui.TokenUsage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total = state.AddUsage(u.total, more)
}

// Total is what was counted so far.
func (u *Usage) Total() []agui.TokenUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.total)
}

// AddCost counts what a call cost; nil if nobody knows.
func (u *Usage) AddCost(more *float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cost = state.AddCost(u.cost, more)
}

// Cost is what the calls cost whose prices are known; nil if there was none.
func (u *Usage) Cost() *float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cost
}

// A RunUsage is what a checkpoint keeps of the usage of the run that made it, under [UsageKey]. Another run that goes on from
// the checkpoint counts for itself.
type RunUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
	Cost   *float64          `json:"cost,omitempty"`
}

const (
	// UsageKey is where the memo of the root's frame keeps a [RunUsage].
	UsageKey = "usage"
	// OnceKey begins the keys of recorded effects within a turn.
	OnceKey = "once/"
	// ModelKey follows it in the keys of models' replies.
	ModelKey = "llm/"
)

// EarlierUsage is host.EarlierUsage.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage, origin string) ([]agui.TokenUsage, *float64) {
	var c struct {
		Root struct {
			Memo map[string]json.RawMessage `json:"memo"`
		} `json:"root"`
	}
	var kept RunUsage
	var total []agui.TokenUsage
	var cost *float64
	if json.Unmarshal(checkpoint, &c) == nil && json.Unmarshal(c.Root.Memo[UsageKey], &kept) == nil && kept.Origin == origin {
		total, cost = kept.Usage, kept.Cost
	}
	for key, raw := range memo {
		var reply struct {
			Usage   agui.TokenUsage   `json:"usage"`
			Earlier []agui.TokenUsage `json:"earlier"`
			Cost    *float64          `json:"cost"`
		}
		if strings.Contains(key, "/"+OnceKey+ModelKey) && json.Unmarshal(raw, &reply) == nil && (reply.Usage.Provider != "" || len(reply.Earlier) > 0) {
			total = state.AddUsage(total, append(reply.Earlier, reply.Usage))
			cost = state.AddCost(cost, reply.Cost)
		}
	}
	return total, cost
}
