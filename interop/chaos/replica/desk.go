package main

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/document"
)

// A desk executes bookings, each with a line in the ledger.
type desk struct {
	file    *os.File
	working atomic.Int64 // turns that are being taken
}

// A line is one executed booking. A booking service would execute a key once and answer a repetition with what
// it did the first time; the ledger has every call.
type line struct {
	Key    string `json:"key"`
	Thread string `json:"thread"`
	Item   string `json:"item"`
	What   string `json:"what"`
}

// slow is how long a booking takes before it is executed, and again before its result is known: kills shall hit both.
const slow = 100 * time.Millisecond

// book executes a booking, once per turn and item unless the process dies before the result is recorded.
func (d *desk) book(t *groupchat.Turn, item, what string) error {
	_, err := groupchat.Once(t, "book "+item, func() (bool, error) {
		time.Sleep(slow)
		l := line{Key: t.ID() + " " + item, Thread: t.Input().ThreadID, Item: item, What: what}
		raw, err := json.Marshal(l)
		if err != nil {
			return false, err
		}
		_, err = d.file.Write(append(raw, '\n'))
		time.Sleep(slow)
		return err == nil, err
	})
	return err
}

// booking books what a specialist of the travel team has put into the itinerary.
func (d *desk) booking(next groupchat.Agent) groupchat.Agent {
	return groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		if err := next.Run(ctx, t); err != nil {
			return err
		}
		item, member := "flight", "airline"
		switch t.Path() {
		case "flights_agent":
		case "hotels_agent":
			item, member = "hotel", "name"
		default:
			return nil
		}
		var what string
		if _, err := t.State().Get(document.Pointer("itinerary", item, member), &what); err != nil {
			return err
		}
		return d.book(t, item, what)
	})
}

// counting counts the turns that are being taken.
func (d *desk) counting(next groupchat.Agent) groupchat.Agent {
	return groupchat.AgentFunc(func(ctx context.Context, t *groupchat.Turn) error {
		d.working.Add(1)
		defer d.working.Add(-1)
		return next.Run(ctx, t)
	})
}

// ask asks one question and books the answer.
func (d *desk) ask(_ context.Context, t *groupchat.Turn) error {
	what, err := groupchat.Choose(t, groupchat.Question{Key: "what", Message: "What shall I book?"}, "a", "b")
	if err != nil {
		return err
	}
	if err := d.book(t, "answer", strconv.Quote(what)); err != nil {
		return err
	}
	return groupchat.SayOnce(t, "booked", "Booked.")
}
