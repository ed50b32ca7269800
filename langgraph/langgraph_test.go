package langgraph_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/langgraph"
)

// specialist returns the server's assistant as an agent with its state at /lg.
func specialist(t testing.TB, s *server, o langgraph.Options) *groupchat.Remote {
	t.Helper()
	o.URL, o.Assistant = s.URL, "agent"
	c, err := langgraph.New(o)
	if err != nil {
		t.Fatal(err)
	}
	far, err := groupchat.NewRemote(groupchat.RemoteOptions{URL: s.URL, Client: c, State: groupchat.RemoteState{Path: "/lg"}})
	if err != nil {
		t.Fatal(err)
	}
	return far
}

// desk returns a team of the assistant alone, under the name graph.
func desk(t testing.TB, s *server, o langgraph.Options) *groupchat.Chat {
	t.Helper()
	return &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "graph", Agent: specialist(t, s, o)}}}
}

// said is a run's stream in words, without the supervisor's.
func said(r *groupchattest.Run) string { return groupchattest.Describe(r.Body()) }

func piece(id string, members map[string]any) []any {
	m := map[string]any{"id": id, "type": "AIMessageChunk", "content": ""}
	for k, v := range members {
		m[k] = v
	}
	return []any{m, map[string]any{"langgraph_node": "speak", "ls_provider": "openai", "ls_model_name": "m1"}}
}

// What a graph streams comes through: reasoning, words, calls and their results, its state, a subgraph, and what it
// writes by itself.
func TestWhatARunTellsOf(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) {
		r.send("messages", piece("a", map[string]any{"additional_kwargs": map[string]any{"reasoning_content": "hm"}}))
		r.send("messages", piece("a", map[string]any{"content": []any{map[string]any{"type": "text", "text": "Let me "}}}))
		r.send("messages", piece("a", map[string]any{"content": "look."}))
		r.send("messages", piece("a", map[string]any{"tool_call_chunks": []any{map[string]any{"id": "c", "name": "find", "args": "", "index": 0}}}))
		r.send("messages", piece("a", map[string]any{"tool_call_chunks": []any{map[string]any{"id": nil, "name": nil, "args": `{"q":1}`, "index": 0}}}))
		r.send("messages", piece("a", map[string]any{"usage_metadata": map[string]any{"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}}))
		r.send("updates", map[string]any{"speak": nil})
		r.send("messages", []any{map[string]any{"id": "res", "type": "tool", "tool_call_id": "c", "content": "found"}, map[string]any{"langgraph_node": "tools"}})
		r.send("custom", map[string]any{"progress": 1})
		r.send("messages|sub:1", piece("b", map[string]any{"content": "From within.", "usage_metadata": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}))
		r.send("updates", map[string]any{"sub": nil})
		r.keep(map[string]any{"id": "a", "type": "ai", "content": "Let me look.", "tool_calls": []any{map[string]any{"id": "c", "name": "find", "args": map[string]any{"q": 1}}}})
		r.keep(map[string]any{"id": "res", "type": "tool", "tool_call_id": "c", "content": "found"})
		r.keep(map[string]any{"id": "b", "type": "ai", "content": "From within."})
		r.set("notes", "noted")
		r.keep(map[string]any{"id": "quiet", "type": "ai", "content": "Said by a node."})
	})
	out := groupchattest.NewThread(t, desk(t, s, langgraph.Options{}), groupchattest.Options{}).Say("go")
	want := `graph: Let me look.
calls find {"q":1}
find returns found
graph.sub: From within.
graph: Said by a node.
`
	if got := said(out); got != want {
		t.Errorf("%v\n%s", out.Err, modeltest.Diff(want, got))
	}
	if got := string(out.State); got != `{"lg":{"notes":"noted"}}` {
		t.Errorf("state %s", got)
	}
	var kinds []string
	for _, e := range out.Body() {
		switch e := e.(type) {
		case *agui.ReasoningMessageContent:
			kinds = append(kinds, "thinks "+e.Delta)
		case *agui.Custom:
			kinds = append(kinds, e.Name+" "+string(e.Value))
		case *agui.SubagentStarted:
			kinds = append(kinds, "begins "+e.Name)
		}
	}
	if got := strings.Join(kinds, ", "); got != `begins graph, thinks hm, langgraph.custom {"progress":1}, begins sub` {
		t.Error(got)
	}
	if len(out.Usage) != 1 || *out.Usage[0].InputTokens != 4 || *out.Usage[0].TotalTokens != 7 || out.Usage[0].Model != "m1" {
		t.Errorf("usage %+v", out.Usage)
	}
}

// rawPiece is a piece of a message with a string of JSON as its text, and as the arguments of its call.
func rawPiece(text string) []any {
	return piece("a", map[string]any{"content": json.RawMessage(text), "additional_kwargs": map[string]any{"reasoning_content": json.RawMessage(text)},
		"tool_call_chunks": []any{map[string]any{"id": "c", "name": "", "args": json.RawMessage(text), "index": 0}}})
}

func TestACharacterSplitBetweenPieces(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) {
		r.send("messages", piece("a", map[string]any{"tool_call_chunks": []any{map[string]any{"id": "c", "name": "find", "args": "", "index": 0}}}))
		r.send("messages", rawPiece(`"Hi \ud83d"`))
		r.send("messages", rawPiece(`"\ude00!"`))
	})
	out := groupchattest.NewThread(t, desk(t, s, langgraph.Options{}), groupchattest.Options{}).Say("go")
	text, thought, args := "", "", ""
	for _, e := range out.Body() {
		switch e := e.(type) {
		case *agui.TextMessageContent:
			text += e.Delta
		case *agui.ReasoningMessageContent:
			thought += e.Delta
		case *agui.ToolCallArgs:
			args += e.Delta
		}
	}
	if want := "Hi 😀!"; text != want || thought != want || args != want {
		t.Errorf("text %q, thought %q, arguments %q, want %q", text, thought, args, want)
	}
}

// The server keeps the conversation: it gets new messages, and all again if it has lost the thread.
func TestTheServerIsSentWhatItLacks(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) { r.say("a1", "One.") }, func(r *run) { r.say("a2", "Two.") }, func(r *run) { r.say("a3", "Three.") })
	th := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{Options: thread.Options{
		State: json.RawMessage(`{"lg":{"topic":"rain"},"other":1}`),
		Input: groupchat.Input{Context: []agui.Context{{Description: "page", Value: "home"}}},
	}})
	for range 2 {
		if out := th.Say("go"); out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	ids := func(n int) (types []string) {
		for word := range strings.FieldsSeq(s.sent(n)) {
			kind, _, _ := strings.Cut(word, ":")
			types = append(types, kind)
		}
		return types
	}
	if got := strings.Join(ids(0), " ") + " | " + strings.Join(ids(1), " "); got != "human | human" {
		t.Errorf("sent %s", got)
	}
	if got := string(s.runs[0].Input["topic"]) + string(s.runs[0].Input["ag-ui"]) + string(s.runs[0].Input["other"]); got != `"rain"{"context":[{"description":"page","value":"home"}],"tools":[]}` {
		t.Errorf("input %s", got)
	}
	if got := s.runs[1].Input["topic"]; got != nil {
		t.Errorf("what has not changed is sent again: %s", got)
	}
	s.mu.Lock()
	clear(s.threads)
	s.mu.Unlock()
	if out := th.Say("again"); out.Err != nil || out.Text != "Three." {
		t.Fatal(out.Err)
	}
	if got := strings.Join(ids(2), " "); got != "human ai human ai human" {
		t.Errorf("a thread that was forgotten is sent %s", got)
	}
}

// Messages of the thread that have left the conversation are removed: an answer that is regenerated, and edited
// messages.
func TestTheThreadFollowsEdits(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) { r.say("a1", "One.") }, func(r *run) { r.say("a2", "Two.") })
	c, err := langgraph.New(langgraph.Options{Options: client.Options{URL: s.URL}, Assistant: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	user := func(id string) agui.Message {
		return agui.Message{ID: id, Role: agui.RoleUser, Content: agui.TextContent("go")}
	}
	for i, messages := range [][]agui.Message{
		{user("u1")}, {user("u1")},
		{user("u1"), {ID: "a2", Role: agui.RoleAssistant, Content: agui.TextContent("Two.")}, user("u2")},
		{user("u1"), {ID: "a2", Role: agui.RoleAssistant, Content: agui.TextContent("Two.")}, user("u3")},
	} {
		for _, err := range c.Run(t.Context(), client.Request{Input: agui.RunAgentInput{ThreadID: "t", RunID: strconv.Itoa(i), Messages: messages}}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	got := []string{s.sent(0), s.sent(1), s.sent(2), s.sent(3)}
	if diff := cmp.Diff([]string{"human:u1", "remove:a1", "human:u2", "remove:u2 human:u3"}, got); diff != "" {
		t.Error(diff)
	}
}

// A stream that is cut in the middle of an event is joined again: the rest of the run comes by the new stream, or from
// the thread if that stream does not have it. If the run is over by then, the rest comes from the thread without
// another stream.
func TestACutStream(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		deaf, late bool
		rest       func(r *run) // what the graph does after the cut
		joins      int
	}{
		"by the stream":                       {false, false, func(r *run) { r.awaitJoin(); r.say("a", "four") }, 1},
		"by the stream, which has it already": {false, false, func(r *run) { r.say("a", "four"); r.awaitJoin() }, 1},
		"from the thread, after a stream":     {true, false, func(r *run) { r.say("a", "four"); r.awaitJoin() }, 1},
		"from the thread":                     {true, true, func(r *run) { r.say("a", "four") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(r *run) {
				r.say("a", "one ", "two ")
				r.say("a", "three ") // the stream is cut before this
				tc.rest(r)
				r.keep(map[string]any{"id": "a", "type": "ai", "content": "one two three four"})
			})
			s.cut, s.deaf, s.late = 3, tc.deaf, tc.late
			out := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{}).Say("go")
			if out.Err != nil || out.Text != "one two three four" || len(s.runs) != 1 || s.joins != tc.joins {
				t.Errorf("%v %q in %d runs, joined %d times", out.Err, out.Text, len(s.runs), s.joins)
			}
		})
	}
}

// A request that is repeated after a crash of the gateway joins its run, or gets its outcome.
func TestARepeatedRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) {
		r.send("messages", piece("a", map[string]any{"content": "one "}))
		<-r.cancelled
	})
	c, err := langgraph.New(langgraph.Options{Options: client.Options{URL: s.URL}, Assistant: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	request := client.Request{
		Input: agui.RunAgentInput{ThreadID: "t", RunID: "r", Messages: agui.List[agui.Message]{{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("go")}}},
		Leave: func(error) bool { return true },
	}
	say := func() (events []string) {
		for e, err := range c.Run(t.Context(), request) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case *agui.TextMessageContent:
				events = append(events, e.Delta)
				s.mu.Lock()
				one := s.runs[0]
				one.put(map[string]any{"id": "a", "type": "ai", "content": "one two"})
				one.end("success")
				s.mu.Unlock()
			case *agui.RunFinished:
				events = append(events, "ends")
			}
		}
		return events
	}
	// The first reader leaves, and its run continues.
	ctx, leave := contextWith(t)
	for e, err := range c.Run(ctx, request) {
		if _, ok := e.(*agui.TextMessageContent); ok {
			leave()
		}
		if err != nil {
			break
		}
	}
	if got := strings.Join(say(), "|"); got != "one |two|ends" {
		t.Errorf("joined: %s", got)
	}
	if got := strings.Join(say(), "|"); got != "one two|ends" {
		t.Errorf("told from the thread: %s", got)
	}
	if len(s.runs) != 1 {
		t.Errorf("%d runs", len(s.runs))
	}
}

// If its reader stops, a run is cancelled there, and its thread takes the next one.
func TestAStoppedRunIsCancelled(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) {
		r.send("messages", piece("a", map[string]any{"content": "one "}))
		<-r.cancelled
	}, func(r *run) { r.say("b", "two") })
	ctx, stop := contextWith(t)
	far := specialist(t, s, langgraph.Options{})
	th := groupchattest.NewThread(t, far, groupchattest.Options{Context: ctx, Options: thread.Options{Events: func(e agui.Event) error {
		if _, ok := e.(*agui.TextMessageContent); ok {
			stop()
		}
		return nil
	}}})
	if out := th.Say("go"); out.Err == nil {
		t.Fatal("the run was not stopped")
	}
	s.mu.Lock()
	for s.runs[0].status == "running" {
		s.changed.Wait()
	}
	s.mu.Unlock()
}

// A question is answered by its id, and several at once each by its own.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := newServer(t,
		func(r *run) {
			r.ask(asked{hash("a"), map[string]any{"question": "Which colour?", "options": []string{"red", "blue"}}}, asked{hash("b"), "How many?"})
		},
		func(r *run) { r.ask(asked{hash("b"), "Why so many?"}) },
		func(r *run) { r.say("m", "Done.") })
	th := groupchattest.NewThread(t, desk(t, s, langgraph.Options{}), groupchattest.Options{})
	out := th.Say("go")
	if got := said(out); got != "" || len(out.Questions) != 2 {
		t.Fatalf("%v %q %+v", out.Err, got, out.Questions)
	}
	if q := out.Questions[1]; q.Message != "How many?" {
		t.Errorf("asks %+v", q)
	}
	out = th.Answer(map[string]any{out.Questions[0].Key: "red", out.Questions[1].Key: 3})
	if out.Err != nil || len(out.Questions) != 1 || out.Questions[0].Message != "Why so many?" {
		t.Fatalf("%v %+v", out.Err, out.Questions)
	}
	if got := string(s.runs[1].Command.Resume); got != `{"`+hash("a")+`":"red","`+hash("b")+`":3}` {
		t.Errorf("answers %s", got)
	}
	out = th.Answer(map[string]any{out.Questions[0].Key: "just so"})
	if out.Err != nil || !strings.Contains(said(out), "graph: Done.") {
		t.Fatalf("%v %s", out.Err, said(out))
	}
	if got := string(s.runs[2].Command.Resume); got != `{"`+hash("b")+`":"just so"}` {
		t.Errorf("answers %s", got)
	}
}

// An old server gives a question no id, and takes the bare answer to the only one.
func TestAQuestionWithoutAnID(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) { r.ask(asked{"", "Sure?"}) }, func(r *run) { r.say("m", "Done.") })
	th := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{})
	out := th.Say("go")
	if out = th.Answer(map[string]any{out.Questions[0].Key: true}); out.Err != nil || out.Text != "Done." {
		t.Fatalf("%v %q", out.Err, out.Text)
	}
	if got := string(s.runs[1].Command.Resume); got != "true" {
		t.Errorf("answers %s", got)
	}
}

// A question that is called off is taken out of the thread there.
func TestAQuestionIsCalledOff(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(r *run) { r.ask(asked{hash("a"), "Sure?"}) }, func(r *run) { r.say("m", "Anew.") })
	th := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{})
	out := th.Say("go")
	if out = th.Cancel(out.Questions[0].Key); out.Err != nil || !out.Done() || len(s.runs) != 1 {
		t.Fatalf("%v, %d runs", out.Err, len(s.runs))
	}
	for _, there := range s.threads {
		if there.cleared != 1 {
			t.Error("the thread still waits")
		}
	}
	if out := th.Say("again"); out.Err != nil || out.Text != "Anew." {
		t.Errorf("%v %q", out.Err, out.Text)
	}
}

// Of two questions one is answered and one cancelled: the graph asks the latter again, which is not shown.
func TestOneOfTwoQuestionsIsCalledOff(t *testing.T) {
	t.Parallel()
	b := asked{hash("b"), "And this?"}
	s := newServer(t, func(r *run) { r.ask(asked{hash("a"), "This?"}, b) }, func(r *run) {
		r.ask(b)
		r.say("m", "This.")
	})
	th := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{})
	out := th.Say("go")
	out = th.Answer(map[string]any{out.Questions[0].Key: true, out.Questions[1].Key: ask.Answer{Cancelled: true}})
	if out.Err != nil || !out.Done() || out.Text != "This." {
		t.Fatalf("%v %q %+v", out.Err, out.Text, out.Questions)
	}
	if got := string(s.runs[1].Command.Resume); got != `{"`+hash("a")+`":true}` {
		t.Errorf("answers %s", got)
	}
}

// An answer is for the question that it was given to. If the thread waits for another one, or is gone, it fails, and
// can be given again; the question can be called off in any case.
func TestAnAnswerForAnotherQuestion(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*server){
		"asks something else under the same id": func(s *server) { s.only().asked = []asked{{hash("a"), "Delete everything?"}} },
		"asks nothing":                          func(s *server) { s.only().asked = nil },
		"is gone":                               func(s *server) { clear(s.threads) },
	} {
		s := newServer(t, func(r *run) { r.ask(asked{hash("a"), "Sure?"}) })
		var log bytes.Buffer
		th := groupchattest.NewThread(t, specialist(t, s, langgraph.Options{}), groupchattest.Options{
			NoReplay: true, Options: thread.Options{Log: slog.New(slog.NewTextHandler(&log, nil))},
		})
		out := th.Say("go")
		key := out.Questions[0].Key
		s.mu.Lock()
		change(s)
		s.mu.Unlock()
		if out = th.Answer(map[string]any{key: true}); out.Code() != "remote_failed" {
			t.Errorf("%s: answered: %v", name, out.Err)
		}
		if len(s.runs) != 1 {
			t.Errorf("%s: the answer was given to somebody", name)
		}
		if out = th.Cancel(key); out.Err != nil || !out.Done() {
			t.Errorf("%s: called off: %v", name, out.Err)
		}
	}
}
