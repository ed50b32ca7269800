package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// send sends a run request; a stream is left to its reader, anything else is the result.
func (s *script) send(words []string) (*reader, string) {
	s.t.Helper()
	path, body := s.request(words)
	ctx, cancel := s.patience()
	response := s.w().request(ctx, http.MethodPost, path, body)
	if response.StatusCode == http.StatusOK {
		return newReader(s.t, response, cancel, body), ""
	}
	defer cancel()
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var got errorBody
	if err := json.Unmarshal(data, &got); err != nil {
		s.t.Fatalf("%s: %s: %v", s.step, data, err)
	}
	return nil, fmt.Sprint(response.StatusCode, " ", got.Error.Code)
}

// patience is the context of a stream: one that never ends fails its case, and not the whole test.
func (s *script) patience() (context.Context, context.CancelFunc) {
	return context.WithTimeout(s.t.Context(), patience)
}

// request is the path and the body of a run request.
func (s *script) request(words []string) (path, body string) {
	s.t.Helper()
	verb, agent, run := words[0], words[1], words[2]
	path = "/agents/" + agent
	if verb == "page" {
		path = pages + "/agent/" + agent + "/run"
	}
	var messages, extra, answers, props []string
	version := `"protocolVersion":"1.0",`
	for _, word := range words[3:] {
		switch {
		case word == "+old":
			version = ""
		case word == "+detach":
			path += "?disconnect=detach"
		case word[0] == '+':
			props = append(props, quote(word[1:])+":true")
		case word[0] == '@':
		case strings.HasPrefix(word, "state="):
			extra = append(extra, `"state":`+word[len("state="):])
		case word[0] == 'q':
			answers = append(answers, word)
		default:
			messages = append(messages, s.message(word))
		}
	}
	if verb == "page" {
		version, extra = "", append(extra, `"tools":[]`, `"context":[]`)
	}
	if len(props) > 0 {
		extra = append(extra, `"forwardedProps":{"gateway":{`+strings.Join(props, ",")+`}}`)
	}
	if len(answers) > 0 {
		extra = append(extra, s.answers(answers))
	}
	return path, `{` + version + `"threadId":` + quote(s.threadOf(words)) + `,"runId":` + quote(run) +
		`,"messages":[` + strings.Join(messages, ",") + `]` + strings.Join(append([]string{""}, extra...), ",") + `}`
}

// message is a message by its name: as the thread has it, or a new one that says its name.
func (s *script) message(word string) string {
	name, call, result := strings.Cut(word, ">")
	name, words, says := strings.Cut(name, "=")
	if !says {
		words = name
	}
	if said := s.said[name]; said != "" {
		return said
	}
	roles := map[byte]string{'u': "user", 's': "system", 'd': "developer", 'a': "assistant", 't': "tool", 'r': "reasoning"}
	id := s.id(name)
	text := `{"id":` + quote(id) + `,"role":` + quote(roles[name[0]]) + `,"content":` + quote(strings.ReplaceAll(words, "_", " "))
	if result {
		text += `,"toolCallId":` + quote(s.id(call))
	}
	return text + `}`
}

// answers are the resume of a request.
func (s *script) answers(words []string) string {
	var entries []string
	for _, word := range words {
		if name, ok := strings.CutSuffix(word, "!"); ok {
			entries = append(entries, `{"interruptId":`+quote(s.id(name))+`,"status":"cancelled"}`)
			continue
		}
		name, value, _ := strings.Cut(word, "=")
		entries = append(entries, `{"interruptId":`+quote(s.id(name))+`,"status":"resolved","payload":{"value":`+quote(value)+`}}`)
	}
	return `"resume":[` + strings.Join(entries, ",") + `]`
}

// later moves the clock.
func (s *script) later(text string) {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	s.replicas[0].clock.Move(d)
}
