package groupchat

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/internal/predict"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A written is a call of "write" that a model streams in pieces of a few bytes. Err is how the reply ends.
type written struct {
	name, arguments string
	size            int // of a piece; 0 means 3
	err             error
}

// writer is a model that makes the calls, each in a separate reply unless together, and then says "Done."
func writer(together bool, calls ...written) model.Model {
	n := 0
	return model.Func(func(_ context.Context, _ model.Request, on model.Deltas) (model.Reply, error) {
		now := calls[min(n, len(calls)):min(n+1, len(calls))]
		if together && n == 0 {
			now, n = calls, len(calls)
		}
		n++
		if len(now) == 0 {
			return model.Reply{Text: "Done."}, on.Text("Done.")
		}
		reply := model.Reply{Finish: "tool_calls"}
		for i, c := range now {
			reply.Calls = append(reply.Calls, model.Call{Name: c.name, Arguments: c.arguments})
			for at, size := 0, max(c.size, 3); at < len(c.arguments); at += size {
				if c.size == 0 {
					size = 3
				}
				if err := on.Call(i, c.name, c.arguments[at:min(at+size, len(c.arguments))]); err != nil {
					return model.Reply{}, err
				}
			}
			if c.err != nil {
				return model.Reply{}, c.err
			}
		}
		return reply, nil
	})
}

// documents are the values that clients see at a pointer, in order, each once; "-" for none.
func documents(t *testing.T, s *stream, pointer string) []string {
	t.Helper()
	doc, err := document.New(nil, document.Options{})
	must(t, err)
	var list []string
	for _, e := range s.events {
		switch e := e.(type) {
		case *agui.StateSnapshot:
			must(t, doc.Replace(e.Snapshot))
		case *agui.StateDelta:
			must(t, doc.Apply(t.Context(), e.Delta))
		default:
			continue
		}
		raw, ok := doc.Raw(pointer)
		if !ok {
			raw = json.RawMessage("-")
		}
		if len(list) == 0 || list[len(list)-1] != string(raw) {
			list = append(list, string(raw))
		}
	}
	return list
}

// author is an agent with a tool "write" and an argument document that /document follows.
func author(m model.Model, change ...func(*LLM)) *LLM {
	a := &LLM{Model: m, Predict: []Prediction{{Tool: "write", Argument: "document", Path: "/document"}}, Tools: []Tool{{
		Name: "write", Parameters: json.RawMessage(`{"type":"object","required":["document"],"properties":{"document":{"type":"string"}}}`),
		Call: func(context.Context, ToolCall) (tools.Result, error) { return tools.Text("written"), nil },
	}}}
	for _, f := range change {
		f(a)
	}
	return a
}

const (
	story = "Once upon a time, in a land far away, there lived a magnificent dragon named Atlantis, known throughout the realm."
	wrote = `{"document":"` + story + `"}`
)

// TestTheStateFollowsAnArgument in steps that grow, and has the whole value in the end.
func TestTheStateFollowsAnArgument(t *testing.T) {
	t.Parallel()
	r := newRig(t, author(writer(false, written{name: "write", arguments: wrote})))
	s := r.say("go")
	equal(t, "run", s.err, nil)
	seen := documents(t, s, "/document")
	if len(seen) < 5 || len(seen) > 12 || seen[0] != "-" || seen[len(seen)-1] != `"`+story+`"` {
		t.Fatalf("clients see %d values: %q", len(seen), seen)
	}
	for i, v := range seen[1:] {
		if !strings.HasPrefix(`"`+story, strings.TrimSuffix(v, `"`)) || i > 0 && len(v) <= len(seen[i]) {
			t.Errorf("value %d is %s, behind %s", i+1, v, seen[i])
		}
	}
	equal(t, "state", string(r.state), `{"document":"`+story+`"}`)
	if len(s.result.Checkpoint) > 0 && strings.Contains(string(s.result.Checkpoint), predict.PlacesKey) {
		t.Errorf("the checkpoint still has predictions: %s", s.result.Checkpoint)
	}
}

// TestChangesOfThePredictedAreBounded in number and in bytes, however small the pieces of the stream.
func TestChangesOfThePredictedAreBounded(t *testing.T) {
	t.Parallel()
	for size, most := range map[int]int{20_000: 70, 200_000: 100, 1 << 20: 100} {
		text := strings.Repeat("word ", size/5)
		r := newRig(t, author(writer(false, written{name: "write", arguments: `{"document":"` + text + `"}`, size: 64})))
		s := r.say("go")
		changes, bytes := 0, 0
		for _, e := range s.events {
			switch e := e.(type) {
			case *agui.StateDelta:
				raw, _ := e.Delta.MarshalJSON()
				changes, bytes = changes+1, bytes+len(raw)
			case *agui.StateSnapshot:
				changes, bytes = changes+1, bytes+len(e.Snapshot)
			}
		}
		if changes > most || bytes > 14*size || changes < 30 {
			t.Errorf("%d bytes took %d changes of %d bytes", size, changes, bytes)
		}
		equal(t, "state", len(r.state), len(text)+len(`{"document":""}`))
	}
}

// TestWhatIsNotDoneIsTakenBack the state is what it was before, with nothing left of objects that were made on the way.
func TestWhatIsNotDoneIsTakenBack(t *testing.T) {
	t.Parallel()
	deep := `{"document":` + strings.Repeat("[", 10_000)
	refuses := Hooks{Name: "no", Tool: func(context.Context, ToolUse, ToolFunc) (tools.Result, error) {
		return tools.Result{}, &errcode.Error{Code: errcode.GuardrailRefused, Err: errors.New("no")}
	}}
	tests := []struct {
		name string
		call written
		with func(*LLM)
		hook Hooks
		code errcode.Code
		path string
		// follows says that there is something to take back.
		follows bool
	}{
		{name: "the reply breaks off", call: written{name: "write", arguments: wrote[:60], err: &errcode.Error{Code: errcode.ModelUnavailable, Err: errors.New("gone")}}, code: errcode.ModelUnavailable, follows: true},
		{name: "it is cut off", call: written{name: "write", arguments: wrote[:60]}, follows: true},
		{name: "the arguments do not fit", call: written{name: "write", arguments: `{"document":["a","b"]}`}, follows: true},
		{name: "they are of another type in the end", call: written{name: "write", arguments: `{"document":"abc","document":7}`}, follows: true},
		{name: "no JSON", call: written{name: "write", arguments: `{"document":"abc" oops`}, follows: true},
		{name: "nested 10,000 deep", call: written{name: "write", arguments: deep}, follows: true},
		{name: "no such tool", call: written{name: "other", arguments: wrote}},
		{name: "another argument", call: written{name: "write", arguments: `{"documents":"x"}`}},
		{name: "a hook refuses the call", call: written{name: "write", arguments: wrote}, hook: refuses, code: errcode.GuardrailRefused, follows: true},
		{name: "a hook refuses the reply", call: written{name: "write", arguments: wrote}, hook: Hooks{Name: "no", Model: func(ctx context.Context, c ModelCall, next ModelFunc) (model.Reply, error) {
			if _, err := next(ctx, c); err != nil {
				return model.Reply{}, err
			}
			return model.Reply{}, &errcode.Error{Code: errcode.GuardrailRefused, Err: errors.New("no")}
		}}, code: errcode.GuardrailRefused, follows: true},
		{name: "the tool fails the turn", call: written{name: "write", arguments: wrote}, with: func(a *LLM) {
			a.Tools[0].OnError = tools.Fails
			a.Tools[0].Call = func(context.Context, ToolCall) (tools.Result, error) { return tools.Result{}, errStore }
		}, code: errcode.ToolFailed, follows: true},
		{name: "the tool fails", call: written{name: "write", arguments: wrote}, with: func(a *LLM) {
			a.Tools[0].Call = func(context.Context, ToolCall) (tools.Result, error) { return tools.Result{}, errStore }
		}, follows: true},
		{name: "the tool comes to a no", call: written{name: "write", arguments: wrote}, with: func(a *LLM) {
			a.Tools[0].Turn, a.Tools[0].Call = func(context.Context, *Turn, ToolCall) (tools.Result, error) {
				return tools.Text(`{"accepted":false}`), nil
			}, nil
		}, follows: true},
		{name: "further down", call: written{name: "write", arguments: `{"document":7}`}, with: func(a *LLM) { a.Predict[0].Path = "/a/b/c" }, path: "/a/b/c", follows: true},
		{name: "below null", call: written{name: "write", arguments: `{"document":7}`}, with: func(a *LLM) { a.Predict[0].Path = "/null/b" }, path: "/null/b", follows: true},
		{name: "in the place of something", call: written{name: "write", arguments: `{"document":7}`}, with: func(a *LLM) { a.Predict[0].Path = "/old" }, path: "/old", follows: true},
		{name: "too many rounds", call: written{name: "write", arguments: wrote}, with: func(a *LLM) { a.MaxSteps = -1 }, code: errcode.NotConverged, follows: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			const before = `{"null":null,"old":"what was there"}`
			a := author(writer(false, tt.call))
			if tt.with != nil {
				tt.with(a)
			}
			r := newRig(t, AgentFunc(a.Run))
			r.state, r.hooks = json.RawMessage(before), []Hooks{tt.hook}
			s := r.say("go")
			equal(t, "code", codeOrNone(s.err), tt.code)
			path := tt.path
			if path == "" {
				path = "/document"
			}
			if seen := documents(t, s, path); tt.follows != (len(seen) > 2) {
				t.Errorf("clients see %q", seen)
			}
			whole := documents(t, s, "")
			equal(t, "the state in the end", whole[len(whole)-1], before)
		})
	}
}

func codeOrNone(err error) errcode.Code {
	if err == nil {
		return ""
	}
	return errcode.Of(err)
}

// TestWhatAPersonDecidesOfThePredicted is in the state: the proposal during the question; then the decision.
func TestWhatAPersonDecidesOfThePredicted(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"approved":true}`:  story,
		`{"approved":false}`: "before",
		`cancel`:             "before",
		`{"approved":true,"editedArgs":{"document":"mine"}}`: "mine",
	} {
		a, during := author(writer(false, written{name: "write", arguments: wrote})), ""
		a.Approve.All = true
		a.Tools[0].Turn, a.Tools[0].Call = func(_ context.Context, t *Turn, _ ToolCall) (tools.Result, error) {
			_, err := t.State().Get("/document", &during)
			return tools.Text("written"), err
		}, nil
		r := newRig(t, a)
		r.state = json.RawMessage(`{"document":"before"}`)
		r.say("go")
		equal(t, "state while a person decides", string(r.state), `{"document":"`+story+`"}`)
		s := r.answer(map[string]string{"approve/llm/0/0": answer})
		equal(t, "run", s.err, nil)
		equal(t, "state after "+answer, string(r.state), `{"document":"`+want+`"}`)
		if want != "before" {
			equal(t, "what the tool sees", during, want)
		}
	}
}

// TestWhatOthersChangedMeanwhileStays although the call is declined.
func TestWhatOthersChangedMeanwhileStays(t *testing.T) {
	t.Parallel()
	a := author(writer(false, written{name: "write", arguments: wrote}))
	a.Approve.All = true
	r := newRig(t, a)
	r.say("go")
	r.state = json.RawMessage(`{"document":"by a person"}`)
	r.answer(map[string]string{"approve/llm/0/0": `{"approved":false}`})
	equal(t, "state", string(r.state), `{"document":"by a person"}`)
}

// TestCallsOfOneReplyThatSharePlaces leave what the last one says that is made.
func TestCallsOfOneReplyThatSharePlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ first, second, want string }{
		{"true", "true", `{"document":"two"}`}, {"true", "false", `{"document":"one"}`}, {"false", "true", `{"document":"two"}`}, {"false", "false", `{}`},
	} {
		a := author(writer(true, written{name: "write", arguments: `{"document":"one"}`}, written{name: "write", arguments: `{"document":"two"}`}))
		a.Approve.All = true
		r := newRig(t, a)
		r.say("go")
		equal(t, "while a person decides", string(r.state), `{"document":"two"}`)
		r.answer(map[string]string{"approve/llm/0/0": `{"approved":` + tt.first + `}`})
		s := r.answer(map[string]string{"approve/llm/0/1": `{"approved":` + tt.second + `}`})
		equal(t, "run", s.err, nil)
		equal(t, tt.first+" and "+tt.second, string(r.state), tt.want)
	}
}

// TestToolsOfTheClientArePredicted and what they proposed stays, unless their result says that a person does not want
// it.
func TestToolsOfTheClientArePredicted(t *testing.T) {
	t.Parallel()
	a := author(writer(false, written{name: "write", arguments: wrote}), func(a *LLM) { a.Tools, a.PredictEvent = nil, true })
	r := newRig(t, a)
	r.input.Tools = []agui.Tool{{Name: "write", Parameters: json.RawMessage(`{"type":"object"}`)}}
	s := r.say("go")
	if n := len(documents(t, s, "/document")); n < 5 {
		t.Errorf("clients see %d values", n)
	}
	var told []string
	for _, e := range s.events {
		switch e := e.(type) {
		case *agui.Custom:
			told = append(told, e.Name+" "+string(e.Value))
		case *agui.ToolCallStart:
			told = append(told, "call")
		}
	}
	want := []string{`PredictState [{"state_key":"document","tool":"write","tool_argument":"document"}]`, "call"}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("clients are told %q, want %q", told, want)
	}
	for result, want := range map[string]string{
		"thanks": story, `{"accepted":true}`: story, `{"accepted":false}`: "before", `{"approved":false}`: "before", `{"accepted":"no"}`: story, state.NotAnswered: "before",
	} {
		r := newRig(t, author(writer(false, written{name: "write", arguments: wrote}), func(a *LLM) { a.Tools = nil }))
		r.input.Tools, r.state = []agui.Tool{{Name: "write", Parameters: json.RawMessage(`{"type":"object"}`)}}, json.RawMessage(`{"document":"before"}`)
		r.say("go")
		s := r.returns(map[string]string{"write": result})
		equal(t, "run", s.err, nil)
		equal(t, "state after "+result, string(r.state), `{"document":"`+want+`"}`)
	}
}

// TestFiltersComeBeforePredictions so that the state shows no more of a call than people see of it.
func TestFiltersComeBeforePredictions(t *testing.T) {
	t.Parallel()
	const secret = "Atlantis"
	var held strings.Builder
	hold := Hooks{Name: "hold", Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			switch e := e.(type) {
			case *agui.ToolCallArgs:
				held.WriteString(e.Delta)
				return nil
			case *agui.ToolCallEnd:
				if err := next(&agui.ToolCallArgs{Tagged: e.Tagged, ToolCallID: e.ToolCallID, Delta: strings.ReplaceAll(held.String(), secret, "***")}); err != nil {
					return err
				}
			}
			return next(e)
		}
	}}
	refuse := Hooks{Name: "refuse", Stream: func(*Turn) run.Filter {
		return func(e agui.Event, next run.Emit) error {
			if a, ok := e.(*agui.ToolCallArgs); ok && strings.Contains(a.Delta, "tl") {
				return &errcode.Error{Code: errcode.GuardrailRefused, Err: errors.New("no")}
			}
			return next(e)
		}
	}}
	for _, tt := range []struct {
		hook Hooks
		last string
		code errcode.Code
	}{{hold, `"` + strings.ReplaceAll(story, secret, "***") + `"`, ""}, {refuse, "-", errcode.GuardrailRefused}} {
		r := newRig(t, author(writer(false, written{name: "write", arguments: wrote})))
		r.hooks = []Hooks{tt.hook}
		s := r.say("go")
		equal(t, "code", codeOrNone(s.err), tt.code)
		seen := documents(t, s, "/document")
		equal(t, "the last value", seen[len(seen)-1], tt.last)
		if strings.Contains(strings.Join(seen, ""), secret) {
			t.Errorf("clients see %q", seen)
		}
	}
}

// TestPlacesThatMayNotBeWritten do not follow, without other effects. Reducers do not add up predictions.
func TestPlacesThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	a := author(writer(false, written{name: "write", arguments: wrote}))
	r := newRig(t, team(Sequential(), Participant{Name: "ann", Agent: a, Writes: []string{"/other"}}))
	s := r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "state", string(r.state), `{}`)

	a = author(writer(false, written{name: "write", arguments: `{"document":["a","b","c","d"]}`}))
	a.Tools[0].Parameters = nil
	a.Tools[0].Parameters = json.RawMessage(`{"type":"object","properties":{"document":{"type":"array"}}}`)
	r = newRig(t, a)
	r.state, r.reducers = json.RawMessage(`{"document":["was"]}`), document.Reducers{"/document": document.Append}
	s = r.say("go")
	equal(t, "run", s.err, nil)
	equal(t, "state", string(r.state), `{"document":["a","b","c","d"]}`)
}

// TestPredictionsThatCannotBe are mistakes of the agent.
func TestPredictionsThatCannotBe(t *testing.T) {
	t.Parallel()
	ok := Prediction{Tool: "write", Path: "/a"}
	for want, list := range map[string][]Prediction{
		"names no tool": {{Path: "/a"}}, "not the pointer": {{Tool: "t", Path: "a"}}, "not the pointer of a member": {{Tool: "t"}}, "predicted twice": {ok, ok},
		`is for "/a/-"`: {{Tool: "t", Path: "/a/-"}}, "more than 16": make([]Prediction, 17),
	} {
		err := (&LLM{Model: writer(false), Predict: list}).Validate()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate() = %v, want %q", err, want)
		}
	}
}
