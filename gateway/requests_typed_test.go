package gateway_test

import "testing"

// A message to a thread with a question is tried as its answer, if the agent is configured so. It leaves the question
// open unless it is one.
func TestRequestsThatType(t *testing.T) {
	play(t, []testCase{
		{"the name, the number, and a sentence around them", `
			run typed r1 @a u1  -> interrupt
			run typed r2 @a u1 a1 u2=m -> success
			run typed r1 @b u1  -> interrupt
			run typed r2 @b u1 a3 u2=2 -> success
			run typed r1 @c u1  -> interrupt
			run typed r2 @c u1 a5 u2=Take_the_second_one,_please! -> success
			run typed r1 @d u1  -> interrupt
			run typed r2 @d u1 a7 u2=Ich_nehme_bitte_die_letzte. -> success
			errors              -> 0`},
		{"what it came to, and again", `
			run typed r1 u1     -> interrupt
			run typed r2 u1 a1 u2=the_second_one -> success
			thread              -> idle u1 a1 u2 a2 {"size":"M"}
			run typed r2 u1 a1 u2=the_second_one -> success
			run typed r3 u1 q1=M -> success
			run typed r4 u1 q1=L -> error interrupt_already_resolved
			runs                -> r2 r1`},
		{"what is not understood is said back", `
			run typed r1 u1     -> interrupt
			run typed r2 u1 a1 u2=the_second_one? -> interrupt
			thread              -> interrupted u1 a1 u2 a2 {}
			run typed r2 u1 a1 u2=the_second_one? -> interrupt
			run typed r3 u1 a1 u2 a2 u3=not_the_second_one -> interrupt
			thread              -> interrupted u1 a1 u2 a2 u3 a3 {}
			run typed r4 u1 a1 u2 a2 u3 a3 -> interrupt
			runs                -> r3 r2 r1
			run typed r5 u1 a1 u2 a2 u3 a3 q1=M -> success
			thread              -> idle u1 a1 u2 a2 u3 a3 a4 {"size":"M"}
			errors              -> 0`},
		{"several questions, or none that its author can have seen", `
			run typed-both r1 u1 -> interrupt
			run typed-both r2 u1 u2=M -> error interrupt_pending
			run typed-mixed r3 @m u1 -> interrupt
			run typed-mixed r4 @m u1 a1 u2=M -> error interrupt_pending
			run typed r5 @n u1  -> interrupt
			run typed r6 @n u1 u2=M -> error interrupt_pending
			run typed r7 @n u1 a2 u2=M -> success`},
		{"an expired question is not answered", `
			run typed r1 u1     -> interrupt
			later 25h           ->
			run typed r2 u1 a1 u2=M -> interrupt
			thread              -> interrupted u1 a1 u2 a2
			run typed r3 u1 a1 u2 a2 u3=M -> success`},
		{"the next question waits for its own answer", `
			run typed-steps r1 u1 -> interrupt
			run typed-steps r2 u1 u2=M -> interrupt
			run typed-steps r2 u1 u2=M -> interrupt
			run typed-steps r3 u1 u2 a1 u3=L -> success
			thread              -> idle u1 u2 a1 u3 a2 {"lid":"L","size":"M"}`},
		{"who has waited for the turn has not seen the question", `
			open a run typed-queue r1 u1 ->
			wait b run typed-queue r2 u1 u2=M ->
			release             ->
			rest a              -> interrupt
			rest b              -> error interrupt_pending
			run typed-queue r3 u1 u3=M -> success`},
		{"a failed turn gives the answer back", `
			run typed-fails r1 u1 -> interrupt
			run typed-fails r2 u1 u2=M -> error agent_failed
			thread              -> interrupted u1 u2 a1
			run typed-fails r3 u1 u2 a1 u3=what -> interrupt
			run typed-fails r4 u1 q1=L -> error agent_failed`},
		{"pages and clients of before 1.0", `
			page typed r1 u1    -> interrupt
			page typed r2 u1 a1 u2=hm -> interrupt
			page typed r3 u1 a1 u2 a2 u3=s -> success
			run typed r1 @o u1 +old -> interrupt
			run typed r2 @o u1 a4 u2=hm +old -> interrupt
			run typed r3 @o u1 a4 u2 a5 u3=s +old -> success`},
		{"in a team, whose other members go on", `
			run typed-desk r1 u1 -> interrupt
			run typed-desk r2 u1 a1 u2=hm -> interrupt
			open a run typed-desk r3 u1 a1 u2 a2 u3=L ->
			release             ->
			rest a              -> success
			errors              -> 0`},
	})
}

// A model is asked what a message means that is not known without it.
func TestRequestsThatTypeToAModel(t *testing.T) {
	play(t, []testCase{
		{"it knows", `
			run typed-model r1 u1 -> interrupt
			run typed-model r2 u1 a1 u2=the_biggest -> success
			thread              -> idle u1 a1 u2 a2 {"size":"L"}`},
		{"it does not, is away, or talks nonsense", `
			run typed-model r1 u1 -> interrupt
			run typed-model r2 u1 a1 u2=the_fourth_of_them -> interrupt
			run typed-model r3 u1 a1 u2 a2 u3=was_kostet_das -> interrupt
			run typed-model r4 u1 a1 u2 a2 u3 a3 u4=away -> interrupt
			run typed-model r5 u1 a1 u2 a2 u3 a3 u4 a4 u5=nonsense -> interrupt
			thread              -> interrupted u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 {}
			run typed-model r6 u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6=s -> success`},
		{"an answer by the card while it thinks", `
			run typed-model r1 u1 -> interrupt
			wait a run typed-model r2 u1 a1 u2=let_me_think +detach ->
			until a RUN_STARTED ->
			run typed-model r3 u1 a1 q1=M -> error run_in_progress
			run typed-model r4 u1 a1 q1! -> error run_in_progress
			run typed-model r5 u1 a1 u3=M -> error run_in_progress
			release             ->
			rest a              -> success
			thread              -> idle u1 a1 u2 a2 {"size":"S"}
			run typed-model r6 u1 a1 q1=M -> error interrupt_already_resolved`},
		{"a stop while it thinks has answered nothing", `
			run typed-model r1 u1 -> interrupt
			wait a run typed-model r2 u1 a1 u2=let_me_think +detach ->
			until a RUN_STARTED ->
			stop                -> 200
			rest a              -> cancelled
			thread              -> interrupted u1 a1 u2
			run typed-model r3 u1 a1 u2 q1=M -> success
			thread              -> idle u1 a1 u2 a2 {"size":"M"}`},
		{"a message that supersedes it has not seen what comes of it", `
			run typed-supersede r1 u1 -> interrupt
			wait a run typed-supersede r2 u1 a1 u2=let_me_think +detach ->
			until a RUN_STARTED ->
			run typed-supersede r3 u1 a1 u2 u3=M -> error interrupt_pending
			rest a              -> cancelled
			run typed-supersede r4 u1 a1 u2 q1=M -> success`},
	})
}

// Approvals require a clear yes, for the displayed call only, and no model decides them.
func TestRequestsThatTypeAnApproval(t *testing.T) {
	play(t, []testCase{
		{"yes", `
			run typed-approve r1 u1 -> interrupt
			run typed-approve r2 u1 a1 u2=Yes,_please. -> success
			thread              -> idle u1 a1 t1 u2 a2`},
		{"no", `
			run typed-approve r1 u1 -> interrupt
			run typed-approve r2 u1 a1 u2=nein -> success
			thread              -> idle u1 a1 t1 u2 a2`},
		{"anything else is neither", `
			run typed-approve r1 u1 -> interrupt
			run typed-approve r2 u1 a1 u2=the_biggest -> interrupt
			run typed-approve r3 u1 a1 u2 a2 u3=yes,_but_two_of_them -> interrupt
			run typed-approve r4 u1 a1 u2 a2 u3 a3 u4=yes? -> interrupt
			run typed-approve r5 u1 a1 u2 a2 u3 a3 u4 a4 u5=ok -> interrupt
			run typed-approve r6 u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6={"approved":true} -> interrupt
			run typed-approve r7 u1 u7=yes -> error interrupt_pending`},
	})
}
