package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/agui-gateway/gateway/agui"
)

// racers is how many identical resumes an interrupt is answered by, and abreast how many interrupts at a time.
const (
	racers  = 32
	abreast = 4
)

// races answers interrupts from many tabs at once, through all replicas: each answer is executed once, and every tab
// sees the thread come to its end.
func races(ctx context.Context, f *fleet, size size) *result {
	out := &result{}
	reading := out.readers()
	work := make(chan int)
	var workers sync.WaitGroup
	for range abreast {
		workers.Go(func() {
			for i := range work {
				if err := race(ctx, f, reading, fmt.Sprintf("race-%d", i)); err != nil {
					out.stats.problem("race-%d: %v", i, err)
				}
			}
		})
	}
	for i := range size.interrupts {
		work <- i
	}
	close(work)
	workers.Wait()
	out.add("%d interrupts, each answered by %d identical resumes over %d replicas", size.interrupts, racers, fleetSize)
	out.checkBookings(f, func(l *ledger) (duplicates, missing int) {
		for i := range size.interrupts {
			more, lacks := l.check(fmt.Sprintf("race-%d", i), "answer", `"a"`)
			duplicates += more
			if lacks {
				missing++
			}
		}
		return duplicates + l.repeated, missing // nothing was killed, so nothing has a reason to be executed again
	})
	return out
}

func race(ctx context.Context, f *fleet, reading *readers, thread string) error {
	asker := reading.reader(f, "ask", thread)
	asker.uncut = true
	messages := []agui.Message{user("Book something")}
	end, err := asker.run(ctx, &agui.RunAgentInput{RunID: "ask", Messages: messages})
	if err != nil {
		return err
	}
	open := questions(end)
	if len(open) != 1 {
		return fmt.Errorf("it asks %d questions", len(open))
	}
	resume := []agui.ResumeEntry{{InterruptID: open[0].ID, Status: agui.ResumeResolved,
		Payload: json.RawMessage(`"a"`)}}
	var racing sync.WaitGroup
	start := make(chan struct{})
	for i := range racers {
		racing.Go(func() {
			tab := reading.at(f.replicas[i%fleetSize], "ask", thread)
			tab.uncut = true
			<-start
			end, err := tab.run(ctx, &agui.RunAgentInput{RunID: "answer", Messages: asker.messages, Resume: resume})
			if err == nil && !succeeded(end) {
				err = fmt.Errorf("it ends with %s %+v", codeOf(end), end)
			}
			if err == nil && i < fleetSize {
				_, err = tab.agrees(ctx)
			}
			if err != nil {
				reading.stats.problem("%s, tab %d: %v", thread, i, err)
			}
		})
	}
	close(start)
	racing.Wait()
	return nil
}
