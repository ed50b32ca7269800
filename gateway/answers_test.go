package gateway_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// answersDoc is the part of a thread's document about answers and runs.
type answersDoc struct {
	Answers []struct {
		Interrupt struct {
			ID, Message    string
			ResponseSchema json.RawMessage
		}
		Status         string
		Payload        json.RawMessage
		AnsweredAt     time.Time
		AfterMessageID string
	}
	Runs []struct{ Status, AfterMessageID, LastMessageID string }
}

func (w *world) answers(path string) (d answersDoc, body string) {
	w.t.Helper()
	status, body := w.call(http.MethodGet, path, "")
	if err := json.Unmarshal([]byte(body), &d); err != nil || status != http.StatusOK {
		w.t.Fatalf("GET %s = %d %s: %v", path, status, body, err)
	}
	return d, body
}

func TestAnAnsweredQuestionKeepsWhatWasOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.post("ask", input("t", "r1", []string{"u1:Hi"})).interrupts()[0]
	if d, body := w.answers("/threads/t"); len(d.Answers) > 0 || strings.Contains(body, `"answers"`) {
		t.Errorf("answers of an open question: %s", body)
	}
	last := w.thread("t").Messages[1].ID
	w.clock.Move(time.Minute)
	w.post("ask", input("t", "r2", nil, answerTo(asked.ID, "M"))).finished()
	answeredAt := w.clock.Now()
	w.post("ask", input("t", "r3", []string{"u2:More"}))
	w.clock.Move(2 * time.Hour) // the log is gone by then
	d, body := w.answers("/threads/t?limit=1")
	if len(d.Answers) != 1 {
		t.Fatalf("GET /threads/t = %s, want an answer", body)
	}
	a := d.Answers[0]
	if a.Interrupt.ID != asked.ID || a.Interrupt.Message != asked.Message || string(a.Interrupt.ResponseSchema) != string(asked.ResponseSchema) {
		t.Errorf("question = %+v, want %+v", a.Interrupt, asked)
	}
	if a.Status != "resolved" || !strings.Contains(string(a.Payload), `"M"`) || !a.AnsweredAt.Equal(answeredAt) || a.AfterMessageID != last {
		t.Errorf("answer = %+v, want M, now, behind %s", a, last)
	}

	if _, exported := w.call(http.MethodGet, "/me/export", ""); !strings.Contains(exported, `"answers":[{"interrupt":{"id":"`+asked.ID) {
		t.Errorf("an export has no answers: %s", exported)
	}
	if status, body := w.call(http.MethodDelete, "/threads/t", ""); status != http.StatusNoContent {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	w.post("ask", input("t", "r4", []string{"u1:Hi"}))
	if d, body := w.answers("/threads/t"); len(d.Answers) > 0 {
		t.Errorf("a thread that was made anew has answers: %s", body)
	}
}

func TestAQuestionThatIsSkippedOrExpiresIsShownAsThat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.post("ask", input("skipped", "r1", []string{"u1:Hi"})).interrupts()[0]
	w.post("ask", input("skipped", "r2", nil, `"resume":[{"interruptId":`+quote(asked.ID)+`,"status":"cancelled"}]`)).finished()
	if d, body := w.answers("/threads/skipped"); len(d.Answers) != 1 || d.Answers[0].Status != "cancelled" || d.Answers[0].Payload != nil {
		t.Errorf("a skipped question = %s", body)
	}
	w.post("ask", input("expired", "r1", []string{"u1:Hi"}))
	w.clock.Move(25 * time.Hour)
	w.post("ask", input("expired", "r2", []string{"u2:Hi again"}))
	if d, body := w.answers("/threads/expired"); len(d.Answers) != 1 || d.Answers[0].Status != "expired" {
		t.Errorf("an expired question = %s", body)
	}
}

func TestARunSaysWhereItStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("fails", input("t", "r1", []string{"u1:Hi"}))
	w.post("fails", input("t", "r2", []string{"u1:Hi", "u2:Again"}))
	d, _ := w.answers("/threads/t")
	var got []string
	for _, run := range d.Runs {
		got = append(got, run.Status+" "+run.AfterMessageID+" "+run.LastMessageID)
	}
	said := w.thread("t").Messages // u1, what the first run said, u2, what the second said
	if diff := cmp.Diff([]string{"error u2 " + said[3].ID, "error u1 " + said[1].ID}, got); diff != "" {
		t.Error(diff)
	}
}
