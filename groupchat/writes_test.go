package groupchat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

func TestAParticipantWritesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	write := func(pointer string) Agent {
		return AgentFunc(func(_ context.Context, t *Turn) error {
			if raw, _ := t.State().Raw("/secret"); string(raw) != "1" {
				return fmt.Errorf("cannot read: %s", raw)
			}
			return t.State().Set(pointer, 2)
		})
	}
	deep := func(pointer string) Agent { return team(Sequential(), Participant{Name: "w", Agent: write(pointer)}) }
	for _, test := range []struct {
		agent Agent
		may   []string
		want  string
	}{
		{write("/a/b"), []string{"/a"}, `{"a":{"b":2},"secret":1}`},
		{write("/secret"), nil, `{"secret":2}`},
		{deep("/a"), []string{"/a"}, `{"a":2,"secret":1}`},
		{write("/secret"), []string{"/a"}, ""},
		{write("/ab"), []string{"/a"}, ""},
		{write("/a"), []string{}, ""},
		{deep("/secret"), []string{"/a"}, ""},
	} {
		r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: test.agent, Writes: test.may}))
		r.state = []byte(`{"secret":1}`)
		s := r.say("x")
		if test.want == "" {
			codeOf(t, s, errcode.AgentFailed)
			if !errors.Is(s.err, document.ErrForbidden) || !strings.Contains(s.err.Error(), `"/`) {
				t.Errorf("%v: ended with %v, want the pointer that is forbidden", test.may, s.err)
			}
			continue
		}
		must(t, s.err)
		equal(t, "state", string(r.state), test.want)
	}
	// A separate state is restricted like the chat's, and so are the values copied out of it.
	mapped := Scoping{Kind: ScopeMapped, Mapping: document.Mapping{In: map[string]string{"secret": "/secret"}, Out: map[string]string{"/a": "/a"}}}
	r := newRig(t, team(Sequential(), Participant{Name: "p", Agent: write("/a"), Scope: mapped, Writes: []string{"/a"}}))
	r.state = []byte(`{"secret":1}`)
	must(t, r.say("x").err)
	equal(t, "state", string(r.state), `{"a":2,"secret":1}`)
	r = newRig(t, team(Sequential(), Participant{Name: "p", Agent: write("/b"), Scope: mapped, Writes: []string{"/a"}}))
	r.state = []byte(`{"secret":1}`)
	codeOf(t, r.say("x"), errcode.AgentFailed)
	if err := team(Sequential(), Participant{Name: "p", Agent: sayer("p"), Writes: []string{"a"}}).Validate(); err == nil {
		t.Error("Validate() takes a name for a pointer")
	}
}
