// Package script has agents without a model: lists of steps that a host or a team takes like any other agent. They are
// forms, fixed openings and closings, and stand-ins for agents that are still to be written.
//
// An [Agent] takes its [Step]s from top to bottom, in every turn anew. A step says a text, asks a person one question
// or several at once, writes to the state, calls a tool of the client's, waits, or fails the run:
//
//	form := &script.Agent{Steps: []script.Step{
//		{Ask: &script.Ask{Key: "size", Message: "Which size?", Options: []any{"S", "L"}}},
//		{Set: &script.Set{Path: "/order/size", Value: "${answers.size}"}},
//		{Say: "One in ${answers.size}, then."},
//	}}
//
// Texts and values may refer to answers. [Agent.Validate] reports every mistake with the number of its step, such as a
// reference to a question that no step before asks; groupchat.Chat.Validate includes it.
//
// # Pauses
//
// A question and a call of a client's tool end the run. The run that brings the answer enters the script from the top
// again; what a step did before is known by the step's place and not done twice. A script may therefore be changed
// while a run waits in it: texts and values anywhere, and the steps after the one that waits. With other steps before
// that one the run ends with errcode.CheckpointIncompatible, and the answer is not used.
//
// The team file's agents of type script (docs/teams/script.md) are these.
package script
