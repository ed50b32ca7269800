package travel_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/travel/internal/catalogue"
)

var update = flag.Bool("update", false, "write the golden conversations anew")

// Each archive in testdata is a conversation. Its files say, answer, cancel and state (what the caller writes)
// are requests in order; the file events after each holds what the team made of it.
func TestConversations(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: golden.Comment, Files: converse(t, golden.Files)}
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(golden)), string(txtar.Format(got))); diff != "" {
				t.Errorf("the conversation differs (-want +got):\n%s", diff)
			}
		})
	}
}

// converse makes the requests and puts the events behind each.
func converse(t *testing.T, files []txtar.File) []txtar.File {
	th := newThread(t)
	var out []txtar.File
	for _, f := range files {
		text := strings.TrimSpace(string(f.Data))
		var events []agui.Event
		switch f.Name {
		case "events":
			continue
		case "state":
			th.state = json.RawMessage(text)
			out = append(out, f)
			continue
		case "say":
			events = th.say(text)
		case "answer":
			events = th.answer(text)
		case "cancel":
			events = th.cancel()
		default:
			t.Fatalf("unknown file %q", f.Name)
		}
		out = append(out, f, txtar.File{Name: "events", Data: []byte(describe(t, events))})
	}
	return out
}

// describe writes events for people, a message as one line.
func describe(t reporter, events []agui.Event) string {
	var b strings.Builder
	texts := map[string]*strings.Builder{}
	for _, e := range events {
		fields := ""
		switch e := e.(type) {
		case *agui.TextMessageStart:
			texts[e.MessageID] = &strings.Builder{}
			continue
		case *agui.TextMessageContent:
			texts[e.MessageID].WriteString(e.Delta)
			continue
		case *agui.TextMessageEnd:
			fmt.Fprintf(&b, "TEXT_MESSAGE %q\n", texts[e.MessageID].String())
			continue
		case *agui.MessagesSnapshot:
			fields = fmt.Sprintf("%d messages", len(e.Messages))
		case *agui.StepStarted:
			fields = e.StepName
		case *agui.StepFinished:
			fields = e.StepName
		case *agui.SubagentStarted:
			fields = e.Name
		case *agui.SubagentFinished:
			if e.Outcome != nil {
				fields = string(e.Outcome.Type)
			}
		case *agui.StateSnapshot:
			fields = summary(t, e.Snapshot)
		case *agui.StateDelta:
			fields = compact(t, e.Delta)
		case *agui.RunFinished:
			fields = ending(t, e.Outcome)
		}
		b.WriteString(strings.TrimSpace(string(agui.TypeOf(e))+" "+fields) + "\n")
	}
	return b.String()
}

// summary is a state in short. What it holds in full the deltas show.
func summary(t reporter, raw json.RawMessage) string {
	var s struct {
		Origin, Destination          string
		Flights, Hotels, Experiences []any
		Itinerary                    struct {
			Flight catalogue.Flight
			Hotel  catalogue.Hotel
		}
		PlanningStep string `json:"planning_step"`
		ActiveAgent  string `json:"active_agent"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s to %s, %d flights (%s), %d hotels (%s), %d experiences, %s, %s", s.Origin, s.Destination, len(s.Flights),
		s.Itinerary.Flight.Airline, len(s.Hotels), s.Itinerary.Hotel.Name, len(s.Experiences), s.PlanningStep, s.ActiveAgent)
}

// ending is an outcome in short: a question with the names of what there is to choose, the recommended one
// marked.
func ending(t reporter, o *agui.Outcome) string {
	line := string(o.Type)
	for _, i := range o.Interrupts {
		var value struct {
			Options        []map[string]string
			Recommendation map[string]string
			Agent          string
		}
		if err := json.Unmarshal(i.Metadata["value"], &value); err != nil {
			t.Fatal(err)
		}
		line += fmt.Sprintf(" %s of %s: %q", i.ID, value.Agent, i.Message)
		for _, option := range value.Options {
			name := option["airline"] + option["name"]
			if name == value.Recommendation["airline"]+value.Recommendation["name"] {
				name += "*"
			}
			line += fmt.Sprintf(" [%s]", name)
		}
	}
	return line
}

func compact(t reporter, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
