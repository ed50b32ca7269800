package groupchat

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Usage counts what a run's models use, those of remote agents included, per provider and model. The zero value is
// empty. It is safe for concurrent use.
type Usage struct {
	mu    sync.Mutex
	total []agui.TokenUsage
	cost  *float64
}

// Add adds usage.
func (u *Usage) Add(more ...agui.TokenUsage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total = state.AddUsage(u.total, more)
}

// Total returns the usage so far.
func (u *Usage) Total() []agui.TokenUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.total)
}

// AddCost adds the cost of a call, in the currency of the models' prices; nil if it is unknown.
func (u *Usage) AddCost(more *float64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cost = state.AddCost(u.cost, more)
}

// Cost returns the cost of the calls with a known price; nil if there was none. The caller must not change it.
func (u *Usage) Cost() *float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cost
}

// A runUsage is the usage of a run in its checkpoints, under usageKey. Another run that continues from the checkpoint
// starts at zero.
type runUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
	Cost   *float64          `json:"cost,omitempty"`
}

// usageKey is the key of a [runUsage] in the memo of the root's record.
const usageKey = "usage"

// EarlierUsage returns what earlier attempts at the run of this origin used, and the known part of its cost, from the
// checkpoint and the recorded effects that a takeover continues from. Usage that an attempt did not record is unknown.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage,
	origin string) ([]agui.TokenUsage, *float64) {
	var c struct {
		Root struct {
			Memo map[string]json.RawMessage `json:"memo"`
		} `json:"root"`
	}
	var kept runUsage
	var total []agui.TokenUsage
	var cost *float64
	if json.Unmarshal(checkpoint, &c) == nil && json.Unmarshal(c.Root.Memo[usageKey], &kept) == nil &&
		kept.Origin == origin {
		total, cost = kept.Usage, kept.Cost
	}
	for key, raw := range memo {
		var reply struct {
			Usage   agui.TokenUsage   `json:"usage"`
			Earlier []agui.TokenUsage `json:"earlier"`
			Cost    *float64          `json:"cost"`
		}
		if strings.Contains(key, "/"+onceKey+modelKey) && json.Unmarshal(raw, &reply) == nil &&
			(reply.Usage.Provider != "" || len(reply.Earlier) > 0) {
			total = state.AddUsage(total, append(reply.Earlier, reply.Usage))
			cost = state.AddCost(cost, reply.Cost)
		}
	}
	return total, cost
}

// Usage returns what the models of the run used so far, per provider and model, including earlier attempts and agents
// on other servers, without calls in progress. It is safe for concurrent use.
func (t *Turn) Usage() []agui.TokenUsage {
	return t.x.Usage.Total()
}

// ThreadUsage returns [Turn.Usage] plus the usage of the thread's earlier runs.
func (t *Turn) ThreadUsage() []agui.TokenUsage {
	return state.AddUsage(t.x.Input.ThreadUsage, t.Usage())
}
