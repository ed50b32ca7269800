package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// killEvery is how often a replica is killed, and duringRun the least share of kills, in per cent, that hit a run.
const (
	killEvery = 2 * time.Second
	duringRun = 20
)

// kills plays trips of three runs while replicas are killed and started again.
func kills(ctx context.Context, f *fleet, size size) *result {
	out := &result{}
	reading := out.readers()
	var trips sync.WaitGroup
	travelled := make(chan struct{})
	for i := range size.threads {
		trips.Go(func() {
			time.Sleep(time.Duration(i) * size.kills / time.Duration(size.threads))
			t := &trip{reader: reading.reader(f, "travel", fmt.Sprintf("trip-%d", i))}
			if err := t.take(ctx); err != nil {
				out.stats.problem("%s: %v", t.thread, err)
			}
		})
	}
	go func() {
		trips.Wait()
		close(travelled)
	}()
	killed, during, err := kill(ctx, f, travelled, size.kills)
	if err != nil {
		out.stats.problem("%v", err)
	}
	<-travelled
	out.add("%d threads of three runs; kills %d, during a run %d; takeovers %d", size.threads, killed, during,
		f.takeovers.Load())
	if killed == 0 || during*100 < killed*duringRun {
		out.stats.problem("%d of %d kills hit a run: that shows too little", during, killed)
	}
	threads := make([]string, size.threads)
	for i := range threads {
		threads[i] = fmt.Sprintf("trip-%d", i)
	}
	out.checkTrips(f, threads)
	return out
}

// checkTrips compares the bookings of trips with the answers that their threads give.
func (r *result) checkTrips(f *fleet, threads []string) {
	r.checkBookings(f, func(l *ledger) (duplicates, missing int) {
		for _, thread := range threads {
			for item, what := range map[string]string{"flight": airlineOf(thread), "hotel": hotelOf(thread)} {
				more, lacks := l.check(thread, item, what)
				duplicates += more
				if lacks {
					missing++
				}
			}
		}
		return duplicates, missing
	})
}

// kill kills a random replica and starts it again, every other second until the time is over and everybody is back.
func kill(ctx context.Context, f *fleet, travelled <-chan struct{},
	most time.Duration) (killed, during int, err error) {
	ticker := time.NewTicker(killEvery)
	defer ticker.Stop()
	over := time.After(most)
	for {
		select {
		case <-travelled:
			return killed, during, nil
		case <-over:
			return killed, during, nil
		case <-ticker.C:
		}
		r := f.replicas[rand.IntN(len(f.replicas))]
		if r.working(ctx) > 0 {
			during++
		}
		r.kill()
		killed++
		if err := r.start(ctx); err != nil {
			return killed, during, err
		}
	}
}

// A trip is planned in three runs: a flight is chosen, then a hotel, then the experiences come.
type trip struct {
	*reader

	think func() error // if it is not nil: called before the last answer
}

// The answers a thread gives are its name's, so that the ledger can be checked against it.
func airlineOf(thread string) string { return []string{"KLM", "United"}[sum(thread)%2] }

func hotelOf(thread string) string {
	return []string{"Hotel Zephyr", "The Ritz-Carlton", "Hotel Zoe"}[sum(thread)%3]
}

func sum(text string) (n int) {
	for _, c := range text {
		n = n*31 + int(c)
	}
	return n & 0xffff
}

func (t *trip) take(ctx context.Context) error {
	t.messages = []agui.Message{user("Plan my trip")}
	end, err := t.step(ctx, nil)
	if err != nil {
		return err
	}
	for i, answer := range []map[string]string{{"airline": airlineOf(t.thread)}, {"name": hotelOf(t.thread)}} {
		open := questions(end)
		if len(open) != 1 {
			return fmt.Errorf("%d questions are open before the answer %v", len(open), answer)
		}
		payload, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		time.Sleep(rand.N(500 * time.Millisecond)) // somebody thinks
		if i == 1 && t.think != nil {
			if err := t.think(); err != nil {
				return err
			}
		}
		end, err = t.step(ctx,
			[]agui.ResumeEntry{{InterruptID: open[0].ID, Status: agui.ResumeResolved, Payload: payload}})
		if err != nil {
			return err
		}
	}
	if !succeeded(end) {
		return fmt.Errorf("it ends with %+v", end)
	}
	return t.arrived(ctx)
}

// step sends a message or an answer until a run of it comes to an end that is none of the machines' fault.
func (t *trip) step(ctx context.Context, resume []agui.ResumeEntry) (agui.Event, error) {
	const most = 5
	for try := range most {
		id := fmt.Sprintf("%s-%d-%d", t.thread, len(t.messages), try)
		end, err := t.run(ctx, &agui.RunAgentInput{RunID: id, Messages: t.messages, Resume: resume})
		if err != nil {
			return nil, err
		}
		code := codeOf(end)
		if code == "" {
			return end, nil
		}
		t.stats.failure(code)
		if code != string(errcode.RunLost) {
			return nil, fmt.Errorf("RUN_ERROR %s", code)
		}
	}
	return nil, fmt.Errorf("lost %d times", most)
}

// arrived checks the itinerary, and that the reader has seen what the server has.
func (t *trip) arrived(ctx context.Context) error {
	d, err := t.agrees(ctx)
	if err != nil {
		return err
	}
	var state struct {
		Step        string `json:"planning_step"`
		Experiences []json.RawMessage
		Itinerary   struct {
			Flight struct{ Airline string }
			Hotel  struct{ Name string }
		}
	}
	if err := json.Unmarshal(d.State, &state); err != nil {
		return err
	}
	i := state.Itinerary
	right := i.Flight.Airline == airlineOf(t.thread) && i.Hotel.Name == hotelOf(t.thread)
	if !right || state.Step != "complete" || len(state.Experiences) == 0 {
		return fmt.Errorf("the itinerary is wrong: %s", d.State)
	}
	return nil
}
