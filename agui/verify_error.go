package agui

import "strconv"

// An OrderRule names the rule of order a stream broke.
type OrderRule string

// The rules of order of AG-UI 1.0.
const (
	RuleFirstEvent     OrderRule = "first_event"     // a stream begins with RUN_STARTED or RUN_ERROR
	RuleRunActive      OrderRule = "run_active"      // RUN_STARTED only when no run is active
	RuleRunEnded       OrderRule = "run_ended"       // after the end only a new run, or one late RUN_ERROR
	RuleAlreadyOpen    OrderRule = "already_open"    // an open id is closed before it is opened again
	RuleNotOpen        OrderRule = "not_open"        // a continuation or closing names something open
	RuleUnclosed       OrderRule = "unclosed"        // everything open is closed before RUN_FINISHED
	RuleOwner          OrderRule = "owner"           // a tag agrees with the owner of what it continues
	RuleSubagentReused OrderRule = "subagent_reused" // a subagentRunId is one invocation of a run
	RuleUnknownParent  OrderRule = "unknown_parent"  // a parent subagent was started in this run
	RuleChunkOpener    OrderRule = "chunk_opener"    // the first chunk has its id, a tool's also its name
	RuleChunkChanged   OrderRule = "chunk_changed"   // a later chunk repeats the opener's fields as they were
	RuleChunkAmbiguous OrderRule = "chunk_ambiguous" // a chunk without id and tag has one stream to continue
)

// The rules of a run that is written with agui/run, beyond those of the protocol.
const (
	RuleIDTaken     OrderRule = "id_taken"     // an id identifies one item, of one kind, role and name
	RuleUnknownCall OrderRule = "unknown_call" // a result is that of a call that was made
)

// An OrderError says which event of a stream is out of order, and why. It carries ids and names, never content.
type OrderError struct {
	Rule OrderRule
	Type EventType // of the event that was refused
	Kind Kind      // what the rule is about; empty for the run itself
	ID   string    // of that thing
}

func (e *OrderError) Error() string {
	text := "agui: " + string(e.Type) + " is out of order: " + string(e.Rule)
	if e.Kind != "" {
		text += ": " + string(e.Kind) + " " + strconv.Quote(e.ID)
	}
	return text
}

// A Kind names a kind of thing that a stream opens, closes or owns.
type Kind string

// The kinds of things that an [OrderError] and a [Tracker] are about.
const (
	KindText      Kind = "text message"
	KindToolCall  Kind = "tool call"
	KindReasoning Kind = "reasoning message"
	KindSpan      Kind = "reasoning span"
	KindActivity  Kind = "activity"
	KindResult    Kind = "tool result"
	KindStep      Kind = "step"
	KindSubagent  Kind = "subagent"
)

// KindOf returns the kind of a message of a role, for the comparison of owners: of everything that is neither reasoning
// nor an activity it is a text message.
func KindOf(role Role) Kind {
	switch role {
	case RoleReasoning:
		return KindReasoning
	case RoleActivity:
		return KindActivity
	default:
		return KindText
	}
}
