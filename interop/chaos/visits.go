package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// A visit is what somebody does with one thread of a soak.
type visit struct {
	*reader
	site *site
}

// A pastime is a kind of visit.
type pastime struct {
	name, agent string
	play        func(*visit, context.Context) error
	asks        bool // the thread is left with a question, which keeps it for a day
}

var pastimes = []pastime{
	{"trip", "travel", (*visit).travels, false},
	{"asked", "travel", (*visit).leavesTheQuestion, true},
	{"late", "late", (*visit).answersLate, true},
	{"stopped", "long", (*visit).stops, false},
	{"joined", "long", (*visit).joins, false},
	{"hung-up", "long", (*visit).hangsUp, false},
	{"deleted", "long", (*visit).deletes, false},
	{"forked", "travel", (*visit).forks, true},
	{"uploaded", "talker", (*visit).uploads, false},
	{"remote", "upstream", (*visit).talks, false},
	{"talked", "talker", (*visit).talks, false},
}

// travels plans a trip, and patches its state before the last answer.
func (v *visit) travels(ctx context.Context) error {
	t := &trip{reader: v.reader, think: func() error {
		return v.ask(ctx, http.MethodPatch, "/state", fmt.Sprintf(`{"origin":%q}`, v.thread), nil)
	}}
	return errors.Join(t.take(ctx), v.patched(ctx))
}

// says sends the first message of the thread.
func (v *visit) says(ctx context.Context, message agui.Message) (agui.Event, error) {
	v.messages = []agui.Message{message}
	return v.run(ctx, &agui.RunAgentInput{RunID: v.thread, Messages: v.messages})
}

// readQuestion has the agent ask one question, and returns it.
func (v *visit) readQuestion(ctx context.Context) (agui.Interrupt, error) {
	end, err := v.says(ctx, user("Plan my trip"))
	if err != nil {
		return agui.Interrupt{}, err
	}
	open := questions(end)
	if len(open) != 1 {
		return agui.Interrupt{}, fmt.Errorf("it asks nothing, and ends with %+v", end)
	}
	return open[0], nil
}

// leavesTheQuestion never answers.
func (v *visit) leavesTheQuestion(ctx context.Context) error {
	_, err := v.readQuestion(ctx)
	return err
}

// answersLate answers when the time for that is over.
func (v *visit) answersLate(ctx context.Context) error {
	question, err := v.readQuestion(ctx)
	if err != nil {
		return err
	}
	over, err := time.Parse(time.RFC3339, question.ExpiresAt)
	if err != nil {
		return err
	}
	time.Sleep(time.Until(over) + 100*time.Millisecond)
	answer := agui.ResumeEntry{InterruptID: question.ID, Status: agui.ResumeResolved, Payload: json.RawMessage(`"yes"`)}
	end, err := v.run(ctx,
		&agui.RunAgentInput{RunID: v.thread + "-answer", Messages: v.messages, Resume: []agui.ResumeEntry{answer}})
	if err == nil && codeOf(end) != string(errcode.InterruptExpired) {
		err = fmt.Errorf("the late answer ends with %+v", end)
	}
	return err
}

// beginRun lets the run begin, and returns what waits for its end.
func (v *visit) beginRun(ctx context.Context) (wait func() (agui.Event, error), err error) {
	done := make(chan ended, 1)
	go func() {
		end, err := v.says(ctx, user("Tell"))
		done <- ended{end, err}
	}()
	wait = func() (agui.Event, error) {
		end := <-done
		return end.event, end.err
	}
	soon, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	for {
		if _, err := v.fetchOnce(soon); err == nil {
			return wait, nil
		}
		select {
		case <-soon.Done():
			_, err := wait()
			return nil, fmt.Errorf("the run does not begin: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stops stops a run in the middle.
func (v *visit) stops(ctx context.Context) error {
	wait, err := v.beginRun(ctx)
	if err != nil {
		return err
	}
	var answer struct{ Stopped bool }
	err = v.ask(ctx, http.MethodPost, "/stop", "{}", &answer)
	_, waited := wait()
	if err := errors.Join(err, waited); err != nil {
		return err
	}
	d, err := v.fetch(ctx)
	if err == nil && answer.Stopped && d.Runs[0].Status != "cancelled" {
		err = fmt.Errorf("it was stopped, and its runs are %+v", d.Runs)
	}
	return err
}

// joins has two others read along: one leaves and comes back, the other stays for what follows, and leaves at the end.
func (v *visit) joins(ctx context.Context) error {
	wait, err := v.beginRun(ctx)
	if err != nil {
		return err
	}
	leaver, stayer := v.site.reader(v.agent, v.thread), v.site.reader(v.agent, v.thread)
	leaver.leave, stayer.stay = 5, true
	left, stayed := make(chan error, 1), make(chan error, 1)
	go func() {
		end, err := leaver.follow(ctx)
		if errors.Is(err, errLeft) {
			end, err = leaver.back(ctx)
		}
		left <- leaver.whole(ctx, end, err)
	}()
	go func() {
		end, err := stayer.follow(ctx)
		stayed <- stayer.whole(ctx, end, err)
	}()
	end, err := wait()
	if err := errors.Join(v.whole(ctx, end, err), <-left, <-stayed); err != nil {
		return err
	}
	return errors.Join(v.ask(ctx, http.MethodGet, "/runs/1/events", "", nil),
		v.ask(ctx, http.MethodGet, "/runs/1/trace", "", nil))
}

// whole checks that a reader has seen a run succeed, and all of it.
func (r *reader) whole(ctx context.Context, end agui.Event, err error) error {
	if err != nil {
		return err
	}
	if !succeeded(end) {
		return fmt.Errorf("it ends with %+v", end)
	}
	_, err = r.agrees(ctx)
	return err
}

// hangsUp hangs up in the middle of a run without other readers.
func (v *visit) hangsUp(ctx context.Context) error {
	v.leave = 5
	if _, err := v.says(ctx, user("Tell")); err != nil && !errors.Is(err, errLeft) {
		return err
	}
	return nil
}

// deletes deletes the thread in the middle of a run.
func (v *visit) deletes(ctx context.Context) error {
	wait, err := v.beginRun(ctx)
	if err != nil {
		return err
	}
	err = v.ask(ctx, http.MethodDelete, "", "", nil)
	_, waited := wait()
	return errors.Join(err, waited)
}

// forks forks the thread, and deletes the fork.
func (v *visit) forks(ctx context.Context) error {
	if _, err := v.readQuestion(ctx); err != nil {
		return err
	}
	var fork struct{ ID string }
	if err := v.ask(ctx, http.MethodPost, "/fork", `{"messageId":"u1"}`, &fork); err != nil {
		return err
	}
	other := &visit{v.site.reader(v.agent, fork.ID), v.site}
	other.client = v.client
	_, err := other.fetch(ctx)
	return errors.Join(err, other.ask(ctx, http.MethodDelete, "", "", nil))
}

// pixel is a PNG of one.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// uploads sends a file with the message, and reads it again.
func (v *visit) uploads(ctx context.Context) error {
	message := user("")
	message.Content = agui.PartsContent(
		agui.Part{Type: agui.PartText, Text: "What is this?"},
		agui.Part{Type: agui.PartImage,
			Source: &agui.Source{Type: agui.SourceData, Value: pixel, MimeType: "image/png"}},
	)
	if err := v.talksOf(ctx, message); err != nil {
		return err
	}
	return v.ask(ctx, http.MethodGet, "/messages/"+message.ID+"/files/1", "", nil)
}

// talks has one run of an agent that speaks through a model, here or at another server.
func (v *visit) talks(ctx context.Context) error { return v.talksOf(ctx, user("Tell me about it")) }

func (v *visit) talksOf(ctx context.Context, message agui.Message) error {
	end, err := v.says(ctx, message)
	return v.whole(ctx, end, err)
}

// ask sends a request about the thread until it is answered. A thread that is to be deleted may be gone.
func (v *visit) ask(ctx context.Context, method, path, body string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	for {
		status, err := (&errand{reader: v.reader}).askAt(ctx, v.where(), method, path, body, answer)
		switch {
		case err == nil && status/100 == 2, method == http.MethodDelete && status == http.StatusNotFound:
			return nil
		case status/100 == 4:
			return fmt.Errorf("%s %s is %d", method, path, status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s has no answer: %d, %w", method, path, status, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
