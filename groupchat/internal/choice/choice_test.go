package choice

import (
	"fmt"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

// TestReadSpeaker reads choices among Ann and Bob, of whom Bob is idle.
func TestReadSpeaker(t *testing.T) {
	t.Parallel()
	participants := []profile.Info{{Name: "Ann"}, {Name: "Bob"}}
	for text, want := range map[string]string{
		`{"next_speaker":"Ann"}`:                   "Ann",
		"Well: {\"next_speaker\":\" ann \"} It is": "Ann",
		`{"terminate":true,"next_speaker":"x"}`:    "end",
		`{"next_speaker":"Bob"}`:                   string(errcode.NoProgress),
		`{"next_speaker":"Cid"}`:                   string(errcode.UnknownSpeaker),
		`{"next_speaker":""}`:                      string(errcode.ModelResponse),
		`{"next_speaker":7}`:                       string(errcode.ModelResponse),
		`Ann`:                                      string(errcode.ModelResponse),
	} {
		c, problem := ReadSpeaker(text, participants, "Bob")
		got := c.NextSpeaker
		switch {
		case problem != nil:
			got = string(problem.Code)
		case c.Terminate:
			got = "end"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestReadSeveral reads choices of at most two of three.
func TestReadSeveral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"participants":["c","A"]}`:     "[a c]",
		`{"participants":["b","b"]}`:     "[b]",
		`{"participants":["a","b","c"]}`: "it names 3 participants, and at most 2 may work",
		`{"participants":[]}`:            "it names no participant, and at least one has to work",
		`{"participants":["d"]}`:         `there is no "d"; there are a, b, c`,
		`{"participants":"a"}`:           "participants is no list of names",
		`a`:                              "it is not a JSON object",
	} {
		chosen, problem := ReadSeveral(text, []string{"a", "b", "c"}, 2)
		got := problem
		if problem == "" {
			got = fmt.Sprint(chosen)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
