package teamfile

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/agui-gateway/gateway/groupchat/groupchattest"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/groupchat/thread"
	"github.com/agui-gateway/gateway/model"
)

// TestHTTPToolsWork lets the agent of the manual ask two real servers.
func TestHTTPToolsWork(t *testing.T) {
	t.Parallel()
	const key = "tables-key-123456"
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.String()+" "+string(body))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"forecast":["rain","sun"],"page":"<b>"}`)
		case r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Idempotency-Key") == "":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = io.WriteString(w, `{"booked":true,"by":"`+key+`"}`)
		}
	}))
	t.Cleanup(server.Close)
	m := modeltest.New(t,
		modeltest.Calls("get_weather", `{"city":"São Paulo","days":2}`, "get_weather", `{"city":"../admin"}`, "get_weather", `{"days":2}`),
		modeltest.Calls("book_table", `{"restaurant":"Zoe","guests":2,"note":"window"}`), modeltest.Text("Booked."))
	var log bytes.Buffer
	o := testOptions(map[string]string{"OPENAI_API_KEY": "k", "WEATHER_URL": server.URL, "TABLES_URL": server.URL, "TABLES_KEY": key})
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	o.Substitutes.Model = func(string, model.Model) model.Model { return m }
	team, err := parse("team.yaml", []byte(manual(t, "book_table")), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = team.Close() })
	th := groupchattest.NewThread(t, team.Agents["concierge"], groupchattest.Options{Options: thread.Options{Log: o.Log}})
	run := th.Say("Book us a table if it does not rain.")
	if len(run.Questions) != 1 || len(asked) != 1 {
		t.Fatalf("%d questions after the requests %q, want one question and one request", len(run.Questions), asked)
	}
	told := requestText(t, m, 1)
	wantIn(t, "the model's request", told, `["rain","sun"]`, "was not made", "city")
	if strings.Contains(told, "<b>") {
		t.Errorf("the model is told what was not selected: %s", told)
	}
	th.Approve("book_table")
	want := []string{"GET /v1/cities/S%C3%A3o%20Paulo?days=2 ", `POST /restaurants/Zoe/bookings?channel=chat {"guests":2,"note":"window"}`}
	if len(asked) != 2 || asked[0] != want[0] || asked[1] != want[1] {
		t.Errorf("the servers were asked %q, want %q", asked, want)
	}
	last := m.Requests()[2].Last()
	if !strings.Contains(last, `"booked":true`) || strings.Contains(last, key) || strings.Contains(log.String(), key) {
		t.Errorf("the model is told %s, the log %s", last, log.String())
	}
}
