package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/choice"
	"github.com/agui-gateway/gateway/groupchat/profile"
)

func chooses(speaker, more string) script {
	return says(`{"reason":"r","terminate":false,"next_speaker":` + strconv.Quote(speaker) + `,"message":null,"instruction":null` + more + `}`)
}

var terminates = says(`{"reason":"r","terminate":true,"next_speaker":null,"message":"Good night.","instruction":null}`)

func supervised(o LLMManagerOptions, names ...string) *Chat {
	c := &Chat{Manager: LLMManager(o)}
	for _, name := range names {
		c.Participants = append(c.Participants, Participant{Name: name, Description: "Says " + name, Agent: AgentFunc(func(_ context.Context, t *Turn) error {
			return SayOnce(t, "say", fmt.Sprintf("%s %s", name, t.Instruction()))
		})})
	}
	return c
}

// TestRow18ModelChooses lets a model lead a team: it reads the participants, chooses, speaks itself, and ends the chat.
func TestRow18ModelChooses(t *testing.T) {
	t.Parallel()
	m := newMind(t, chooses("bob", `,"message":"Bob will know.","instruction":"Hurry."`), chooses("ann", ""), terminates)
	r := newRig(t, supervised(LLMManagerOptions{Model: m.model(), Instructions: "Lead well.", Sees: []string{"/topic"}}, "ann", "bob"))
	r.state = json.RawMessage(`{"topic":"tea"}`)
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "stream", s.shape(), "supervisor { Bob  will  know. } supervisor bob { bob  Hurry. } bob ann { ann   } ann supervisor { Good  night. } supervisor")
	first := m.requests()[0]
	for _, want := range []string{"s:Lead well.", "- ann: Says ann", "- bob: Says bob", `The state at "/topic" is now: "tea"`, "| u:go | u:[From the system"} {
		if !strings.Contains(first, want) {
			t.Errorf("request %s lacks %q", first, want)
		}
	}
	if !strings.Contains(m.last(), "ann spoke last.") || !strings.Contains(m.last(), "| u:go | a:Bob will know. | u:bob: bob Hurry. | u:ann: ann  | u:[From") {
		t.Errorf("request %s", m.last())
	}
	if want := `"enum":["ann","bob",null]`; !strings.Contains(string(m.asked[0].ResponseFormat), want) {
		t.Errorf("format %s lacks %s", m.asked[0].ResponseFormat, want)
	}
}

// TestTrapT13UnknownSpeaker corrects the model's choice, a few times.
func TestTrapT13UnknownSpeaker(t *testing.T) {
	t.Parallel()
	fallback := Sequential()
	tests := []struct {
		name     string
		scripts  []script
		fallback func() Manager
		retries  int
		shape    string
		asked    int
		told     string
		want     errcode.Code
	}{
		{"mended", []script{chooses("eve", ""), chooses("ann", ""), terminates}, nil, 0, "ann { ann   } ann supervisor { Good  night. } supervisor", 3, `there is no "eve"; next_speaker is one of ann`, ""},
		{"for ever", []script{chooses("eve", "")}, nil, 0, "", 3, `there is no "eve"`, errcode.UnknownSpeaker},
		{"never told", []script{chooses("eve", "")}, nil, -1, "", 1, "", errcode.UnknownSpeaker},
		{"no JSON", []script{says("Ann, please.")}, nil, 0, "", 3, "it is not a JSON object", errcode.ModelResponse},
		{"wrong type", []script{says(`{"terminate":"no"}`)}, nil, 0, "", 3, "a member has the wrong type", errcode.ModelResponse},
		{"nobody", []script{says(`{"terminate":false,"next_speaker":null}`)}, nil, 0, "", 3, "it neither terminates nor names", errcode.ModelResponse},
		{"fallback", []script{chooses("eve", "")}, fallback, -1, "ann { ann   } ann", 2, "", ""},
		{"fallback for a model that is away", []script{{Status: 500}}, fallback, 0, "ann { ann   } ann", 2, "", ""},
		{"no fallback for it", []script{{Status: 500}}, nil, 0, "", 1, "", errcode.ModelUnavailable},
		{"other words for it", []script{says("I think:\n```json\n" + `{"next_speaker":"x"} {"next_speaker":" ANN "}` + "\n```"), terminates}, nil, 0,
			"ann { ann   } ann supervisor { Good  night. } supervisor", 2, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, tt.scripts...)
			s := newRig(t, supervised(LLMManagerOptions{Model: m.model(), Fallback: tt.fallback, Retries: tt.retries}, "ann")).say("go")
			codeOf(t, s, tt.want)
			equal(t, "stream", s.shape(), tt.shape)
			equal(t, "asked", len(m.asked), tt.asked)
			if told := strings.Join(m.requests(), "\n"); !strings.Contains(told, tt.told) {
				t.Errorf("told %s, want %q in it", told, tt.told)
			}
		})
	}
}

// TestRow103ChoiceIsMadeOnce does not ask again when the process died in the turn of the one who was chosen.
func TestRow103ChoiceIsMadeOnce(t *testing.T) {
	t.Parallel()
	m := newMind(t, chooses("ann", ""), terminates)
	ctx, kill := context.WithCancelCause(context.Background())
	chat := supervised(LLMManagerOptions{Model: m.model()}, "ann", "bob")
	dies := chat.Participants[0].Agent
	chat.Participants[0].Agent = AgentFunc(func(context.Context, *Turn) error { kill(errDied); return errDied })
	r := newRig(t, chat)
	r.ctx = ctx
	if s := r.say("go"); !errors.Is(s.err, errDied) {
		t.Fatalf("run ended with %v", s.err)
	}
	chat.Participants[0].Agent = dies
	r.ctx = context.Background()
	s := r.run(Session{Memo: maps.Clone(r.onces), Takeover: true})
	equal(t, "run", s.err, nil)
	equal(t, "steps", strings.Join(s.steps(), " "), "ann supervisor")
	equal(t, "asked", len(m.asked), 2)
}

func TestLLMManagerWithoutAChat(t *testing.T) {
	t.Parallel()
	m := newMind(t, chooses("ann", ""))
	d, err := LLMManager(LLMManagerOptions{Model: m.model()})().Next(t.Context(), View{Participants: []profile.Info{{Name: "ann"}}})
	must(t, err)
	equal(t, "speaker", d.Speaker, "ann")
}

func TestLLMManagerValidate(t *testing.T) {
	t.Parallel()
	c := supervised(LLMManagerOptions{Retries: -2, Fallback: Rules("eve")}, "ann")
	err := c.Validate()
	for _, want := range []string{"has no model", "retries is -2", `fallback: names "eve"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q in it", err, want)
		}
	}
}

func FuzzReadChoice(f *testing.F) {
	f.Add(`x {"a":{}} {"b":1} y`)
	f.Add(`{{{"a":`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = choice.ReadSpeaker(text, []profile.Info{{Name: "ann"}}, "") // must not panic
	})
}

// TestAModelIsToldWhoDidNothing lets a participant end its turn without anything, and the model that leads choose it
// again: that is a choice that will not do, and no end of the run.
func TestAModelIsToldWhoDidNothing(t *testing.T) {
	t.Parallel()
	ann, bob := chooses("ann", ""), chooses("bob", "")
	tests := []struct {
		name    string
		scripts []script
		o       LLMManagerOptions
		steps   string
		want    errcode.Code
	}{
		{"mended", []script{ann, ann, ann, bob, terminates}, LLMManagerOptions{}, "ann ann bob supervisor", ""},
		{"in other words", []script{ann, ann, chooses(" ANN ", ""), terminates}, LLMManagerOptions{}, "ann ann supervisor", ""},
		{"later", []script{ann, ann, bob, ann, terminates}, LLMManagerOptions{}, "ann ann bob ann supervisor", ""},
		{"fallback", []script{ann}, LLMManagerOptions{Retries: -1, Fallback: Rules(Done, Rule{missing("/bob"), "bob"}, Rule{missing("/bob"), "ann"})}, "ann ann bob ann", ""},
		{"for ever", []script{ann}, LLMManagerOptions{}, "ann ann", errcode.NoProgress},
		{"by the fallback, too", []script{ann}, LLMManagerOptions{Fallback: Rules("ann")}, "ann ann", errcode.NoProgress},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMind(t, tt.scripts...)
			tt.o.Model = m.model()
			chat := supervised(tt.o, "ann", "bob")
			turns := 0
			speaks := chat.Participants[0].Agent
			chat.Participants[0].Agent = AgentFunc(func(ctx context.Context, t *Turn) error {
				if turns++; turns > 1 {
					return nil
				}
				return speaks.Run(ctx, t)
			})
			chat.Participants[1].Agent = AgentFunc(func(_ context.Context, t *Turn) error { return t.State().Set("/bob", true) })
			if strings.HasPrefix(tt.name, "by the fallback") {
				chat.Participants = chat.Participants[:1]
			}
			s := newRig(t, chat).say("go")
			codeOf(t, s, tt.want)
			equal(t, "steps", strings.Join(s.steps(), " "), tt.steps)
			third := m.asked[2]
			if !strings.Contains(third.String(), "ann did nothing in its last turn and cannot speak next.") || strings.Contains(string(third.ResponseFormat), `"ann"`) {
				t.Errorf("asked %s in the form %s, want to be told that ann did nothing", third, third.ResponseFormat)
			}
			if second := m.asked[1].String(); strings.Contains(second, "did nothing") {
				t.Errorf("told too early: %s", second)
			}
		})
	}
}

// TestAChoiceMayBeAsLongAsAMessage has a manager that answers itself, with more than it may have been expected to.
func TestAChoiceMayBeAsLongAsAMessage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 40_000)
	for name, before := range map[string]string{"": "", "many braces": strings.Repeat(`\frac{x}`, 200)} {
		c, problem := choice.ReadSpeaker(before+`{"terminate":true,"message":"`+long+`"}`, []profile.Info{{Name: "ann"}}, "")
		if problem != nil || c.Message != long {
			t.Errorf("%s: readChoice() has a message of %d bytes, %v", name, len(c.Message), problem)
		}
	}
}
