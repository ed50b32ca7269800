package state

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A Request is what a caller wants of a thread, decoded and in canonical spelling. What it means is admit's to say.
type Request struct {
	Key         Key
	RunID       string // as the caller names it; echoed, and never a key
	ParentRunID string
	Era         agui.Era
	// Hash is equal for equal inputs.
	Hash     string
	Messages []agui.Message // the conversation as the caller sees it
	Answers  []Answer
	// Action, if there is one, is the id of a message in Messages with a call of the same id, and with the result after
	// it: what a person did in a surface that the agent shows. Whoever makes the request has made both, so the thread
	// takes them, and they ask for a turn.
	Action string
	State  json.RawMessage

	Tools          []agui.Tool
	Context        []agui.Context
	ForwardedProps json.RawMessage
	// Caller is the known data about the caller.
	Caller Caller
	// Hops is over how many remote agents the request came, Chain names the run that the first of them worked for.
	Hops  int
	Chain string
	// Trace names the span of the request, as W3C's traceparent does; empty if it has none.
	Trace string

	// Edit lets a new message replace what follows the messages that the list names; Regenerate lets a list that
	// ends with a known user message run that turn anew.
	Edit, Regenerate bool
	// ListEdits and ListRegenerates let the list alone ask for the same. They count only for a list that holds the
	// conversation from its first message on: one with holes says nothing about what it leaves out.
	ListEdits, ListRegenerates bool
	// TypedAnswers lets a message be tried as the answer to the one question that is open; see [Intent.Typed].
	TypedAnswers bool
	// Writable lists the top-level pointers of the state a caller may write; nil means all.
	Writable []string
	// NoRun says that nothing may be begun: what would run means [Full] and changes nothing.
	NoRun bool
	// MaxStored is how many bytes the principal's threads may take with the request; 0: any number. Beyond it is
	// [ErrStored].
	MaxStored int64
	// Tied ties the run to the connection that asks for it.
	Tied bool
	// Wait lets the request wait in the queue of a busy thread; nil: it is refused.
	Wait *Wait
	// Since is when the thread was made that the request has been waiting for; zero if it has not. Another thread of
	// its name is not what it wants.
	Since time.Time
	// MaxThread and MaxState are the most bytes the conversation and the state may take, 0: any number. What
	// would run and cannot for want of room is refused.
	MaxThread, MaxState int
	// NewID mints the ids of the messages admission itself adds (results of unanswered calls); nil: random.
	NewID func() string

	encoded encoder
}

// A Caller is the known data about the caller, beside the id that is in the key of the thread. It is for agents only.
// Whoever makes one bounds it.
type Caller struct {
	Roles []string `json:"roles,omitempty"`
	// Claims is a JSON object; nil if there are none.
	Claims json.RawMessage `json:"claims,omitempty"`
}

// IsZero reports whether nothing is known, for omitzero.
func (c Caller) IsZero() bool { return len(c.Roles) == 0 && len(c.Claims) == 0 }

// sizeOf is how many bytes a message of the request takes.
func (r *Request) sizeOf(m agui.Message) int {
	if r.encoded == nil {
		r.encoded = encoder{}
	}
	s, err := r.encoded.message(m)
	if err != nil {
		return 0 // it will not be stored either
	}
	return len(s.Raw)
}

// acts reports whether m is a part of what tells of an action.
func (r *Request) acts(m agui.Message) bool {
	return r.Action != "" && (m.ID == r.Action || m.Role == agui.RoleTool && m.ToolCallID == r.Action)
}

// newMessages returns the messages of the request that the thread never had, in order; all of them for an empty
// thread. Only what a caller may bring is in it.
func (r *Request) newMessages(t *Thread, f Facts) (list []agui.Message, dropped []string) {
	empty := t.Count == 0 && t.Fence == 0
	calls := map[string]bool{}
	seen := map[string]bool{}
	for _, m := range r.Messages {
		if _, ok := f.Known(m.ID); ok || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		if r.acts(m) {
			list = append(list, m)
			continue
		}
		switch m.Role {
		case agui.RoleUser, agui.RoleSystem, agui.RoleDeveloper:
			list = append(list, m)
		case agui.RoleAssistant, agui.RoleReasoning:
			if !empty {
				dropped = append(dropped, m.ID)
				continue
			}
			for _, c := range m.ToolCalls {
				calls[c.ID] = true
			}
			list = append(list, m)
		case agui.RoleTool:
			if empty && calls[m.ToolCallID] {
				list = append(list, m)
			} else if !slices.ContainsFunc(t.Calls, func(c Call) bool { return c.ID == m.ToolCallID }) {
				dropped = append(dropped, m.ID)
			}
		default: // activities are a server's to show
			dropped = append(dropped, m.ID)
		}
	}
	return list, dropped
}

// callAnswers returns the first answer of the request to each open frontend call. Calls that an interrupt is
// bound to are none of these: their answer is the resumed run's to give.
func (r *Request) callAnswers(t *Thread, f Facts) []CallAnswer {
	if len(t.Calls) == 0 {
		return nil
	}
	bound := map[string]bool{}
	for _, id := range t.Open {
		if token, ok := f.Token(id); ok && token.Interrupt.ToolCallID != "" {
			bound[token.Interrupt.ToolCallID] = true
		}
	}
	var answers []CallAnswer
	ids, calls := map[string]bool{}, map[string]bool{}
	for _, m := range r.Messages {
		_, known := f.Known(m.ID)
		if known || ids[m.ID] {
			continue
		}
		ids[m.ID] = true
		if m.Role == agui.RoleTool && !bound[m.ToolCallID] && !calls[m.ToolCallID] && t.open(m.ToolCallID) {
			calls[m.ToolCallID] = true
			answers = append(answers, CallAnswer{Call: m.ToolCallID, Message: m})
		}
	}
	return answers
}

func (t *Thread) open(call string) bool {
	for _, c := range t.Calls {
		if c.ID == call {
			return c.Answer == nil
		}
	}
	return false
}

// A CallAnswer is a tool message with the frontend call it answers.
type CallAnswer struct {
	Call    string
	Message agui.Message
}
