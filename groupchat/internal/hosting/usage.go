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

// A RunUsage is what a checkpoint keeps of the usage of the run that made it, under [UsageKey]. Another run that goes on from
// the checkpoint counts for itself.
type RunUsage struct {
	Origin string            `json:"origin"`
	Usage  []agui.TokenUsage `json:"usage"`
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
func EarlierUsage(checkpoint json.RawMessage, memo map[string]json.RawMessage, origin string) []agui.TokenUsage {
	var c struct {
		Root struct {
			Memo map[string]json.RawMessage `json:"memo"`
		} `json:"root"`
	}
	var kept RunUsage
	var total []agui.TokenUsage
	if json.Unmarshal(checkpoint, &c) == nil && json.Unmarshal(c.Root.Memo[UsageKey], &kept) == nil && kept.Origin == origin {
		total = kept.Usage
	}
	for key, raw := range memo {
		var reply struct {
			Usage agui.TokenUsage `json:"usage"`
		}
		if strings.Contains(key, "/"+OnceKey+ModelKey) && json.Unmarshal(raw, &reply) == nil && reply.Usage.Provider != "" {
			total = state.AddUsage(total, []agui.TokenUsage{reply.Usage})
		}
	}
	return total
}
