package gateway_test

import "testing"

// Requests that find a run in their way and wait for its end. The queue is the thread's: over replicas it has one order
// and one limit.
func TestRequestsThatWait(t *testing.T) {
	play(t, []testCase{
		{"they run in the order they came, whichever replica they came to", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u3 ->
			wait d run slow-queue r4 u4 ->
			wait e run slow-queue r5 u5 ->
			wait f run slow-queue r6 u6 ->
			release             ->
			release             ->
			release             ->
			release             ->
			release             ->
			release             ->
			rest a              -> success
			rest f              -> success
			rest b              -> success
			rest c              -> success
			rest d              -> success
			rest e              -> success
			runs                -> r6 r5 r4 r3 r2 r1
			thread              -> idle u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6 a6`},
		{"there are eight places, whichever replica they are taken at", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u3 ->
			wait d run slow-queue r4 u4 ->
			wait e run slow-queue r5 u5 ->
			wait f run slow-queue r6 u6 ->
			wait g run slow-queue r7 u7 ->
			wait h run slow-queue r8 u8 ->
			wait i run slow-queue r9 u9 ->
			run slow-queue r10 u10 -> error queue_full
			run slow-queue r11 u11 -> error queue_full
			page slow-queue r12 u12 -> error queue_full
			run slow-queue r13 u1 +detach state={} q1=M -> error interrupt_not_found`},
		{"who hangs up leaves its place to others", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u3 ->
			hangup b            ->
			release             ->
			release             ->
			rest a              -> success
			rest c              -> success
			runs                -> r3 r1`},
		{"who is first and hangs up lets the next one go", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u3 ->
			stop                -> 200
			rest a              -> cancelled
			release             ->
			rest b              -> success
			release             ->
			rest c              -> success`},
		{"who adds nothing does not wait", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u1 ->
			until c TEXT_MESSAGE_CONTENT ->
			release             ->
			release             ->
			rest c              -> success
			rest b              -> success`},
		{"who waits is refused when the thread asks a question", `
			open a run queue-ask r1 u1 ->
			wait b run queue-ask r2 u2 ->
			wait c run queue-ask r3 u3 ->
			release             ->
			rest a              -> interrupt
			rest b              -> error interrupt_pending
			rest c              -> error interrupt_pending
			run queue-ask r4 q1=M -> success
			thread              -> idle u1 a1`},
		{"a page waits too", `
			open a page slow-queue r1 u1 ->
			wait b page slow-queue r2 u1 u2 ->
			release             ->
			release             ->
			rest a              -> success
			rest b              -> success
			runs                -> r2 r1`},
	})
}

// A deleted thread ends for all its readers and waiting requests, as a stop does, and does not come back.
func TestRequestsOnADeletedThread(t *testing.T) {
	play(t, []testCase{
		{"readers are told that the run was stopped", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			attach c            ->
			attach d            ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			until d TEXT_MESSAGE_CONTENT ->
			delete              -> 204
			rest a              -> cancelled
			rest b              -> cancelled
			rest c              -> cancelled
			rest d              -> cancelled
			thread              -> unknown
			errors              -> 0`},
		{"readers before 1.0, and pages, each in their way", `
			open a run slow r1 u1 +old +detach ->
			wait b page slow r2 ->
			until b TEXT_MESSAGE_CONTENT ->
			delete              -> 204
			rest a              -> error cancelled
			rest b              -> plain
			thread              -> unknown
			errors              -> 0`},
		{"readers that stay over runs", `
			open a run slow r1 u1 +detach ->
			attach b +follow    ->
			attach c +follow    ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			delete              -> 204
			rest b              -> cancelled
			rest c              -> cancelled
			rest a              -> cancelled
			errors              -> 0`},
		{"an agent that does not listen", `
			open a run deaf r1 u1 +detach ->
			attach b            ->
			until b RUN_STARTED ->
			delete              -> 204
			rest a              -> cancelled
			rest b              -> cancelled
			thread              -> unknown
			errors              -> 0`},
		{"who waits for the run", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			wait c run slow-queue r3 u3 +old ->
			wait d page slow-queue r4 u4 ->
			delete              -> 204
			rest a              -> cancelled
			rest b              -> cancelled
			rest c              -> error cancelled
			rest d              -> plain
			thread              -> unknown
			errors              -> 0`},
		{"a thread made anew is another one", `
			open a run slow r1 u1 +detach ->
			attach b +follow    ->
			until b TEXT_MESSAGE_CONTENT ->
			delete              -> 204
			rest a              -> cancelled
			until b RUN_FINISHED ->
			run echo r2 u1      -> success
			rest b              -> cancelled
			thread              -> idle u1 a1
			errors              -> 0`},
		{"an idle one", `
			run echo r1 u1      -> success
			attach a +follow    ->
			until a RUN_FINISHED ->
			delete              -> 204
			rest a              -> success
			delete              -> 404 not_found
			thread              -> unknown
			run echo r2 u2      -> success
			thread              -> idle u2 a2
			errors              -> 0`},
	})
}
