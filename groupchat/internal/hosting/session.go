package hosting

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
)

// A Session has the fields of host.Session, which says what they are, but for the input, whose type is groupchat's.
type Session struct {
	Run        *run.Run
	State      *state.Document
	Journal    Journal
	Fence      func(ctx context.Context) error
	Checkpoint json.RawMessage
	Answers    map[string]state.Answer
	Results    map[string]agui.Content
	Takeover   bool
	Memo       map[string]json.RawMessage
	Origin     string
	NewID      func() string
	Pace       time.Duration
	Usage      *Usage
	Notes      *Notes
	MaxTurns   int
	Approvals  Approvals
	AtLimit    func(chat string)
	Log        *slog.Logger
}

// Approvals is what host.Approvals is.
type Approvals interface {
	Covers(ctx context.Context, call string, about state.ApprovalSubject, scopes []state.ApprovalScope) (state.Approval, bool, error)
	Remember(ctx context.Context, a state.Approval) error
}

// A Journal is what host.Journal is.
type Journal interface {
	Commit(ctx context.Context, checkpoint json.RawMessage) error
	Once(ctx context.Context, key string, result json.RawMessage) error
}

// Execute runs an agent. Package groupchat sets it, to a
//
//	func(ctx context.Context, root groupchat.Agent, in *groupchat.Input, s *Session, hooks []groupchat.Hooks) (
//		pause *groupchat.Pause, checkpoint json.RawMessage, closings []agui.Event, err error)
//
// whose types this package cannot name.
var Execute any

// ForwardsOf names the headers that an agent passes on. Package groupchat sets it, to a
//
//	func(groupchat.Agent) []string
var ForwardsOf any
