package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestExamples serves each team of examples/teams with the real binary and has one conversation with it.
func TestExamples(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	model := httptest.NewServer(http.HandlerFunc(answerAsModel))
	t.Cleanup(model.Close)
	dir := func(name string) string { return filepath.Join("../../examples/teams", name) }
	serve := func(t *testing.T, config string, env ...string) (url string, stop func()) {
		t.Helper()
		lines := append([]string{"OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=hush-hush"}, env...)
		p := startProcess(t, binary, "-config", config, "-env-file", writeFile(t, "env", strings.Join(lines, "\n")))
		return p.url, func() { // not by Cleanup: the process ends with the test's context
			p.signal(t, syscall.SIGTERM)
			p.wantExit(t, 0)
			if strings.Contains(p.log.String(), "hush") {
				t.Errorf("the log holds a secret:\n%s", &p.log)
			}
		}
	}

	t.Run("assistant", func(t *testing.T) {
		t.Parallel()
		url, stop := serve(t, filepath.Join(dir("assistant"), "team.yaml"))
		defer stop()
		c := talk{t: t, url: url, agent: "assistant"}
		c.says("Who are you?").wants(`"delta":"The model "`, `"delta":"speaks."`, `"type":"RUN_FINISHED"`, `"totalTokens":12`)
	})
	t.Run("research-desk", func(t *testing.T) {
		t.Parallel()
		url, stop := serve(t, filepath.Join(dir("research-desk"), "team.yaml"))
		defer stop()
		c := talk{t: t, url: url, agent: "desk"}
		run := c.says("Write about the tides.")
		run.wants(`"notes":"The model speaks."`, `"draft":"The model speaks."`, `Is the draft all right?`, `"type":"interrupt"`)
		if researcher, writer := run.index(`"stepName":"researcher"`), run.index(`"stepName":"writer"`); researcher > writer {
			t.Error("the writer works before the researcher")
		}
		c.answers(run, `"Shorter, please."`).wants("Is the draft all right?")
		c.answers(c.runs[len(c.runs)-1], `""`).wants(`"type":"success"`)
	})
	t.Run("planner", func(t *testing.T) {
		t.Parallel()
		url, stop := serve(t, filepath.Join(dir("planner"), "team.yaml"))
		defer stop()
		c := talk{t: t, url: url, agent: "desk"}
		// The model makes no plan, so its fallback leads.
		c.says("How many piano tuners are there?").wants(`"stepName":"lead"`, `"stepName":"analyst"`, `"stepName":"critic"`, `"stepName":"writer"`, `"type":"success"`)
	})
	t.Run("triage", func(t *testing.T) {
		t.Parallel()
		url, stop := serve(t, filepath.Join(dir("triage"), "team.yaml"))
		defer stop()
		c := talk{t: t, url: url, agent: "support"}
		c.says("I was charged twice.").wants(`"toolCallName":"handoff_to_billing"`, `"stepName":"billing"`, `"type":"success"`)
		again := c.says("And what now?")
		again.wants(`"stepName":"billing"`)
		if again.index(`"stepName":"triage"`) < len(again.body) {
			t.Error("the next message does not go to whoever spoke last")
		}
	})
	t.Run("travel", func(t *testing.T) {
		t.Parallel()
		url, stop := serve(t, filepath.Join(dir("travel"), "team.yaml"))
		defer stop()
		c := talk{t: t, url: url, agent: "travel"}
		c.says("Hello, what can you do?").wants(`"delta":"The model "`, `"name":"supervisor"`, `"type":"success"`)
		run := c.says("Plan my trip")
		run.wants(`"delta":"The model "`, "I found 2 flight options", `"airline":"KLM"`, `"type":"interrupt"`)
		run = c.answers(run, `{"airline":"KLM","price":"$1"}`)
		run.wants("I'll book you the KLM flight", `"price":"$650"`, "Hotel Zoe")
		c.answers(run, `{"name":"Hotel Zoe"}`).wants("I'll book you a stay at Hotel Zoe", `"delta":"The model "`, "Pier 39", `"type":"success"`)
	})
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		there, stopThere := serve(t, filepath.Join(dir("remote"), "specialist.yaml"))
		defer stopThere()
		url, stop := serve(t, filepath.Join(dir("remote"), "team.yaml"), "UPSTREAM_URL="+there+"/agents/counsel")
		defer stop()
		c := talk{t: t, url: url, agent: "desk"}
		run := c.says("May I let my flat?")
		run.wants("In which country?", `"type":"interrupt"`)
		c.answers(run, `{"value":"Japan"}`).wants("In Japan that is allowed", `"country":"Japan"`, `"delta":"The model "`, `"answer":"The model speaks."`, `"type":"success"`)
	})
}

// answerAsModel is a server of an OpenAI-compatible API for the examples: it hands over as instructed, chooses as the
// state of the desk requires, and gives one reply otherwise.
func answerAsModel(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools          []struct{ Function struct{ Name string } }
		ResponseFormat json.RawMessage `json:"response_format"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer hush-hush" || len(in.Messages) == 0 {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		return
	}
	system, now := string(in.Messages[0].Content), string(in.Messages[len(in.Messages)-1].Content)
	deltas, reason := []string{`"content":"The model "`, `"content":"speaks."`}, "stop"
	switch {
	case in.ResponseFormat != nil:
		choice := `{"reason":"","terminate":true,"next_speaker":null,"message":null,"instruction":null}`
		for _, need := range [][2]string{{"/draft", "writer"}, {"/notes", "researcher"}} {
			if !strings.Contains(now, `The state at \"`+need[0]) {
				choice = `{"reason":"","terminate":false,"next_speaker":"` + need[1] + `","message":null,"instruction":null}`
			}
		}
		text, _ := json.Marshal(choice) // a string
		deltas = []string{`"content":` + string(text)}
	case strings.Contains(system, "Solve nothing yourself") && len(in.Tools) > 0:
		deltas = []string{`"tool_calls":[{"index":0,"id":"x","function":{"name":"` + in.Tools[0].Function.Name + `","arguments":"{}"}}]`}
		reason = "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, delta := range deltas {
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%s}}]}\n\n", delta)
	}
	_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n"+
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}}\n\ndata: [DONE]\n\n", reason)
}

// A talk is a conversation with one agent on one thread.
type talk struct {
	t          *testing.T
	url, agent string
	messages   []string
	runs       []*talkRun
}

// A talkRun is the stream of one run.
type talkRun struct {
	t    *testing.T
	body string
}

// says sends a message.
func (c *talk) says(text string) *talkRun {
	c.t.Helper()
	c.messages = append(c.messages, fmt.Sprintf(`{"id":"u%d","role":"user","content":%q}`, len(c.messages), text))
	return c.post("[]")
}

var interruptID = regexp.MustCompile(`"id":"(int_[^"]+)"`)

// answers answers the one question that run ended with.
func (c *talk) answers(run *talkRun, payload string) *talkRun {
	c.t.Helper()
	ids := interruptID.FindAllStringSubmatch(run.body, -1)
	if len(ids) == 0 {
		c.t.Fatalf("there is no question in\n%s", run.body)
	}
	return c.post(`[{"interruptId":"` + ids[len(ids)-1][1] + `","status":"resolved","payload":` + payload + `}]`)
}

func (c *talk) post(resume string) *talkRun {
	c.t.Helper()
	body := fmt.Sprintf(`{"threadId":"t","runId":"r%d","state":{},"messages":[%s],"tools":[],"context":[],"forwardedProps":{},"protocolVersion":"1.0","resume":%s}`,
		len(c.runs), strings.Join(c.messages, ","), resume)
	status, stream := get(c.t, http.MethodPost, c.url+"/agents/"+c.agent, body)
	if status != http.StatusOK {
		c.t.Fatalf("POST /agents/%s = %d, %s", c.agent, status, stream)
	}
	run := &talkRun{c.t, stream}
	c.runs = append(c.runs, run)
	return run
}

// wants looks for texts in the stream.
func (r *talkRun) wants(texts ...string) {
	r.t.Helper()
	missing := slices.DeleteFunc(texts, func(text string) bool { return strings.Contains(r.spoken(), text) || strings.Contains(r.body, text) })
	if len(missing) > 0 {
		r.t.Errorf("the run lacks %q:\n%s", missing, r.body)
	}
}

var delta = regexp.MustCompile(`"type":"TEXT_MESSAGE_CONTENT".*"delta":("(?:[^"\\]|\\.)*")`)

// spoken returns the messages, with deltas joined.
func (r *talkRun) spoken() string {
	var b strings.Builder
	for _, m := range delta.FindAllStringSubmatch(r.body, -1) {
		var piece string
		if json.Unmarshal([]byte(m[1]), &piece) == nil {
			b.WriteString(piece)
		}
	}
	return b.String()
}

// index is where text is in the stream, behind its end if it is not.
func (r *talkRun) index(text string) int {
	if i := strings.Index(r.body, text); i >= 0 {
		return i
	}
	return len(r.body)
}
