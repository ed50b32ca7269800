package groupchat

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Usage counts what a run's models use, those of remote agents included, per provider and model, while it goes on. The zero value has counted nothing.
// It is safe for concurrent use.
type Usage struct {
	mu    sync.Mutex
	total []agui.TokenUsage
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

// runUsage is what a checkpoint keeps of the usage of the run that made it. Another run that goes on from the
// checkpoint counts for itself.
type runUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
}

// usageKey is where the root's frame keeps it.
const usageKey = "usage"

// used counts what calls of models used.
func (x *execution) used(list ...agui.TokenUsage) error {
	list = slices.DeleteFunc(slices.Clone(list), func(u agui.TokenUsage) bool {
		return u == agui.TokenUsage{Provider: u.Provider, Model: u.Model} // nothing is known
	})
	if len(list) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.Usage == nil {
		x.Usage = &Usage{}
	}
	x.Usage.Add(list...)
	raw, err := json.Marshal(runUsage{x.Origin, x.Usage.Total()})
	x.root.Memo = with(x.root.Memo, usageKey, raw)
	return err
}

// EarlierUsage is what earlier attempts at the run of this origin used, by the checkpoint and the recorded effects that a
// takeover goes on from. What an attempt used that was not recorded is not known.
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage, origin string) []agui.TokenUsage {
	var c Checkpoint
	var kept runUsage
	var total []agui.TokenUsage
	if json.Unmarshal(checkpoint, &c) == nil && c.Root != nil && json.Unmarshal(c.Root.Memo[usageKey], &kept) == nil && kept.Origin == origin {
		total = kept.Usage
	}
	for key, raw := range memo {
		var reply struct {
			Usage agui.TokenUsage `json:"usage"`
		}
		if strings.Contains(key, "/"+onceKey+modelKey) && json.Unmarshal(raw, &reply) == nil && reply.Usage.Provider != "" {
			total = state.AddUsage(total, []agui.TokenUsage{reply.Usage})
		}
	}
	return total
}
