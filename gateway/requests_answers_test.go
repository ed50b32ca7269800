package gateway_test

import "testing"

// Answers to people's questions, whichever replica they come to (rows 1 to 3, 6 and 7).
func TestRequestsThatAnswer(t *testing.T) {
	play(t, []testCase{
		{"an answer goes on with the turn", `
			run ask r1 u1       -> interrupt
			thread              -> interrupted u1 a1 {}
			run ask r2 q1=M     -> success
			thread              -> idle u1 a1 a2 {"size":"M"}
			runs                -> r2 r1`},
		{"an answer with the conversation", `
			run ask r1 u1       -> interrupt
			run ask r2 u1 a1 q1=M -> success
			thread              -> idle u1 a1 a2 {"size":"M"}`},
		{"an answer with a message: it joins the conversation, as no turn of its own", `
			run ask r1 u1       -> interrupt
			run ask r2 u1 a1 u2 q1=M -> success
			thread              -> idle u1 a1 u2 a2 {"size":"M"}
			runs                -> r2 r1`},
		{"calling off", `
			run ask r1 u1       -> interrupt
			run ask r2 q1!      -> success
			thread              -> idle u1 a1 a2 {}
			run ask r3 q1!      -> success
			run ask r4 q1=M     -> error interrupt_already_resolved`},
		{"the same answer again shows the thread", `
			run ask r1 u1       -> interrupt
			run ask r2 q1=M     -> success
			run ask r3 q1=M     -> success
			run ask r4 u1 a1 u2 q1=M -> success
			runs                -> r2 r1
			thread              -> idle u1 a1 a2 {"size":"M"}`},
		{"the same answer again joins the run that it began", `
			run slow-answer r1 u1 -> interrupt
			open a run slow-answer r2 q1=M ->
			wait b run slow-answer r3 q1=M ->
			wait c run slow-answer r4 u1 u2 q1=M ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			release             ->
			rest a              -> success
			rest b              -> success
			rest c              -> success
			runs                -> r2 r1
			thread              -> idle u1 a1`},
		{"another answer to a used question", `
			run ask r1 u1       -> interrupt
			run ask r2 q1=M     -> success
			run ask r3 q1=L     -> error interrupt_already_resolved
			run ask r4 q1!      -> error interrupt_already_resolved
			thread              -> idle u1 a1 a2 {"size":"M"}`},
		{"another answer while its run is live", `
			run slow-answer r1 u1 -> interrupt
			open a run slow-answer r2 q1=M ->
			run slow-answer r3 q1=L -> error interrupt_already_resolved
			release             ->
			rest a              -> success
			runs                -> r2 r1`},
		{"to a question that was never asked", `
			run ask r1 @other q9=M -> error interrupt_not_found
			run ask r1 u1       -> interrupt
			run ask r2 q9=M     -> error interrupt_not_found
			run ask r3 q9!      -> error interrupt_not_found
			thread              -> interrupted u1 a1
			run ask r4 q1=M q9=M -> success`},
		{"to another thread's question", `
			run ask r1 u1       -> interrupt
			run ask r1 u1 @other -> interrupt
			run ask r2 q1=M @other -> error interrupt_not_found
			run ask r2 q2=M     -> error interrupt_not_found
			run ask r3 q2=M @other -> success
			run ask r3 q1=L     -> success
			thread              -> idle u1 a1 a4 {"size":"L"}`},
		{"not to the schema: the question stays open", `
			run ask r1 u1       -> interrupt
			run ask r2 q1=XXL   -> error resume_invalid
			thread              -> interrupted u1 a1
			run ask r3 q1=M     -> success`},
		{"two of them, one missing", `
			run both r1 u1      -> interrupt
			run both r2 q1=M    -> error resume_incomplete
			run both r3 q2=M    -> error resume_incomplete
			run both r4 q1=M q2=XXL -> error resume_invalid
			run both r5 q1=M q1=L -> error resume_invalid
			thread              -> interrupted u1
			run both r6 q2=L q1=M -> success
			thread              -> idle u1 a1 a2 {"colour":"L","size":"M"}
			run both r7 q1=M q2=L -> success
			run both r8 q1=M    -> success
			run both r9 q1=L q2=L -> error interrupt_already_resolved
			runs                -> r6 r1`},
		{"two of them, one called off", `
			run both r1 u1      -> interrupt
			run both r2 q1! q2=M -> success
			thread              -> idle u1 a1 {"colour":"M"}`},
		{"one after the other", `
			run steps r1 u1     -> interrupt
			run steps r2 q1=M   -> interrupt
			run steps r3 q1=M   -> interrupt
			run steps r4 q1=L   -> error interrupt_already_resolved
			run steps r5 q2=S   -> success
			thread              -> idle u1 a1 a2 {"lid":"S","size":"M"}
			runs                -> r5 r2 r1`},
		{"too late", `
			run ask r1 u1       -> interrupt
			later 25h           ->
			thread              -> idle u1 a1
			run ask r2 q1=M     -> error interrupt_expired
			run ask r3 u1 a1 u2 -> interrupt
			thread              -> interrupted u1 a1 u2 a2
			run ask r4 q1=M     -> error interrupt_expired
			run ask r5 q2=M     -> success`},
		{"a message in the place of an answer", `
			run ask r1 u1       -> interrupt
			run ask r2 u1 a1 u2 -> error interrupt_pending
			run ask r3 u1 a1    -> interrupt
			run ask r4          -> interrupt
			thread              -> interrupted u1 a1
			runs                -> r1
			run ask r5 q1=M     -> success`},
		{"pages are asked again", `
			page ask r1 u1      -> interrupt
			page ask r2 u1 a1 q9=M -> refused interrupt_not_found
			page ask r3 u1 a1 q1=XXL -> refused resume_invalid
			wait a page ask r4 u1 a1 u2 ->
			rest a              -> refused interrupt_pending
			page ask r5 u1 a1 q1=M -> success
			page ask r6 u1 a1 q1=L -> refused interrupt_already_resolved
			runs                -> r5 r1`},
		{"by the thread's own route", `
			resume q9=M         -> 404 not_found
			run ask r1 u1       -> interrupt
			resume q9=M         -> 409 interrupt_not_found
			resume q1=XXL       -> 409 resume_invalid
			resume q1=M         -> 202
			idle                ->
			resume q1=M         -> 200
			resume q1=L         -> 409 interrupt_already_resolved
			thread              -> idle u1 a1 a2 {"size":"M"}`},
		{"a failed turn gives its answer back", `
			run fails-answer r1 u1 -> interrupt
			run fails-answer r2 q1=M -> error agent_failed
			thread              -> interrupted u1 a1
			run fails-answer r3 q1=M -> error agent_failed
			page fails-answer r4 u1 q1=L -> refused agent_failed
			runs                -> r4 r3 r2 r1`},
		{"an approval has its call's result once", `
			run approve r1 u1   -> interrupt
			run approve r2 q1=yes -> success
			run approve r3 q1=yes -> success
			run approve r4 q1!  -> error interrupt_already_resolved
			thread              -> idle u1 a1 t1`},
		{"a fork leaves the question behind", `
			run ask r1 u1       -> interrupt
			fork a1 @f          -> 201
			thread @f           -> idle u1 a1 {}
			run ask r2 q1=M @f  -> error interrupt_not_found
			run ask r3 q1=M     -> success
			thread @f           -> idle u1 a1`},
		{"a deleted thread's question is none of the next one's", `
			run ask r1 u1       -> interrupt
			delete              -> 204
			run ask r2 q1=M     -> error interrupt_not_found
			run ask r3 u1       -> interrupt
			run ask r4 q1=M     -> error interrupt_not_found
			thread              -> interrupted u1 a2`},
	})
}

// Results of the frontend's calls (rows 8 and 9), and both at once.
func TestRequestsWithResults(t *testing.T) {
	play(t, []testCase{
		{"a result goes on with the turn", `
			run map r1 u1       -> success
			run map r2 u1 t1>c1 -> success
			run map r3 u1 t1>c1 t2>c2 -> success
			thread              -> idle u1 a1 a2 t1 a3 t2 a4
			runs                -> r3 r2 r1`},
		{"the first result counts", `
			run map r1 u1       -> success
			run map r2 t1>c1    -> success
			run map r3 t2>c1    -> success
			runs                -> r2 r1
			thread              -> idle u1 a1 a2 t1 a3`},
		{"a message gives the turn up", `
			run map r1 u1       -> success
			run map r2 u1 u2    -> success
			runs                -> r2 r1
			run map r3 t1>c1    -> success
			runs                -> r2 r1`},
		{"a message beside the result joins the conversation", `
			run map r1 u1       -> success
			run map r2 u1 t1>c1 u2 -> success
			runs                -> r2 r1`},
		{"a result of a call that nobody made", `
			run map r1 u1       -> success
			run map r2 t1>c9    -> success
			runs                -> r1
			thread              -> idle u1 a1 a2`},
		{"a question and a call: the answer waits for neither, the turn for both", `
			run mixed r1 u1     -> interrupt
			run mixed r2 t1>c1  -> interrupt
			run mixed r3 q1=M   -> success
			thread              -> idle u1 a1 t1 a2
			runs                -> r3 r1`},
		{"a question and a call, answered at once", `
			run mixed r1 u1     -> interrupt
			run mixed r2 t1>c1 q1=M -> success
			thread              -> idle u1 a1 t1 a2
			runs                -> r2 r1`},
		{"a question and a call whose result never came", `
			run mixed r1 u1     -> interrupt
			run mixed r2 q1=M   -> success
			runs                -> r2 r1`},
		{"a result that nobody waits for joins a live run", `
			open a run slow r1 u1 ->
			wait b run slow r2 u1 t1>c1 ->
			until b TEXT_MESSAGE_CONTENT ->
			release             ->
			rest a              -> success
			rest b              -> success
			runs                -> r1`},
	})
}

// Requests that add nothing (rows 4, 10 and 14).
func TestRequestsThatAddNothing(t *testing.T) {
	play(t, []testCase{
		{"to a thread that is not there", `
			run echo r1         -> success
			thread              -> unknown
			attach a            -> 404
			resume q9=M         -> 404 not_found
			title Name          -> 404 not_found
			fork u1 @f          -> 404 not_found
			delete              -> 404 not_found`},
		{"they are shown an idle thread", `
			run echo r1 u1      -> success
			run echo r2         -> success
			run echo r3 u1      -> success
			run echo r4 u1 a1   -> success
			run echo r5 a1 u1   -> success
			page echo r6 u1 a1  -> success
			runs                -> r1
			thread              -> idle u1 a1`},
		{"a request that was retried is shown what it came to", `
			run echo r1 u1      -> success
			run echo r1 u1      -> success
			runs                -> r1
			run ask r1 u1 @asks -> interrupt
			run ask r1 u1 @asks -> interrupt
			run fails r1 u1 @fails -> error agent_failed
			run fails r1 u1 @fails -> error agent_failed
			runs @fails         -> r1`},
		{"they join a live run, at every replica", `
			open a run slow r1 u1 ->
			wait b run slow r2  ->
			wait c run slow r3 u1 ->
			wait d page slow r4 u1 ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			until d TEXT_MESSAGE_CONTENT ->
			release             ->
			rest a              -> success
			rest b              -> success
			rest c              -> success
			rest d              -> success
			runs                -> r1`},
		{"others' messages are not taken", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 a9 -> success
			thread              -> idle u1 a1
			runs                -> r1`},
		{"a title is kept over runs", `
			run echo r1 u1      -> success
			title My title      -> 200
			run echo r2 u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a2`},
		{"a reader that comes back is sent what followed, at every replica", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			hangup b            ->
			release             ->
			rest a              -> success
			attach c after b    ->
			rest c              -> success
			thread              -> idle u1 a1`},
		{"a reader that comes back after another run is sent both", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			hangup b            ->
			release             ->
			rest a              -> success
			release             ->
			run slow r2 u1 a1 u2 -> success
			attach c after b    ->
			until c RUN_FINISHED ->
			until c RUN_FINISHED ->
			rest c              -> success`},
	})
}
