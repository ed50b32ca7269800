package gateway_test

import "testing"

// R3: a stop works from every replica and by every route, and ends the stream of every reader. Steps take turns between
// the replicas: the run is the first one's, and a stop in an even place of the case reaches the other.
func TestRequestsThatStop(t *testing.T) {
	play(t, []testCase{
		{"at another replica", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			attach c            ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			rest a              -> cancelled
			rest b              -> cancelled
			rest c              -> cancelled
			thread              -> idle u1 a1
			errors              -> 0`},
		{"at its own", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			rest a              -> cancelled
			rest b              -> cancelled
			thread              -> idle u1 a1
			errors              -> 0`},
		{"of a run that hanging up would stop", `
			open a run slow r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			thread              -> idle u1 a1`},
		{"by a page", `
			open a page slow r1 u1 ->
			pagestop slow       -> 200
			rest a              -> plain
			pagestop slow       -> 200 nothing ran
			pagestop slow @none -> 200 nothing ran`},
		{"by a page, of what others read", `
			open a run slow r1 u1 +detach ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			runs                -> r1
			pagestop slow       -> 200
			rest a              -> cancelled
			rest b              -> cancelled`},
		{"told in the way of each reader", `
			open a run slow r1 u1 +old +detach ->
			wait b page slow r2 u1 ->
			attach c            ->
			until b TEXT_MESSAGE_CONTENT ->
			until c TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			rest a              -> error cancelled
			rest b              -> plain
			rest c              -> cancelled`},
		{"of an agent that does not listen", `
			wait a run deaf r1 u1 +detach ->
			attach b            ->
			until b RUN_STARTED ->
			attach c            ->
			until c RUN_STARTED ->
			stop                -> 200
			rest a              -> cancelled
			rest b              -> cancelled
			rest c              -> cancelled
			idle                ->`},
		{"where nothing runs", `
			stop                -> 404 not_found
			run echo r1 u1      -> success
			stop                -> 200 nothing ran
			stop                -> 200 nothing ran
			run ask r1 u1 @asks -> interrupt
			stop @asks          -> 200 nothing ran
			stop @asks          -> 200 nothing ran
			run ask r2 q1=M @asks -> success`},
		{"ends that run and no later one", `
			open a run slow r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			release             ->
			run slow r2 u1 a1 u2 -> success
			runs                -> r2 r1
			thread              -> idle u1 a1 u2 a2`},
		{"of the turn that an answer began: the answer is used", `
			run slow-answer r1 u1 -> interrupt
			open a run slow-answer r2 q1=M ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			rest a              -> cancelled
			rest b              -> cancelled
			run slow-answer r3 q1=M -> success
			run slow-answer r4 q1=L -> error interrupt_already_resolved`},
		{"lets who waits go on", `
			open a run slow-queue r1 u1 ->
			wait b run slow-queue r2 u2 ->
			attach c            ->
			until c RUN_STARTED ->
			stop                -> 200
			rest a              -> cancelled
			rest c              -> cancelled
			release             ->
			rest b              -> success
			runs                -> r2 r1`},
		{"a reader that stays is shown the next run", `
			open a run slow r1 u1 +detach ->
			attach b +follow    ->
			until b TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			until b RUN_FINISHED ->
			rest a              -> cancelled
			open c run slow r2 u1 a1 u2 ->
			until b TEXT_MESSAGE_CONTENT ->
			stop                -> 200
			until b RUN_FINISHED ->
			rest c              -> cancelled
			delete              -> 204
			rest b              -> cancelled`},
		{"superseding does the same for everybody who reads along", `
			open a run slow-supersede r1 u1 +detach ->
			attach b            ->
			until b TEXT_MESSAGE_CONTENT ->
			open c run slow-supersede r2 u1 u2 ->
			rest a              -> cancelled
			rest b              -> cancelled
			open d run slow-supersede r3 u1 u2 u3 ->
			rest c              -> cancelled
			release             ->
			rest d              -> success
			runs                -> r3 r2 r1`},
	})
}
