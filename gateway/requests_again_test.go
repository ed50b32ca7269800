package gateway_test

import "testing"

// A message of a user that nothing follows can always be answered: by sending it again, or by asking for its turn
// once more.
func TestRequestsForAnAnswerThatNeverCame(t *testing.T) {
	play(t, []testCase{
		{"stopped before the first word, sent again", `
			open a run quiet r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			thread              -> idle u1
			release             ->
			run quiet r2 u1     -> success
			thread              -> idle u1 a1 {"turns":1}`},
		{"stopped before the first word, regenerated", `
			open a run quiet r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			release             ->
			run quiet r2 +regenerate u1 -> success
			thread              -> idle u1 a1 {"turns":1}`},
		{"stopped before the first word, on CopilotKit's route", `
			open a page quiet r1 u1 ->
			stop                -> 200
			rest a              -> plain
			release             ->
			page quiet r2 u1    -> success
			thread              -> idle u1 a1 {"turns":1}`},
		{"stopped before the first word of the second turn", `
			release             ->
			run quiet r1 u1     -> success
			open a run quiet r2 u1 a1 u2 ->
			stop                -> 200
			rest a              -> cancelled
			thread              -> idle u1 a1 u2 {"turns":2}
			release             ->
			run quiet r3 u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a2 {"turns":2}`},
		{"hung up before the first word, sent again", `
			open a run quiet r1 u1 ->
			hangup a            ->
			idle                ->
			release             ->
			run quiet r2 u1     -> success
			thread              -> idle u1 a1 {"turns":1}`},
		{"stopped before the first word, the same request once more", `
			open a run quiet r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			run quiet r1 u1     -> success
			thread              -> idle u1`},
		{"stopped after the first word, sent again: there is an answer", `
			open a run slow r1 u1 ->
			stop                -> 200
			rest a              -> cancelled
			run slow r2 u1      -> success
			thread              -> idle u1 a1`},
		{"a system message that was stopped before the first word", `
			release             ->
			run quiet r1 u1     -> success
			open a run quiet r2 u1 a1 s1 ->
			stop                -> 200
			rest a              -> cancelled
			release             ->
			run quiet r3 u1 a1 s1 -> success
			thread              -> idle u1 a1 s1 a2 {"turns":2}`},
		{"a fork at a user's message, sent again", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork u2 @f          -> 201
			run echo r3 @f u1 a1 u2 -> success
			thread @f           -> idle u1 a1 u2 a3 {"turns":2}`},
		{"a fork at a user's message, regenerated", `
			run echo r1 u1      -> success
			fork u1 @f          -> 201
			run echo r3 @f +regenerate u1 -> success
			thread @f           -> idle u1 a2 {"turns":1}`},
		{"a fork at a user's message, on CopilotKit's route", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork u2 @f          -> 201
			page echo r3 @f u1 a1 u2 -> success
			thread @f           -> idle u1 a1 u2 a3 {"turns":2}`},
		{"a fork at an answer: there is nothing to answer", `
			run echo r1 u1      -> success
			fork a1 @f          -> 201
			run echo r3 @f u1   -> success
			run echo r3 @f u1 a1 -> success
			thread @f           -> idle u1 a1 {"turns":1}`},
		{"a question without words that expired, sent again", `
			run both r1 u1      -> interrupt
			later 25h           ->
			thread              -> idle u1
			run both r2 u1      -> interrupt
			thread              -> interrupted u1
			run both r3 q3=M q4=L -> success
			thread              -> idle u1 a1 a2`},
		{"a question without words that is open is shown", `
			run both r1 u1      -> interrupt
			run both r2 u1      -> interrupt
			run both r3 +regenerate u1 -> interrupt
			run both r4 q1=M q2=L -> success`},
		{"an agent that did its work without a word has answered", `
			run silent r1 u1    -> success
			run silent r2 u1    -> success
			thread              -> idle u1 {"turns":1}`},
		{"an agent that did its work without a word is asked once more in words", `
			run silent r1 u1    -> success
			run silent r2 +regenerate u1 -> success
			thread              -> idle u1 {"turns":1}`},
		{"a run that failed, sent again", `
			run fails r1 u1     -> error agent_failed
			thread              -> failed u1 a1
			run fails r2 u1     -> error agent_failed
			thread              -> failed u1 a1 a2`},
		{"a system message whose run failed, sent again", `
			run mute r1 s1      -> error agent_failed
			run mute r2 s1      -> error agent_failed
			run mute r3 s1 u1   -> error agent_failed
			thread              -> failed s1 u1`},
		{"a system message that was answered, regenerated in words", `
			run echo r1 s1      -> success
			run echo r2 +regenerate s1 -> success
			thread              -> idle s1 a2`},
		{"a system message that was answered, on CopilotKit's route: a page may always send one first", `
			page echo r1 s1 u1  -> success
			page echo r2 s1     -> success
			thread              -> idle s1 u1 a1`},
	})
}
