package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// A threadDocument is a thread as GET /threads/{id} shows it.
type threadDocument struct {
	Status   string            `json:"status"`
	State    json.RawMessage   `json:"state"`
	Messages []json.RawMessage `json:"messages"`
	Runs     []struct {
		Status string `json:"status"`
	} `json:"runs"` // newest first
}

// fetch gets the thread, from whoever answers.
func (r *reader) fetch(ctx context.Context) (*threadDocument, error) {
	ctx, cancel := context.WithTimeout(ctx, hungAfter)
	defer cancel()
	for {
		d, err := r.fetchOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return d, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (r *reader) fetchOnce(ctx context.Context) (*threadDocument, error) {
	request, err := r.request(ctx, http.MethodGet, "/threads/"+r.thread+"?agent="+r.agent, nil)
	if err != nil {
		return nil, err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // decoded
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(response.Status)
	}
	var d threadDocument
	return &d, json.NewDecoder(response.Body).Decode(&d)
}

// agrees checks that what the reader's streams added up to is the thread.
func (r *reader) agrees(ctx context.Context) (*threadDocument, error) {
	d, err := r.fetch(ctx)
	if err != nil {
		return nil, err
	}
	if d.Status == "running" {
		return d, fmt.Errorf("the thread is %s", d.Status)
	}
	if !sameJSON(d.State, r.doc.JSON()) {
		return d, fmt.Errorf("the state is %s, the reader has %s", d.State, r.doc.JSON())
	}
	seen, err := json.Marshal(agui.List[agui.Message](r.view.Messages()))
	if err != nil {
		return d, err
	}
	stored, err := json.Marshal(d.Messages)
	if err != nil {
		return d, err
	}
	if !sameJSON(seen, stored) {
		return d, fmt.Errorf("the messages are %s, the reader has %s", stored, seen)
	}
	return d, nil
}

// sameJSON compares values whatever their members' order.
func sameJSON(a, b []byte) bool {
	return bytes.Equal(canonical(a), canonical(b))
}

func canonical(raw []byte) []byte {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// user is a user's message.
func user(text string) agui.Message {
	return agui.Message{ID: "u1", Role: agui.RoleUser, Content: agui.TextContent(text)}
}

// codeOf is the code of a terminal event that is an error, else empty.
func codeOf(e agui.Event) string {
	if failed, ok := e.(*agui.RunError); ok {
		return failed.Code
	}
	return ""
}

// questions are what a terminal event leaves open.
func questions(e agui.Event) []agui.Interrupt {
	if f, ok := e.(*agui.RunFinished); ok && f.Outcome != nil {
		return f.Outcome.Interrupts
	}
	return nil
}

// succeeded says whether a terminal event is a success.
func succeeded(e agui.Event) bool {
	f, ok := e.(*agui.RunFinished)
	return ok && f.Outcome != nil && f.Outcome.Type == agui.OutcomeSuccess
}
