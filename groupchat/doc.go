// Package groupchat is for writing agents and teams of agents. A manager chooses who speaks next by looking at shared
// state, the chosen agent works, and the chat continues until nothing is left to do. Package gateway serves agents over HTTP;
// other services call [Execute], and package groupchat/thread needs no service at all.
//
// # An agent
//
// An [Agent] has one method, which takes one turn. What it may see and do there is a [Turn]: it reads the conversation, says
// things, reads and changes the shared state, asks people questions.
//
//	researcher := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
//		if err := groupchat.Say(t, "noted", "I look for the leaves."); err != nil {
//			return err
//		}
//		return t.State().Set("/notes", []string{"leaves"})
//	})
//	writer := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
//		tone, err := groupchat.Choose(t, groupchat.Question{Key: "tone", Message: "Which tone?"}, "dry", "warm")
//		if err != nil {
//			return err // a *Pause the first time: the run ends here, and the answer comes with another
//		}
//		return t.State().Set("/draft", "A "+tone+" text on leaves.")
//	})
//
// [LLM] is an agent that a language model speaks for, with tools ([NewTool], [NewTurnTool], or a [ToolSource]). The model is whatever
// implements [model.Model], such as those of package [github.com/agui-gateway/gateway/model/openai]. What it is told, and which tools it has,
// may be computed for each turn, by a [Provider]; a [Template] is text with variables such as {{input}}.
//
// # A team
//
// A [Chat] is a team: participants, each an agent under a name, and a manager. A Chat is itself an Agent, so teams nest.
//
//	desk := &groupchat.Chat{
//		Participants: []groupchat.Participant{
//			{Name: "researcher", Description: "collects notes", Agent: researcher},
//			{Name: "writer", Description: "writes the draft", Agent: writer},
//		},
//		Manager: groupchat.ByState(groupchat.Done,
//			groupchat.Rule{When: groupchat.Missing("/notes"), Speaker: "researcher"},
//			groupchat.Rule{When: groupchat.Missing("/draft"), Speaker: "writer"},
//		),
//	}
//	if err := desk.Validate(); err != nil { // every mistake at once
//		…
//	}
//
// The manager is asked after each turn. The rules above let the researcher speak while there are no notes, then the writer
// while there is no draft, and end the chat when both are there. Managers judge by what the state holds, so a run that starts with
// notes begins with the writer.
//
// # Managers
//
//   - [ByState] takes the first rule that holds.
//   - [Route] and [RouteTo] look up one participant by a text in the state.
//   - [Sequential] lets everybody speak once, [RoundRobin] in turn until the chat's MaxRounds.
//   - [Handoff] lets the speakers choose who is next.
//   - [LLMManager] asks a language model.
//   - Any function of a [View] is one, as a [ManagerFunc]. A manager with something to remember is a [Snapshotter].
//
// # Agents made of agents
//
//   - [Fan] lets several work at once and waits for all.
//   - [Sub] shares only what it says with the team around it: inputs, messages, state and output.
//   - [Review] asks a person to accept what another agent says, or to have it done again.
//   - [AsTool] makes an agent a tool that a model can call.
//   - [WithContract] holds what an agent is given, and what it returns, to JSON Schemas.
//   - Any agent may let others take turns within its own, with [Turn.Invoke] and [Turn.InvokeAll].
//
// # Questions and pauses
//
// An agent that asks ([Turn.Ask], [Choose], [Turn.CallTool]) is given a [*Pause] and returns it. Nothing waits in memory: where
// each open turn stands is kept as plain JSON, from which any process can go on. The run that brings the answer enters the
// same turn again, from its first line. [Turn.Ask] then returns the answer, [Say] does not repeat itself, and [Once] returns what it
// returned before. So whatever stands before a question must be safe to do twice, as setting state is, or be within a [Once]. The
// manager is not asked again and no round is counted. A turn that drops its pause and goes on has failed.
//
// # Failures
//
// An agent's error, or its panic, ends the run unless its participant's [ErrorPolicy] says otherwise: try the turn again, with
// growing waits, or go on without it. [Retryable] is what is tried again by default.
//
// # Effects in the world
//
// A turn can be entered again after a pause, after a failure, and in another process after a crash. What must happen once, such
// as a payment, belongs in [Once] or in a tool, whose results are recorded before they are used. Code that reaches out without
// either asks [Fence] first, and undoes nothing when the cause of its context is [ErrMoved].
//
// # What is called around it
//
// [Hooks] are called around runs, turns, models and tools: [WithHooks] gives them to an agent, a service to all of its agents. They see,
// change, answer instead or refuse. docs/hooks.md is their manual; package guard has rules that are ready-made.
//
// # Without a server
//
// Package [github.com/agui-gateway/gateway/groupchat/thread] runs an agent in the process of its caller:
//
//	result, err := thread.Run(ctx, desk, "Write about leaves")
//
// # Definitions and runs
//
// Agents and chats are definitions: they are not changed once they are used, and all runs share them. Whatever belongs to one
// run is in its Turn. A Turn may be used from several goroutines; those started with [Turn.Go] end the run and not the program
// when they panic.
package groupchat
