// Package guard has guardrails: rules for the input and output of agents, as [groupchat.Hooks].
//
//	rails, err := guard.New(
//		guard.Rule{On: []guard.Place{guard.Input}, Match: regexp.MustCompile(`(?i)password`), Say: "No."},
//		guard.Rule{On: []guard.Place{guard.Output}, Detect: []guard.Detector{guard.Email}, Do: guard.Redact},
//		guard.Rule{On: []guard.Place{guard.Output}, Ask: &guard.Judge{Model: m}, Hold: guard.HoldSentence},
//	)
//	agent = groupchat.WithHooks(agent, rails)
//
// A [Rule] says where it looks ([Place]), what it looks for (a pattern, detectors, a predicate or a model), and its
// reaction ([Action]). Rules run in order, each on the result of the one before it.
//
// # What it costs
//
// What people see is held back until it can be judged. A pattern holds back as many characters as its longest match is
// to have ([Rule].Window, 64 by default); detectors the last word, or the digits so far; a predicate or a model the
// sentence or the whole message ([Hold]), and a model the time of its answer on top. At most [MaxHeld] bytes of each
// message are held back.
//
// # What can go wrong
//
// A check that fails, panics, is too slow or answers nonsense refuses ([Rule].Otherwise): the turn ends with
// hook_failed. A rule that refuses ends it with guardrail_refused and the rule's own sentence. Earlier text stays
// visible on the wire; the message is not complete and leaves the conversation with the turn. The person's message
// stays in the thread.
//
// [Text] is for whoever wants to edit what people read piece by piece, without rules.
package guard
