package model

// A Purpose says what a model is called for.
type Purpose string

// The purposes of calls of models.
const (
	ForReply   Purpose = "reply"   // what an agent says next
	ForChoice  Purpose = "choice"  // who speaks next
	ForPlan    Purpose = "plan"    // the facts, the plan and the progress of a manager that plans
	ForSummary Purpose = "summary" // a summary of a conversation
	ForGuard   Purpose = "guard"   // whether a guardrail lets something pass
	ForOther   Purpose = "other"   // anything else, such as suggestions
)
