package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/a2a"
	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// However an agent reports its task, each event is sent once.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, card, method string
		answer             answer
		get                []answer
		want               string
	}{
		{"a message in place of a task", card10, "SendStreamingMessage", streams(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Hi"},{"text":"you"}]}}`), nil,
			"m=Hi\nyou success"},
		{"words while it works, and an artifact in pieces", card10, "SendStreamingMessage",
			streams(submitted, working("Well"), chunk("a", "Good ", false, false), chunk("a", "day", true, true), ends("COMPLETED", "")), nil,
			"submitted( ) working( m-Well=Well t/a=Good day ) success"},
		{"an artifact whose pieces split a character", card10, "SendStreamingMessage",
			streams(submitted, strings.Replace(chunk("a", "Hi X", false, false), "X", `\ud83d`, 1), strings.Replace(chunk("a", "X!", true, true), "X", `\ude00`, 1), ends("COMPLETED", "")), nil,
			"submitted( t/a=Hi 😀! ) success"},
		{"an artifact that grows, in place of pieces", card10, "SendStreamingMessage",
			streams(submitted, chunk("a", "Good", false, false), chunk("a", "Good day", false, false), ends("COMPLETED", "")), nil,
			"submitted( ) t/a=Good day success"},
		{"an artifact that is written anew", card10, "SendStreamingMessage",
			streams(submitted, chunk("a", "Bad", false, false), chunk("a", "Good", false, true), ends("COMPLETED", "")), nil,
			"submitted( t/a=Bad t/a~1=Good ) success"},
		{"an artifact that is said again at the end", card10, "SendStreamingMessage",
			streams(submitted, chunk("a", "Done", false, true), ends("COMPLETED", "Done")), nil,
			"submitted( t/a=Done ) success"},
		{"the older version", card03, "message/stream", streams(
			`{"kind":"task","id":"t","contextId":"c","status":{"state":"submitted"}}`,
			`{"kind":"artifact-update","taskId":"t","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"Hi"},{"kind":"file","file":{"uri":"https://x/y.pdf","mimeType":"application/pdf"}}]}}`,
			`{"kind":"status-update","taskId":"t","final":true,"status":{"state":"completed"}}`), nil,
			`submitted( a2a.artifact{"artifactId":"a","parts":[{"type":"document","source":{"type":"url","value":"https://x/y.pdf","mimeType":"application/pdf"}}]} ) t/a=Hi success`},
		{"a question, with a form", card10, "SendStreamingMessage", streams(submitted,
			`{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"How long?"},{"data":{"schema":{"type":"object","properties":{"n":{}}}}}]}}}}`), nil,
			`submitted( ) interrupt t#q:input_required:How long?{"type":"object","properties":{"n":{}}}`},
		{"a sign-in", card10, "SendStreamingMessage", streams(submitted, ends("AUTH_REQUIRED", "Please")), nil,
			"submitted( ) interrupt t#m-Please:a2a:auth_required:Please"},
		{"usage in metadata", card10, "SendStreamingMessage",
			streams(submitted, `{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_COMPLETED"},"metadata":{"adk_usage_metadata":{"promptTokenCount":5,"candidatesTokenCount":2}}}}`), nil,
			"submitted( ) success 5+2"},
		{"a failure", card10, "SendStreamingMessage", streams(submitted, ends("FAILED", "No")), nil, "submitted( ) error:task_failed:No"},
		{"a state that nobody knows", card10, "SendStreamingMessage", streams(submitted, ends("LOST", "")), nil, "submitted( ) error:task_unknown:"},
		{"a task that somebody else cancels", card10, "SendStreamingMessage", streams(submitted, ends("CANCELED", "")), nil, "submitted( ) cancelled"},
		{"events of another task are passed over", card10, "SendStreamingMessage",
			streams(submitted, strings.Replace(ends("FAILED", ""), `"t"`, `"other"`, 1), ends("COMPLETED", "")), nil, "submitted( ) success"},
		{"an agent that does not stream is looked at", cardPoll, "SendMessage", is(submitted),
			[]answer{is(task("WORKING", "Well", "Good ")), is(task("WORKING", "Well", "Good ")), is(task("COMPLETED", "", "Good day"))},
			"submitted( ) working( m-Well=Well t/a=Good day ) success"},
		{"and may have its end at once", cardPoll, "SendMessage", is(`{"task":` + task("COMPLETED", "", "Good day") + `}`), nil, "t/a=Good day success"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newAgent(t, tt.card).on(tt.method, tt.answer).on("GetTask", tt.get...)
			got, err := readRun(t.Context(), t, newClient(t, f.url), hello())
			if err != nil || got != tt.want {
				t.Errorf("%v\n%s, want\n%s", err, got, tt.want)
			}
		})
	}
}

// What a message has is what the agent has not been sent, in the terms of its version.
func TestMessages(t *testing.T) {
	t.Parallel()
	r := hello()
	r.Known = 1
	r.Input.State = json.RawMessage(`{"colour":"red"}`)
	r.Input.Context = []agui.Context{{Description: "place", Value: "Paris"}}
	picture := agui.Part{Type: agui.PartImage, Source: &agui.Source{Type: agui.SourceData, Value: "AAAA", MimeType: "image/png"}, Metadata: json.RawMessage(`{"filename":"a.png"}`)}
	far := agui.Part{Type: agui.PartDocument, Source: &agui.Source{Type: agui.SourceURL, Value: "https://x/y", MimeType: "text/plain"}}
	r.Input.Messages = append(r.Input.Messages,
		agui.Message{ID: "o", Role: agui.RoleAssistant, Content: agui.TextContent("its own")},
		agui.Message{ID: "p", Role: agui.RoleUser, Content: agui.PartsContent(agui.Part{Type: agui.PartText, Text: "Look"}, picture, far)})
	for card, want := range map[string]string{
		card10: `[{"text":"place: Paris"},{"data":{"colour":"red"},"mediaType":"application/json"},{"text":"Look"},{"filename":"a.png","mediaType":"image/png","raw":"AAAA"},{"mediaType":"text/plain","url":"https://x/y"}] thread ROLE_USER 1.0 SendStreamingMessage t true`,
		card03: `[{"kind":"text","text":"place: Paris"},{"kind":"text","text":"Look"},{"file":{"bytes":"AAAA","mimeType":"image/png","name":"a.png"},"kind":"file"},{"file":{"mimeType":"text/plain","uri":"https://x/y"},"kind":"file"}] thread user 0.3 message/stream  false`,
	} {
		method := "SendStreamingMessage"
		if card == card03 {
			method = "message/stream"
		}
		f := newAgent(t, card).on(method, streams(`{"message":{"role":"agent","parts":[]}}`))
		if _, err := readRun(t.Context(), t, newClient(t, f.url, func(o *a2a.Options) { o.State = true }), r); err != nil {
			t.Fatal(err)
		}
		sent := f.requests(method)[0]
		m := sent.Params.Message
		parts, err := json.Marshal(m.Parts)
		got := strings.Join([]string{string(parts), m.ContextID, m.Role, sent.Version, sent.Method, sent.Params.Tenant}, " ")
		if sent.Params.Configuration["returnImmediately"] {
			got += " true"
		} else if _, there := sent.Params.Configuration["blocking"]; there {
			got += " false"
		}
		if err != nil || got != want || m.MessageID != "run" || m.TaskID != "" {
			t.Errorf("%v %+v\n%s, want\n%s", err, m, got, want)
		}
	}
}

// An answer continues the task that asked. A task that is still where it was does not ask again.
func TestAnswersContinueTheTask(t *testing.T) {
	t.Parallel()
	asks := `{"id":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"q","role":"ROLE_AGENT","parts":[{"text":"Size?"}]}}}`
	for payload, want := range map[string]string{`"M"`: `[{"text":"M"}]`, `{"size":"M"}`: `[{"data":{"size":"M"},"mediaType":"application/json"}]`} {
		f := newAgent(t, card10).on("SendStreamingMessage", streams(`{"task":`+asks+`}`, working(""), chunk("a", "Noted", false, true), ends("COMPLETED", "")))
		got, err := readRun(t.Context(), t, newClient(t, f.url), answers("t#q", payload))
		m := f.requests("SendStreamingMessage")[0].Params.Message
		parts, _ := json.Marshal(m.Parts)
		if err != nil || got != "working( t/a=Noted ) success" || m.TaskID != "t" || m.ContextID != "" || string(parts) != want {
			t.Errorf("%v %s %+v", err, got, m)
		}
	}
	f := newAgent(t, cardPoll).on("SendMessage", is(`{"task":`+asks+`}`)).
		on("GetTask", is(asks), is(strings.Replace(asks, `"q"`, `"q2"`, 1)))
	if got, err := readRun(t.Context(), t, newClient(t, f.url), answers("t#q", `"M"`)); err != nil || got != "interrupt t#q2:input_required:Size?" {
		t.Errorf("%v %s", err, got)
	}
}

// A question that is called off cancels the task, also where there is none any more.
func TestACancelledQuestionCancelsTheTask(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]answer{
		"cancelled": is(task("CANCELED", "", "")), "forgotten": refuses(-32001, "unknown"), "over": refuses(-32002, "over"),
	} {
		f := newAgent(t, card10).on("CancelTask", answer)
		r := answers("a%2Fb#q", "null")
		r.Input.Resume[0].Status = agui.ResumeCancelled
		got, err := readRun(t.Context(), t, newClient(t, f.url), r)
		if list := f.requests("CancelTask"); err != nil || got != "success" || len(list) != 1 || list[0].Params.ID != "a/b" {
			t.Errorf("%s: %v %s %v", name, err, got, list)
		}
	}
}

// A cut connection, or a stream that ends too early, is resumed, without repeated or lost events.
func TestACutConnectionIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answer{
		"cut": breaksOff(submitted, chunk("a", "One, ", false, false)),
		"half": func(w http.ResponseWriter, _ *http.Request) bool {
			return halfAnEvent(w, submitted, chunk("a", "One, ", false, false))
		},
		"too soon": streams(submitted, chunk("a", "One, ", false, false)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newAgent(t, card10).on("SendStreamingMessage", first).
				on("GetTask", is(task("WORKING", "", "One, two, ")), is(task("COMPLETED", "", "One, two, three"))).
				on("SubscribeToTask", breaksOff(), streams(`{"task":`+task("WORKING", "", "One, two, ")+`}`, chunk("a", "three", true, true), ends("COMPLETED", "")))
			got, err := readRun(t.Context(), t, newClient(t, f.url), hello())
			if err != nil || !strings.HasSuffix(got, " t/a=One, two, three ) success") || len(f.requests("SendStreamingMessage")) != 1 {
				t.Errorf("%v %s", err, got)
			}
		})
	}
}

// A server that always hangs up is not asked for ever, and its task is cancelled.
func TestReconnectsAreBounded(t *testing.T) {
	t.Parallel()
	f := newAgent(t, card10).on("SendStreamingMessage", breaksOff(submitted)).on("GetTask", breaksOff()).on("CancelTask", is(task("CANCELED", "", "")))
	_, err := readRun(t.Context(), t, newClient(t, f.url), hello())
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Fault != client.FaultCut && e.Fault != client.FaultUnreachable {
		t.Errorf("%v", err)
	}
	if n := len(f.requests("GetTask")); n == 0 || n > 10 {
		t.Errorf("%d times", n)
	}
	if len(f.requests("CancelTask")) != 1 {
		t.Error("the task goes on")
	}
}

// What a request has begun is on record before it is followed, and a process that takes the run over follows it.
func TestTheTaskIsOnRecord(t *testing.T) {
	t.Parallel()
	f := newAgent(t, card10).on("SendStreamingMessage", streams(submitted, ends("COMPLETED", ""))).
		on("GetTask", is(strings.Replace(task("COMPLETED", "Bye", "All of it"), `"artifacts"`,
			`"history":[{"messageId":"old","role":"agent","parts":[{"text":"Old"}]},{"messageId":"run","role":"user"},{"messageId":"new","role":"agent","parts":[{"text":"New"}]}],"artifacts"`, 1)))
	r := hello()
	var names []string
	r.Begins = func(name string) error { names = append(names, name); return nil }
	if _, err := readRun(t.Context(), t, newClient(t, f.url), r); err != nil || strings.Join(names, " ") != "t" {
		t.Errorf("%v %q", err, names)
	}
	r.Begun = "t"
	got, err := readRun(t.Context(), t, newClient(t, f.url), r)
	if err != nil || got != "new=New t/a=All of it m-Bye=Bye success" || len(f.requests("SendStreamingMessage")) != 1 || len(names) != 1 {
		t.Errorf("%v %s", err, got)
	}
	f.on("GetTask", refuses(-32001, "unknown"))
	if _, err := readRun(t.Context(), t, newClient(t, f.url), r); err == nil || !strings.Contains(err.Error(), "task not found") {
		t.Errorf("%v", err)
	}
	r.Begun, r.Begins = "", func(string) error { return context.Canceled }
	f.on("CancelTask", is(task("CANCELED", "", "")))
	if _, err := readRun(t.Context(), t, newClient(t, f.url), r); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A stopped run cancels its task; one that continues on another replica does not; one that is stopped during a request
// does. Where a task begins, the run is stopped as soon as the client knows the task, else as soon as the agent has the
// request.
func TestAStopCancelsTheTask(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		request client.Request
		leave   bool
		task    bool // one begins
		want    int
	}{
		"a stop":               {hello(), false, true, 1},
		"a move":               {hello(), true, true, 0},
		"before there is task": {hello(), false, false, 0},
		"an answer":            {answers("t#q", `"M"`), false, false, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := newAgent(t, card10).on("SendStreamingMessage", func(w http.ResponseWriter, r *http.Request) bool {
				if tt.task {
					return hangs(submitted)(w, r)
				}
				cancel()
				return hangs()(w, r)
			}).on("CancelTask", is(task("CANCELED", "", "")))
			tt.request.Begins = func(string) error { cancel(); return nil }
			tt.request.Leave = func(error) bool { return tt.leave }
			if _, err := readRun(ctx, t, newClient(t, f.url), tt.request); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			if got := len(f.requests("CancelTask")); got != tt.want {
				t.Errorf("%d cancellations, want %d", got, tt.want)
			}
		})
	}
}
