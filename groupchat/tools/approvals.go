package tools

import "github.com/agui-gateway/gateway/state"

// An Approval says whether a person must approve of a call before it is made.
type Approval string

// The approvals of a tool.
const (
	ApproveByAgent Approval = ""       // as the agent says
	ApproveAlways  Approval = "always" // of each call
	ApproveNever   Approval = "never"  // unless the agent names the tool
)

// Approvals say of which tools' calls a person must approve, for an agent. The zero value leaves it to the tools: those
// that say always, and destructive ones.
type Approvals struct {
	All bool // of all but those that say never
	// Never leaves out destructive tools that do not say always themselves.
	Never bool
	// Tools are names of tools that need it in any case: as the model knows them, or as their source does. A name that
	// no tool has when a turn is entered makes every call of that turn ask, because the intended tool is unknown.
	Tools []string
	// Remember lists the scopes for which a person may approve later calls of the same tool; nil for none. An approval
	// counts while the scope exists, the tool is unchanged, and the approval is not revoked. The session needs a store
	// of approvals.
	Remember []state.ApprovalScope
}
