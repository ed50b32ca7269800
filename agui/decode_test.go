package agui

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestDecodeInputRejectsMalformedFieldsWithTheirPath(t *testing.T) {
	t.Parallel()
	const head = `{"threadId":"t","runId":"r","messages":`
	for _, test := range []struct{ name, body, path string }{
		{"not JSON", `{`, ""},
		{"two values", `{} {}`, ""},
		{"array", `[]`, ""},
		{"null", `null`, ""},
		{"no thread", `{"runId":"r","messages":[]}`, "threadId"},
		{"null thread", `{"threadId":null,"runId":"r","messages":[]}`, "threadId"},
		{"empty thread", `{"threadId":"","runId":"r","messages":[]}`, "threadId"},
		{"empty run", `{"threadId":"t","runId":"","messages":[]}`, "runId"},
		{"case matters", `{"THREADID":"t","runId":"r","messages":[]}`, "threadId"},
		{"number as run", `{"threadId":"t","runId":7,"messages":[]}`, "runId"},
		{"no messages", `{"threadId":"t","runId":"r"}`, "messages"},
		{"messages object", head + `{}}`, "messages"},
		{"null message", head + `[null]}`, "messages[0]"},
		{"no role", head + `[{"id":"a","content":"x"}]}`, "messages[0].role"},
		{"null role", head + `[{"id":"a","role":null,"content":"x"}]}`, "messages[0].role"},
		{"no content", head + `[{"id":"a","role":"user"}]}`, "messages[0].content"},
		{"null content", head + `[{"id":"a","role":"assistant","content":null}]}`, "messages[0].content"},
		{"number content", head + `[{"id":"a","role":"user","content":5}]}`, "messages[0].content"},
		{"system parts", head + `[{"id":"a","role":"system","content":[]}]}`, "messages[0].content"},
		{"part without text", head + `[{"id":"a","role":"user","content":[{"type":"text"}]}]}`, "messages[0].content[0].text"},
		{"part text number", head + `[{"id":"a","role":"user","content":[{"type":"text","text":1}]}]}`, "messages[0].content[0].text"},
		{"data source without type", head + `[{"id":"a","role":"user","content":[{"type":"image","source":{"type":"data","value":"x"}}]}]}`, "messages[0].content[0].source.mimeType"},
		{"tool without call", head + `[{"id":"a","role":"tool","content":"x"}]}`, "messages[0].toolCallId"},
		{"call type", head + `[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"x","function":{"name":"n","arguments":""}}]}]}`, "messages[0].toolCalls[0].type"},
		{"call arguments", head + `[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":{}}}]}]}`, "messages[0].toolCalls[0].function.arguments"},
		{"metadata array", head + `[{"id":"a","role":"user","content":"x","metadata":[]}]}`, "messages[0].metadata"},
		{"repeated message", head + `[{"id":"a","role":"user","content":"x"},{"id":"a","role":"user","content":"y"}]}`, "messages[1].id"},
		{"empty message id", head + `[{"id":"","role":"user","content":"x"}]}`, "messages[0].id"},
		{"repeated call", head + `[{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}},{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}]}`, "messages[0].toolCalls[1].id"},
		{"resume status", head + `[],"resume":[{"interruptId":"i","status":"maybe"}]}`, "resume[0].status"},
		{"resume object", head + `[],"resume":{}}`, "resume"},
		{"context value", head + `[],"context":[{"description":"d","value":1}]}`, "context[0].value"},
		{"parent null", head + `[],"parentRunId":null}`, "parentRunId"},
		{"tool name", head + `[],"tools":[{"description":"d"}]}`, "tools[0].name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := DecodeInput([]byte(test.body), DecodeOptions{})
			var f *FieldError
			if !errors.As(err, &f) {
				t.Fatalf("DecodeInput() error = %v, want a *FieldError", err)
			}
			if f.Path != test.path {
				t.Errorf("path = %q (%s), want %q", f.Path, f.Problem, test.path)
			}
		})
	}
}

func TestDecodeInputDropsUnknownMaterialWithAWarning(t *testing.T) {
	t.Parallel()
	const body = `{"threadId":"t","runId":"r","extra":1,"state":null,"forwardedProps":null,
		"tools":[{"name":"n","description":"d","parameters":null,"x":1}],
		"messages":[
			{"id":"a","role":"user","content":[{"type":"text","text":"hi","z":1},{"type":"hologram"},{"type":"image","source":{"type":"ether","value":"v"}}]},
			{"id":"b","role":"oracle","content":"x"},
			{"id":"c","role":"user","content":"y","toolCallId":"q"}]}`
	in, warnings, err := DecodeInput([]byte(body), DecodeOptions{MaxDepth: 10, MaxMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"extra": true, "state": true, "forwardedProps": true, "tools[0].parameters": true, "tools[0].x": true,
		"messages[0].content[0].z": true, "messages[0].content[1]": true, "messages[0].content[2].source": true,
		"messages[1]": true, "messages[2].toolCallId": true,
	}
	for _, w := range warnings {
		if !want[w.Path] {
			t.Errorf("unexpected warning %v", w)
		}
		delete(want, w.Path)
	}
	for path := range want {
		t.Errorf("no warning for %s", path)
	}
	if len(in.Messages) != 2 || in.State != nil || in.ForwardedProps != nil {
		t.Errorf("DecodeInput() = %+v", in)
	}
	if parts, _ := in.Messages[0].Content.Parts(); len(parts) != 1 {
		t.Errorf("parts = %+v, want the text alone", parts)
	}
}

func TestOpaqueJSONKeepsItsBytes(t *testing.T) {
	t.Parallel()
	const state = `{"big":12345678901234567890,"tiny":1.0e-7,"none":null,"html":"<&>","esc":"\u00e9","deep":[null,{"":0}]}`
	in, _, err := DecodeInput([]byte(`{"threadId":"t","runId":"r","messages":[],"state":`+state+`,"forwardedProps":`+state+`}`), DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if string(in.State) != state || string(in.ForwardedProps) != state {
		t.Errorf("state = %s", in.State)
	}
	data, err := Encode(&StateSnapshot{Snapshot: in.State})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"STATE_SNAPSHOT","snapshot":` + state + `}`; string(data) != want {
		t.Errorf("Encode() = %s, want %s", data, want)
	}
}

func TestEncodeKeepsRequiredZeros(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		event Event
		want  string
	}{
		{&TextMessageContent{}, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":""}`},
		{&StateSnapshot{}, `{"type":"STATE_SNAPSHOT","snapshot":null}`},
		{&StateDelta{}, `{"type":"STATE_DELTA","delta":[]}`},
		{&StateDelta{Delta: Patch{{Op: "add", Path: "/a"}, {Op: "remove", Path: ""}, {Op: "move", Path: "/b"}}},
			`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":null},{"op":"remove","path":""},{"op":"move","from":"","path":"/b"}]}`},
		{&MessagesSnapshot{}, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`},
		{&MessagesSnapshot{Messages: []Message{{ID: "a", Role: RoleAssistant}, {ID: "t", Role: RoleTool}}},
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"a","role":"assistant"},{"id":"t","role":"tool","content":"","toolCallId":""}]}`},
		{&Custom{Name: "n", Value: json.RawMessage("false")}, `{"type":"CUSTOM","name":"n","value":false}`},
	} {
		got, err := Encode(test.event)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != test.want {
			t.Errorf("Encode(%T) = %s, want %s", test.event, got, test.want)
		}
	}
}

func TestDepthIsLimited(t *testing.T) {
	t.Parallel()
	body := []byte(`{"threadId":"t","runId":"r","messages":[],"state":{"a":"[[[[[[","b":[[1]]}}`)
	if _, _, err := DecodeInput(body, DecodeOptions{MaxDepth: 4}); err != nil {
		t.Errorf("depth 4 refused: %v", err)
	}
	if _, _, err := DecodeInput(body, DecodeOptions{MaxDepth: 3}); err == nil {
		t.Error("depth 4 accepted with a limit of 3")
	}
}
