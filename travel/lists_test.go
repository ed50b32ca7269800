package travel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
)

// A page shows the options on the question's card. If the state or the text had them too, it would show each of them
// twice; so the state waits for the answer, and the text only counts them.
func TestOptionsAreOnTheCardAloneUntilTheAnswer(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	check := func(events []agui.Event, flights, hotels int) {
		t.Helper()
		if got := len(at[[]any](th, "/flights")); got != flights {
			t.Errorf("/flights holds %d options, want %d", got, flights)
		}
		if got := len(at[[]any](th, "/hotels")); got != hotels {
			t.Errorf("/hotels holds %d options, want %d", got, hotels)
		}
		for _, i := range th.open {
			var value struct{ Options []map[string]string }
			th.must(json.Unmarshal(i.Metadata["value"], &value))
			for _, option := range value.Options {
				for _, fact := range []string{"price", "duration", "price_per_night", "rating"} {
					if v := option[fact]; v != "" && strings.Contains(strings.Join(texts(events), "\n"), v) {
						t.Errorf("the text repeats %q", v)
					}
				}
			}
		}
	}
	check(th.say("Plan my trip"), 0, 0)
	check(th.answer(klm), 2, 0)
	check(th.answer(zoe), 2, 3)
}

// The options and the choice among them are one change: no reader sees one without the other.
func TestOptionsAndChoiceAreOneDelta(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	th.say("Plan my trip")
	for _, step := range []struct {
		answer string
		want   []string
	}{
		{klm, []string{"/flights", "/itinerary/flight", "/planning_step"}},
		{zoe, []string{"/hotels", "/itinerary/hotel", "/planning_step"}},
	} {
		if diff := cmp.Diff(step.want, firstChange(th.answer(step.answer))); diff != "" {
			t.Errorf("the choice changes (-want +got):\n%s", diff)
		}
	}
}

// A plan that was left at its first question is gone on with, although the state holds no flights yet.
func TestAPlanGoesOnAfterItsFirstQuestionWasCancelled(t *testing.T) {
	t.Parallel()
	th := newThread(t)
	th.say("Plan my trip")
	th.cancel()
	events := th.say("Go on, please")
	if got := texts(events)[0]; !strings.HasPrefix(got, "Let us go on with your trip from Amsterdam to San Francisco.") {
		t.Errorf("the supervisor says %q", got)
	}
	if len(th.open) != 1 {
		t.Errorf("%d questions are open, want 1", len(th.open))
	}
}

// texts are the messages of a run.
func texts(events []agui.Event) []string {
	var all []string
	at := map[string]int{}
	for _, e := range events {
		switch e := e.(type) {
		case *agui.TextMessageStart:
			at[e.MessageID] = len(all)
			all = append(all, "")
		case *agui.TextMessageContent:
			all[at[e.MessageID]] += e.Delta
		}
	}
	return all
}

// firstChange is what the first delta of a run changes.
func firstChange(events []agui.Event) []string {
	var paths []string
	for _, e := range events {
		if d, ok := e.(*agui.StateDelta); ok {
			for _, op := range d.Delta {
				paths = append(paths, op.Path)
			}
			break
		}
	}
	return paths
}
