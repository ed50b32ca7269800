package gateway_test

import "testing"

// The meaning of a list of messages that is not the whole conversation, for agents that append and for those with
// edits.
func TestRequestsThatEdit(t *testing.T) {
	play(t, []testCase{
		{"cut: a client that sends only its new message adds to the conversation", `
			run edits r1 u1     -> success
			run edits r2 u2     -> success
			thread              -> idle u1 a1 u2 a2 {"turns":2}`},
		{"cut: the same by CopilotKit's route", `
			page edits r1 u1    -> success
			page edits r2 u2    -> success
			thread              -> idle u1 a1 u2 a2`},
		{"cut: a client that sends only its last messages adds to the conversation", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u2 u3  -> success
			thread              -> idle u1 a1 u2 a2 u3 a3`},
		{"cut: a client that keeps only what it said adds to the conversation", `
			run edits r1 u1     -> success
			run edits r2 u1 u2  -> success
			run edits r3 u1 u2 u3 -> success
			thread              -> idle u1 a1 u2 a2 u3 a3`},
		{"cut: a list in another order adds to the conversation", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u2 a2 u1 a1 u3 -> success
			thread              -> idle u1 a1 u2 a2 u3 a3`},
		{"cut: a list that names what left is of another branch", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u1 a1 u3 -> success
			run edits r4 u1 a1 u2 a2 u4 -> error branch_changed
			thread              -> idle u1 a1 u3 a3`},
		{"cut: a changed message takes the place of what followed", `
			run edits r1 u1     -> success
			run edits r2 u1 a1 u2 -> success
			run edits r3 u1 a1 u3 -> success
			thread              -> idle u1 a1 u3 a3`},
		{"cut: an edit of the first message has to be asked for", `
			run edits r1 u1     -> success
			run edits r2 +edit u2 -> success
			thread              -> idle u2 a2`},
		{"append: an edit that is asked for takes the place of what followed the last message named", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +edit u1 u3 -> success
			thread              -> idle u1 u3 a3`},
		{"append: an edit never cuts what it names", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +edit u2 a2 u1 u3 -> success
			thread              -> idle u1 a1 u2 a2 u3 a3`},
		{"append: a stale tab adds to the conversation", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 u1 a1 u3 -> success
			thread              -> idle u1 a1 u2 a2 u3 a3`},
		{"regenerate: a page's list that is the beginning of the conversation", `
			page echo r1 u1     -> success
			page echo r2 u1 a1 u2 -> success
			page echo r3 u1 a1 u2 -> success
			thread              -> idle u1 a1 u2 a3`},
		{"regenerate: a page's list with holes is shown the thread", `
			page echo r1 u1     -> success
			page echo r2 u1 a1 u2 -> success
			page echo r3 u2 a2 u1 -> success
			thread              -> idle u1 a1 u2 a2`},
		{"regenerate: a page that sends only its last message is shown the thread", `
			page echo r1 u1     -> success
			page echo r2 u1 a1 u2 -> success
			page echo r3 u2     -> success
			thread              -> idle u1 a1 u2 a2`},
		{"regenerate: in words, the last message alone is enough", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +regenerate u2 -> success
			thread              -> idle u1 a1 u2 a3`},
		{"regenerate: not what is named behind it", `
			run echo r1 u1      -> success
			run echo r2 u1 a1 u2 -> success
			run echo r3 +regenerate u2 a2 u1 -> success
			thread              -> idle u1 a1 u2 a2`},
	})
}
