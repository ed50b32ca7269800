// Package groupchat runs a team of agents: a supervisor chooses who speaks next by looking at shared state,
// the specialist works, and the chat goes on until there is nothing left to do.
//
// An [Agent] takes one turn. A [Chat] is a team of agents under a [Manager] and is itself an Agent, which is
// how teams nest. What an agent may see and do in its turn is a [Turn]: it reads the conversation, says
// things, changes the shared state, asks people questions.
//
//	flights := groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
//		if err := groupchat.Say(t, "announce", "I found two flights."); err != nil {
//			return err
//		}
//		flight, err := groupchat.Choose(t, groupchat.Question{Key: "flight", Message: "Which one?"}, flights...)
//		if err != nil {
//			return err // *Pause the first time: the run ends here, the answer comes in another
//		}
//		…
//	})
//
// # Ways to work together
//
// Who speaks next is a manager's to say: [ByState], [Route], [RoundRobin], [Sequential], [Handoff] and others. Agents made of
// others are a [Fan], which lets them work at once, [Sub], which shares only what it says with the team around it, and
// [Review], which asks a person. Any agent may let others take turns inside its own, with [Turn.Invoke].
//
// # Pausing
//
// An agent that asks unwinds with a [*Pause]; nothing waits in memory. Where the turn was is kept in frames,
// plain JSON that any replica can go on from. The run that brings the answer enters the same turn again, from
// its first line: [Turn.Ask] then returns the answer, [Say] stays silent, [Once] returns what it returned
// before. So what stands before an Ask must be idempotent or in a Once; setting state is. The supervisor is
// not asked again and no round is counted. A turn that does not return its pause has failed.
//
// # Definitions and runs
//
// Agents and chats are definitions: immutable, shared by all runs. Everything about one run is in its
// [Session] and its frames. A Turn may be used from several goroutines, started with [Turn.Go] so that their
// panics end the run and not the program.
package groupchat
