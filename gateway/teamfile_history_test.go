package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A narrowServer is a server of OpenAI's API with a window of 4,000 tokens, and its error for longer requests.
type narrowServer struct {
	mu       sync.Mutex
	refused  int
	requests []string // taken, as role:text lines
}

func (s *narrowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Messages []struct{ Role, Content string }
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &in) != nil {
		http.Error(w, "{}", http.StatusTeapot)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(body)/4 > 4000 {
		s.refused++
		answer := openaitest.Answer{Status: http.StatusBadRequest, Body: `{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}`}
		answer.ServeHTTP(w, r)
		return
	}
	var lines []string
	for _, m := range in.Messages {
		lines = append(lines, m.Role+":"+m.Content)
	}
	s.requests = append(s.requests, strings.Join(lines, "\n"))
	text := fmt.Sprintf("Reply %d.", len(s.requests))
	if strings.HasPrefix(in.Messages[0].Content, "You write down") {
		text = "What was said before."
	}
	openaitest.Text(text).ServeHTTP(w, r)
}

// TestTeamHistory has conversations with teams of files that exceed the model's window: `history` determines the
// requests.
func TestTeamHistory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		team    string
		refused int // at most
		want    []string
		lacks   []string
	}{
		"nothing is said": {`desk: { type: llm }`, 4, []string{"a part of it is left out here", "Question 59"}, []string{"Question 0 "}},
		"turns":           {`desk: { type: llm, history: { turns: 5 } }`, 0, []string{"a part of it is left out here", "Question 59", "Question 58"}, []string{"Question 54 ", "Question 0 "}},
		"tokens":          {`desk: { type: llm, history: { tokens: 1500 } }`, 0, []string{"a part of it is left out here", "Question 58"}, []string{"Question 40 "}},
		"a summary": {`desk: { type: llm, history: { tokens: 1500, strategy: summarise, model: default, keep: { first: 1, last: 2 } } }`, 0,
			[]string{"user:Question 0 ", "What was said before.", "Question 58 "}, []string{"Question 1 "}},
		"of a team": {`
  desk:
    type: groupchat
    history: { turns: 4, strategy: summarise }
    manager: { type: round_robin }
    max_rounds: 1
    participants: [ { name: ann, type: llm } ]`, 0, []string{"What was said before.", "Question 58 "}, []string{"Question 54 "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &narrowServer{}
			provider := httptest.NewServer(model)
			t.Cleanup(provider.Close)
			path := filepath.Join(t.TempDir(), "team.yaml")
			if err := os.WriteFile(path, []byte("version: 1\nagents:\n  "+strings.TrimSpace(tt.team)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			team, err := teamfile.Load(path, teamfile.Options{Model: openai.Options{BaseURL: provider.URL, Name: "m", Retries: -1}})
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, func(o *gateway.Options) { o.Agents, o.Agent, o.Legacy = team.Agents, team.Options, "desk" })
			for i := range 60 {
				text := fmt.Sprintf("u%d:Question %d %s", i, i, strings.Repeat("why ", 100))
				if r := w.post("desk", input("t", fmt.Sprint("r", i), []string{text})); r.finished().Outcome.Type != agui.OutcomeSuccess {
					t.Fatalf("turn %d: %+v", i, r.finished().Outcome)
				}
			}
			if model.refused > tt.refused {
				t.Errorf("%d requests were refused, want at most %d", model.refused, tt.refused)
			}
			last := model.requests[len(model.requests)-1]
			for _, want := range tt.want {
				if !strings.Contains(last, want) {
					t.Errorf("the last request lacks %q: %s", want, last)
				}
			}
			for _, lacks := range tt.lacks {
				if strings.Contains(last, lacks) {
					t.Errorf("the last request has %q", lacks)
				}
			}
		})
	}
}
