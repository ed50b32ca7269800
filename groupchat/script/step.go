package script

import (
	"time"

	"github.com/agui-gateway/gateway/groupchat"
)

// A Step does exactly one thing: the one that is set.
type Step struct {
	Say     string        // one message of the assistant's
	Ask     *Ask          // one question
	AskMany []Ask         // several at once
	Set     *Set          // a write to the state
	Tool    *Tool         // a call of a tool that the client runs
	Call    *Call         // a turn of another agent's
	Sleep   time.Duration // a wait
	Fail    *Fail         // the run's end, or a failed call in a tool
	When    *When         // a choice between steps
	Each    *Each         // steps for each element of a list
}

// An Ask is a question. With options the answer is one of them, with a schema what matches it, else any value.
type Ask struct {
	Key     string
	Message string
	Options []any // nil for any value
	// Value has more members of the card, for pages that know them: see [groupchat.Question.Value]. It is an object, or
	// nothing.
	Value any
	// Schema is the JSON Schema of the answer, which then is the answer as it comes and not its member value. Without
	// Options.
	Schema any
	TTL    time.Duration // 0: the server's default
}

// A Set writes Value to a JSON Pointer of the state. Members of the pointer may have references.
type Set struct {
	Path  string
	Value any
	// Merge writes the members of an object, and leaves those that are there and that Value does not have.
	Merge bool
}

// A Tool calls a frontend tool and waits for its result.
type Tool struct {
	Name      string
	Arguments any // nil is {}
}

// A Call lets another agent take a turn, as one of a team would. Its last words are the answer under its name.
type Call struct {
	Name  string
	Agent groupchat.Agent `json:"-"`
	// Query is what the agent is asked, as a message of the user's. It sees the conversation as well.
	Query string
}

// A Fail ends the run with RUN_ERROR. Code is any code of the author, empty for agent_failed; Message is for clients,
// empty for the code's sentence. In a tool it fails the call, and the model gets the message.
type Fail struct {
	Code    string
	Message string
}

// A When takes Then or Else, either of which may be empty. It decides by If, or, if If is nil, by whether Value is
// Equals. The decision holds for the turn, pauses included.
type When struct {
	If     groupchat.Condition `json:"-"` // of the current state and conversation
	Value  any                 // a reference, such as ${answers.size}
	Equals any
	Then   []Step
	Else   []Step
}

// An Each takes Do for each element of In: a list, or a reference to one. In Do, ${each.item} is the element,
// ${each.item.name} a member of it, and ${each.index} its place from 0. A question's key in Do gets its place added, as
// in "size/0".
type Each struct {
	In any
	Do []Step
}

// The bounds of a script.
const (
	maxDepth = 8    // of When and Each within each other
	maxSteps = 1000 // that one turn takes
)
