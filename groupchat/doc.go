// Package groupchat is for writing agents and teams of agents. A manager chooses the next speaker by the shared state,
// the chosen agent works, and the chat continues until nothing is left to do. Package gateway serves agents over HTTP;
// other services call [Execute], and package [github.com/agui-gateway/gateway/groupchat/thread] needs no service at
// all.
//
// # An agent
//
// An [Agent] has one method, which takes one turn. Its [Turn] has everything it may read and do there: the
// conversation, messages, the shared state, questions to people.
//
//	researcher := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
//		if err := groupchat.Say(t, "I look for the leaves."); err != nil {
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
// [LLM] is an agent with a language model and tools ([NewTool], [NewTurnTool], or a [ToolSource]). The model is any
// implementation of [model.Model], such as those of package [github.com/agui-gateway/gateway/model/openai]. A
// [Provider] computes instructions and tools for each turn; package template has texts with variables such as
// {{input}}.
//
// # A team
//
// A [Chat] is a team: participants, each an agent under a name, and a manager. A Chat is itself an Agent, so teams
// nest.
//
//	desk := &groupchat.Chat{
//		Participants: []groupchat.Participant{
//			{Name: "researcher", Description: "collects notes", Agent: researcher},
//			{Name: "writer", Description: "writes the draft", Agent: writer},
//		},
//		Manager: groupchat.Rules(groupchat.Done,
//			groupchat.Rule{When: condition.Missing("/notes"), Speaker: "researcher"},
//			groupchat.Rule{When: condition.Missing("/draft"), Speaker: "writer"},
//		),
//	}
//	if err := desk.Validate(); err != nil { // every mistake at once
//		…
//	}
//
// The manager chooses after each turn. The rules above let the researcher speak while there are no notes, then the
// writer while there is no draft, and end the chat when both are there. Managers judge by the content of the state, so
// a run that starts with notes begins with the writer.
//
// # Managers
//
//   - [Rules] takes the first rule that holds.
//   - [Route] and [RouteTo] look up one participant by a text in the state.
//   - [Sequential] lets every participant speak once, [RoundRobin] in turn until the chat's MaxRounds.
//   - [Handoff] lets the speakers choose the next one.
//   - [LLMManager] asks a language model.
//   - [ByFunc] calls a function of a [View]. A [Snapshotter] is a manager with a memory.
//
// # Agents made of agents
//
//   - [Concurrent] lets several work at once and waits for all.
//   - [Sub] shares only inputs, messages, state and output that it names with the team around it.
//   - [Review] asks a person to accept the result of another agent, or to have it done again.
//   - [AsTool] makes an agent a tool that a model can call.
//   - [WithContract] checks inputs and results of an agent by JSON Schemas.
//   - Any agent may let others take turns within its turn, with [Turn.Invoke] and [Turn.InvokeAll].
//
// # Questions and pauses
//
// An agent that asks ([Turn.Ask], [Choose], [Turn.CallTool]) receives a [*ask.Pause] and returns it. Nothing waits in
// memory: the positions of the open turns are plain JSON, from which any process can continue. The run that brings the
// answer enters the same turn again, from its first line. [Turn.Ask] then returns the answer, [Say] does not repeat
// itself, and [Once] returns its earlier result. So code before a question must be safe to do twice, as setting state
// is, or be within a [Once]. The manager does not choose again and no round is counted. A turn that drops its pause
// fails.
//
// # Failures
//
// An agent's error, or its panic, ends the run unless its participant's [failure.Policy] says otherwise: try the turn
// again, with growing waits, or skip it. A policy with Retries tries again after [failure.Retryable] failures, unless
// its RetryIf says otherwise.
//
// # Effects in the world
//
// A turn can be entered again after a pause, after a failure, and in another process after a crash. An effect that must
// happen once, such as a payment, belongs in [Once] or in a tool: their results are recorded before they are used.
// Other code with effects outside of the process calls [Fence] first, and undoes nothing when the cause of its context
// is [ErrMoved].
//
// # Hooks
//
// [Hooks] are called around runs, turns, models and tools: [WithHooks] gives them to an agent, a service to all of its
// agents. They see, change, answer or refuse. docs/hooks.md is their manual; package guard has ready-made rules.
//
// # Definitions and runs
//
// Agents and chats are definitions: they do not change once they are used, and all runs share them. The state of one
// run is in its Turns. A Turn may be used from several goroutines; a panic in one that [Turn.Go] started ends the run
// and not the program.
//
// # The files
//
// A run passes through the package one way, from thread.Run, or from an attempt of the gateway, to the first piece of
// text:
//
//	session.go          Execute: checks the session, the run     turn.go: their usage
//	resume.go           reads the checkpoint                     records*.go: open turns, and their lock
//	hooks.go            hooks of the run, then of the root's turn
//	turn.go             Turn.work: the agent runs in its turn    turn_record.go: what a turn remembers
//	chat.go             Chat.Run: the manager chooses            manager*.go, handoff.go, llm_manager.go
//	chat_turn.go        the open turn; it ends with a commit     concurrent*.go, sub.go, review.go, astool.go
//	turn_try.go         one try: step, subagent, failure, retry  its state; hooks_stream.go: filters
//	llm.go              LLM.Run: the loop of replies and calls   remote*.go: agents on other servers; package script
//	prepare.go          computes instructions for the turn       package template
//	llm_tools.go        the tools of the turn                    tool*.go; approve.go: questions
//	llm_request.go      conversation ─► request                  visibility.go, conversation.go
//	llm_speak.go        one reply, recorded by once.go,          llm_history.go; package history shortens requests
//	                    with telemetry (chat_turn.go);
//	                    its deltas are events of the run         predict.go: state that follows arguments
//	llm_calls.go        the calls of the reply                   tool_call.go, tool_input.go; llm_history.go
//
// Then the other way: ask.go and invoke.go pause turns, turn_try.go gives errors their codes. validate.go and
// contract.go find mistakes before and during a run. agent.go has agents, participants and wrappers; view.go has the
// methods by which managers and providers see a chat.
//
// Packages below have the values that others share with agents: ask (answers, verdicts, pauses), tools (results,
// errors, retries, approvals), profile (descriptions), failure (policies), history (notes, and limits of requests).
// Package condition makes the conditions of rules.
package groupchat
