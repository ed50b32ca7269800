// Package template reads texts with variables, such as the instructions of an agent: the values come from the shared
// state and from the conversation.
//
// A variable is written in braces: {{state:/topic}} is the value at a JSON Pointer of the state, {{input}} the last
// message of the user, {{last:researcher}} the last answer of a participant, {{date}} the day. A default follows after
// a bar: {{state:/topic|the weather}}. [Template.Prepare] provides the instructions of an agent, [Template.Text] other
// texts, and [Template.Value] the inputs of a scope.
package template
