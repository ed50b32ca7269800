package gateway_test

import "testing"

// What a turn finds in the state when the conversation before it was cut. The agents count their turns there, or keep
// the answers that they were given.
func TestRequestsAndTheState(t *testing.T) {
	play(t, []testCase{
		{"a new message goes on with the state", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a2 {"turns":2}`},
		{"regenerating starts from the state its turn began with", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +regenerate u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a3 {"turns":2}
			run echo r4 +regenerate u1 -> success
			thread              -> idle u1 a4 {"turns":1}`},
		{"regenerating twice starts from the same state", `
			run echo r1 u1      -> success
			run echo r2 +regenerate u1 -> success
			run echo r3 +regenerate u1 -> success
			thread              -> idle u1 a3 {"turns":1}`},
		{"an edit in words starts from the state that the turn it replaces began with", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 u1 a1 u2 a2 u3 -> success
			run echo r4 +edit u1 a1 u4 -> success
			thread              -> idle u1 a1 u4 a4 {"turns":2}`},
		{"an edit of the first message starts from nothing", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +edit u3 -> success
			thread              -> idle u3 a3 {"turns":1}`},
		{"an edit by its list does too", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u1 a1 u2 a2 u3 -> success
			run edits r4 u1 a1 u4 -> success
			thread              -> idle u1 a1 u4 a4 {"turns":2}`},
		{"an edit of an edit", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u1 a1 u3 -> success
			run edits r4 u1 a1 u4 -> success
			run edits r5 u1 a1 u4 a4 u5 -> success
			thread              -> idle u1 a1 u4 a4 u5 a5 {"turns":3}`},
		{"an edit that cuts nothing keeps the state", `
			run edits r1 u1     -> success
			run edits r2 +edit u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a2 {"turns":2}`},
		{"answers given in what is cut are not in the state", `
			run ask r1 u1       -> interrupt
			run ask r2 q1=M     -> success
			thread              -> idle u1 a1 a2 {"size":"M"}
			run ask r3 +edit u2 -> interrupt
			thread              -> interrupted u2 a3 {}`},
		{"answers given before stay", `
			run ask r1 u1       -> interrupt
			run ask r2 q1=M     -> success
			run ask r3 u1 a1 a2 u2 -> interrupt
			run ask r4 q2=L     -> success
			thread              -> idle u1 a1 a2 u2 a3 a4 {"size":"L"}
			run ask r5 +edit u1 a1 a2 u3 -> interrupt
			thread              -> interrupted u1 a1 a2 u3 a5 {"size":"M"}`},
		{"a client that edits keeps what it has changed itself", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +edit u1 a1 u3 state={"turns":2,"mine":1} -> success
			thread              -> idle u1 a1 u3 a3 {"mine":1,"turns":2}`},
		{"a client that regenerates does too", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +regenerate u1 a1 u2 state={"turns":2,"mine":1} -> success
			thread              -> idle u1 a1 u2 a3 {"mine":1,"turns":2}`},
		{"a client that edits and has missed a turn brings none of the old state back", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 u1 a1 u2 a2 u3 -> success
			run echo r4 +edit u1 a1 u2 a2 u4 state={"turns":2} -> success
			thread              -> idle u1 a1 u2 a2 u4 a4 {"turns":3}
			run echo r5 +edit u1 a1 u5 state={"turns":2,"mine":1} -> success
			thread              -> idle u1 a1 u5 a5 {"mine":1,"turns":2}`},
		{"a fork has the state of its last message", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork a1 @f          -> 201
			fork u2 @g          -> 201
			fork a2 @h          -> 201
			thread @f           -> idle u1 a1 {"turns":1}
			thread @g           -> idle u1 a1 u2 {"turns":1}
			thread @h           -> idle u1 a1 u2 a2 {"turns":2}`},
		{"a fork regenerates a copied turn from the state that turn began with", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 u1 a1 u2 a2 u3 -> success
			fork a3 @f          -> 201
			run echo r4 @f +regenerate u1 a1 u2 -> success
			thread @f           -> idle u1 a1 u2 a4 {"turns":2}
			run echo r5 @f +regenerate u1 -> success
			thread @f           -> idle u1 a5 {"turns":1}
			thread              -> idle u1 a1 u2 a2 u3 a3 {"turns":3}`},
		{"a fork at an earlier answer, too", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 u1 a1 u2 a2 u3 -> success
			fork a2 @f          -> 201
			run echo r4 @f +regenerate u1 a1 u2 -> success
			thread @f           -> idle u1 a1 u2 a4 {"turns":2}`},
		{"a fork that has run regenerates a copied turn", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork a2 @f          -> 201
			run echo r3 @f u1 a1 u2 a2 u3 -> success
			thread @f           -> idle u1 a1 u2 a2 u3 a3 {"turns":3}
			run echo r4 @f +regenerate u1 a1 u2 -> success
			thread @f           -> idle u1 a1 u2 a4 {"turns":2}`},
		{"a fork that has run, to which its client added something first", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork a2 @f          -> 201
			run echo r3 @f u1 a1 u2 a2 u3 state={"turns":2,"mine":1} -> success
			thread @f           -> idle u1 a1 u2 a2 u3 a3 {"mine":1,"turns":3}
			run echo r4 @f +edit u1 a1 u4 -> success
			thread @f           -> idle u1 a1 u4 a4 {"turns":2}`},
		{"a fork edits a copied turn", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork a2 @f          -> 201
			run echo r3 @f +edit u1 a1 u3 -> success
			thread @f           -> idle u1 a1 u3 a3 {"turns":2}
			run echo r4 @f +edit u4 -> success
			thread @f           -> idle u4 a4 {"turns":1}`},
		{"a fork of a fork", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			fork a2 @f          -> 201
			run echo r3 @f u1 a1 u2 a2 u3 -> success
			fork @f a2 @g       -> 201
			thread @g           -> idle u1 a1 u2 a2 {"turns":2}
			run echo r4 @g +regenerate u1 -> success
			thread @g           -> idle u1 a4 {"turns":1}`},
		{"a fork of a live run", `
			run echo r1 @x u1   -> success
			open a run slow r1 u1 ->
			fork u1 @f          -> 201
			thread @f           -> idle u1 {}
			release             ->
			release             ->
			rest a              -> success
			run slow r2 @f u1   -> success
			thread @f           -> idle u1 a3 {"phase":"whole"}`},
	})
}
