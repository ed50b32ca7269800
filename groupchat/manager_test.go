package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/profile"
	"github.com/agui-gateway/gateway/state/document"
)

// decide returns what a manager decides on a state.
func decide(t *testing.T, m func() Manager, doc string, v View) (Decision, error) {
	t.Helper()
	d, err := document.New(json.RawMessage(doc), document.Options{})
	must(t, err)
	v.State = d
	return m().Next(context.Background(), v)
}

func TestTrapT1RulesJudgesByContent(t *testing.T) {
	t.Parallel()
	m := Rules(Done, Rule{missing("/flights"), "flights"}, Rule{missing("/itinerary/hotel"), "hotels"}, Rule{missing("/experiences"), "experiences"})
	for _, test := range []struct{ doc, want string }{
		{`{}`, "flights"},
		{`{"flights":null}`, "flights"},
		{`{"flights":[]}`, "flights"},
		{`{"flights":{}}`, "flights"},
		{`{"flights":""}`, "flights"},
		{`{"flights":[[],{}]}`, "flights"},
		{`{"flights":[1]}`, "hotels"},
		{`{"flights":0,"itinerary":{"hotel":{}}}`, "hotels"},
		{`{"flights":[1],"itinerary":{"hotel":{"name":"Zoe"}},"experiences":[]}`, "experiences"},
		{`{"flights":[1],"itinerary":{"hotel":{"name":"Zoe"}},"experiences":[1]}`, Done},
	} {
		d, err := decide(t, m, test.doc, View{})
		must(t, err)
		if d.Speaker != test.want || d.Done != (test.want == Done) {
			t.Errorf("on %s: %+v, want %s", test.doc, d, test.want)
		}
	}
	d, err := decide(t, Rules(Done, Rule{not(missing("/x")), "x"}), `{"x":[0]}`, View{})
	must(t, err)
	equal(t, "present", d.Speaker, "x")
}

func TestRow60RouteNormalisesBothSides(t *testing.T) {
	t.Parallel()
	m := Route("/topic", map[string]string{"Python ": "python", "go lang": "gopher", "STRASSE": "street", "Ελλάς": "greek"}, "other")
	for topic, want := range map[string]string{
		`" Python "`: "python", `"PYTHON"`: "python", `"Go Lang"`: "gopher", `"strasse"`: "street", `"ΕΛΛΆΣ"`: "greek",
		`"rust"`: "other", `7`: "other", `null`: "other", `""`: "other",
	} {
		d, err := decide(t, m, `{"topic":`+topic+`}`, View{})
		must(t, err)
		equal(t, topic, d.Speaker, want)
	}
	d, err := decide(t, m, `{"topic":"python"}`, View{Round: 1})
	must(t, err)
	equal(t, "done after one", d.Done, true)
}

// Once, a table was searched by one spelling of the key and its neighbour by another, so that a route was found and
// what belonged to it was not. There is one lookup, and what two spellings of a key would make ambiguous is refused.
func TestRow62RegressionOneLookupForEverythingOfARoute(t *testing.T) {
	t.Parallel()
	for range 20 { // whatever the order of the map
		d, err := decide(t, Route("/k", map[string]string{" Multi Word ": "a", "b": "b"}, ""), `{"k":"multi word"}`, View{})
		must(t, err)
		equal(t, "speaker", d.Speaker, "a")
	}
	err := Route("/k", map[string]string{"Python": "a", " pYTHON": "b"}, "")().(Checker).Check([]string{"a", "b"})
	if err == nil || !strings.Contains(err.Error(), `" pYTHON" and "Python" are the same key`) {
		t.Errorf("Check() = %v, want the colliding keys", err)
	}
}

func TestRow61ARouteWithoutDefaultIsAnError(t *testing.T) {
	t.Parallel()
	chat := team(Route("/k", map[string]string{"a": "a"}, ""), Participant{Name: "a", Agent: sayer("a")})
	codeOf(t, newRig(t, chat).say("x"), errcode.NoRoute)
	r := newRig(t, chat)
	r.state = json.RawMessage(`{"k":"A"}`)
	must(t, r.say("x").err)
	equal(t, "history", texts(r.messages), []string{"x", "a"})
}

func TestRow22SequentialSpeaksOnceInOrder(t *testing.T) {
	t.Parallel()
	var rec recording
	r := newRig(t, team(Sequential(), rec.abc()...))
	must(t, r.say("x").err)
	equal(t, "history", texts(r.messages), []string{"x", "A", "B", "C"})
	must(t, r.say("y").err)
	equal(t, "again", texts(r.messages)[4:], []string{"y", "A", "B", "C"})
}

func TestRow116ValidateReportsEveryMistake(t *testing.T) {
	t.Parallel()
	ok := Participant{Name: "a", Agent: sayer("a")}
	var nilChat *Chat
	loop := team(Sequential(), ok)
	loop.Participants = append(loop.Participants, Participant{Name: "me", Agent: loop})
	with := func(change func(*Participant)) *Chat {
		p := ok
		change(&p)
		return team(Sequential(), p)
	}
	tests := []struct {
		name string
		chat *Chat
		want []string
	}{
		{"fine", team(Sequential(), ok), nil},
		{"empty", &Chat{}, []string{"has no participants", "has no manager"}},
		{"nil manager", team(func() Manager { return nil }, ok), []string{"returns none"}},
		{"rounds", &Chat{Manager: Sequential(), Participants: []Participant{ok}, MaxRounds: -1}, []string{"max rounds is -1"}},
		{"names", team(Sequential(), ok, ok, Participant{Agent: sayer("")}, Participant{Name: "a.b", Agent: sayer("")}, Participant{Name: "a\xff", Agent: sayer("")},
			Participant{Name: "supervisor", Agent: sayer("")}, Participant{Name: "done", Agent: sayer("")}),
			[]string{`"a" is there twice`, "participant 3 has no name", `"a.b"`, "must be UTF-8", "supervisor's name", "nobody speaks"}},
		{"no agent", with(func(p *Participant) { p.Agent = nil }), []string{"has no agent"}},
		{"nil chat", with(func(p *Participant) { p.Agent = nilChat }), []string{"has no agent"}},
		{"nil func", with(func(p *Participant) { p.Agent = AgentFunc(nil) }), []string{"has no agent"}},
		{"retries", with(func(p *Participant) { p.OnError.Retries = -1 }), []string{"retries is -1"}},
		{"scope", with(func(p *Participant) { p.Scope.Kind = "odd" }), []string{`unknown scope "odd"`}},
		{"pointer", with(func(p *Participant) {
			p.Scope = Scoping{Kind: ScopeMapped, Mapping: document.Mapping{In: map[string]string{"a": "b"}}}
		}), []string{"scope: bad pointer"}},
		{"isolated out", with(func(p *Participant) {
			p.Scope = Scoping{Kind: ScopeIsolated, Mapping: document.Mapping{Out: map[string]string{"/a": "/b"}}}
		}), []string{"has no outputs"}},
		{"shared in", with(func(p *Participant) { p.Scope = Scoping{Mapping: document.Mapping{In: map[string]string{"a": "/b"}}} }), []string{"neither"}},
		{"context", with(func(p *Participant) { p.Context = Context{Last: true, Select: func(View) []Message { return nil }} }), []string{"both"}},
		{"nested", team(Sequential(), Participant{Name: "in", Agent: &Chat{}}), []string{"chat.in: has no participants", "chat.in: has no manager"}},
		{"its own", with(func(p *Participant) { p.Agent = mistaken{} }), []string{`participant "a": has no steps`}},
		{"itself", loop, []string{"chat.me: contains itself"}},
		{"deep", nested(maxDepth+1, sayer("x")).(*Chat), []string{"nested deeper than 16"}},
		{"rules", team(Rules("", Rule{nil, "b"}), ok), []string{"no default", "rule 1 has no condition", `names "b"`, `never chooses participant "a"`}},
		{"route", team(Route("/k", map[string]string{"x": "b"}, Done), ok), []string{`names "b"`, `never chooses participant "a"`}},
	}
	for _, test := range tests {
		err := test.chat.Validate()
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: Validate() = %v", test.name, err)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: Validate() = %v, want it to contain %q", test.name, err, want)
			}
		}
	}
}

func TestASelfContainingChatIsDescribedOnce(t *testing.T) {
	t.Parallel()
	loop := team(Sequential())
	loop.Participants = []Participant{{Name: "me", Agent: loop}, {Name: "s", Agent: described("fills a form")}}
	equal(t, "description", loop.Describe(), profile.Info{Interrupts: true, Participants: []profile.Info{
		{Name: "me", Interrupts: true}, {Name: "s", Description: "fills a form"},
	}, Structure: profile.Structure{Kind: profile.KindChat, Manager: "sequential", Supervisor: "supervisor"}})
	equal(t, "signature", signatureOf(loop), signature{"me", "s"})
}

func TestG3Signature(t *testing.T) {
	t.Parallel()
	people := func(names ...string) *Chat {
		chat := team(func() Manager {
			return managerFunc(func(context.Context, View) (Decision, error) { return Decision{Speaker: names[0]}, nil })
		})
		for _, n := range names {
			chat.Participants = append(chat.Participants, Participant{Name: n, Agent: asker("k")})
		}
		return chat
	}
	for _, test := range []struct {
		name  string
		now   func(*Chat) Agent
		wants errcode.Code
	}{
		{"unchanged", func(c *Chat) Agent { return c }, ""},
		{"another text", func(c *Chat) Agent { c.Description, c.Participants[0].Description = "new", "new"; return c }, ""},
		{"one more", func(*Chat) Agent { return people("a", "b", "c") }, ""},
		{"another order", func(c *Chat) Agent { slices.Reverse(c.Participants); return c }, ""},
		{"one less", func(*Chat) Agent { return people("a") }, errcode.CheckpointIncompatible},
		{"renamed", func(*Chat) Agent { return people("a", "c") }, errcode.CheckpointIncompatible},
		{"no chat any more", func(*Chat) Agent { return asker("k") }, errcode.CheckpointIncompatible},
		{"a chat where somebody asked", func(c *Chat) Agent { c.Participants[0].Agent = people("x"); return c }, errcode.CheckpointIncompatible},
	} {
		r := newRig(t, people("a", "b"))
		r.root.(*Chat).MaxRounds = 1
		must(t, r.say("x").err)
		r.root = test.now(people("a", "b"))
		if c, ok := r.root.(*Chat); ok {
			c.MaxRounds = 1
		}
		s := r.answer(map[string]string{"k": "1"})
		if got := errcode.Of(s.err); got != test.wants {
			t.Errorf("%s: %v, want code %q", test.name, s.err, test.wants)
		}
		if test.wants != "" && len(s.events) != 3 { // I3: nothing happened
			t.Errorf("%s: sent %s", test.name, s.shape())
		}
	}
}

// A mistaken agent reports a mistake.
type mistaken struct{ Agent }

func (mistaken) Validate() error { return errors.New("has no steps") }
