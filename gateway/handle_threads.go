package gateway

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// thread finds a request's thread: the principal's with this id, and the query's agent if there are several.
func (g *Gateway) thread(r *http.Request) (state.Key, error) {
	keys, err := g.store.Find(r.Context(), route.Principal(r), r.PathValue("id"))
	if err != nil {
		return state.Key{}, route.StoreError(err)
	}
	hidden := g.hiddenFrom(r)
	keys = slices.DeleteFunc(keys, func(k state.Key) bool { return slices.Contains(hidden, k.Agent) })
	if agent := r.URL.Query().Get("agent"); agent != "" {
		for _, k := range keys {
			if k.Agent == agent {
				return k, nil
			}
		}
		keys = nil
	}
	switch len(keys) {
	case 0:
		return state.Key{}, &errcode.Error{Code: errcode.NotFound, Err: state.ErrUnknownThread}
	case 1:
		return keys[0], nil
	default:
		return state.Key{}, &errcode.Error{Code: errcode.AmbiguousThread}
	}
}

// ofThread returns a handler that calls answer with the thread of the request.
func (g *Gateway) ofThread(answer func(http.ResponseWriter, *http.Request, state.Key) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, err := g.thread(r)
		if err != nil {
			return err
		}
		return answer(w, r, key)
	}
}

const (
	// maxSearch bounds the bytes of search words.
	maxSearch = 200
	// listScanLimit bounds the threads that one list request examines. A filtered list gets the matches and a cursor.
	listScanLimit = 1000
)

// listThreads is GET /threads.
func (g *Gateway) listThreads(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	query := state.Query{
		Principal: route.Principal(r), Agent: q.Get("agent"), Status: state.Status(q.Get("status")), Text: q.Get("q"),
		Cursor: q.Get("cursor"), Look: listScanLimit,
	}
	if len(query.Text) > maxSearch {
		return route.InvalidQuery("q", "is longer than 200 bytes")
	}
	switch query.Status {
	case "", state.StatusIdle, state.StatusRunning, state.StatusInterrupted, state.StatusFailed:
	default:
		return route.InvalidQuery("status", "must be idle, running, interrupted or failed")
	}
	var err error
	if query.Limit, err = route.Limit(q, 20, 100); err != nil {
		return err
	}
	query.Without = g.hiddenFrom(r)
	page, err := g.store.List(r.Context(), query)
	if err != nil {
		return route.StoreError(err)
	}
	list := []threadSummary{}
	for _, t := range page.Threads {
		list = append(list, threadSummary{
			ID: t.Key.ID, Agent: t.Key.Agent, Status: t.Status, Title: t.Title,
			CreatedAt: route.Timestamp(t.CreatedAt), UpdatedAt: route.Timestamp(t.UpdatedAt), Calls: t.Calls,
		})
	}
	route.Answer(w, http.StatusOK, struct {
		Threads []threadSummary `json:"threads"`
		Next    string          `json:"nextCursor,omitempty"`
	}{list, page.Next})
	return nil
}

// threadSummary is a thread in a listing; threadDocument adds the rest. Absent fields are left out.
type threadSummary struct {
	ID        string          `json:"id"`
	Agent     string          `json:"agent"`
	Status    state.Status    `json:"status"`
	Title     string          `json:"title,omitempty"`
	CreatedAt route.Timestamp `json:"createdAt"`
	UpdatedAt route.Timestamp `json:"updatedAt"`
	Calls     int             `json:"waitingCalls,omitempty"` // of a page's tools, in listings
}

type threadDocument struct {
	threadSummary
	State      any                        `json:"state"`
	Messages   json.RawMessage            `json:"messages"`
	Interrupts agui.List[agui.Interrupt]  `json:"interrupts"`
	Answers    []answerDocument           `json:"answers,omitempty"`
	OpenCalls  agui.List[agui.ToolCall]   `json:"openCalls"`
	Runs       []runDocument              `json:"runs"`
	Usage      agui.List[agui.TokenUsage] `json:"usage,omitempty"`
	Cost       *float64                   `json:"cost,omitempty"`
}

type runDocument struct {
	RunID       string          `json:"runId"`
	Number      int             `json:"number"`
	ParentRunID string          `json:"parentRunId,omitempty"`
	Status      state.RunStatus `json:"status"`
	Code        errcode.Code    `json:"code,omitempty"`
	Message     string          `json:"message,omitempty"` // what readers were sent about its failure
	StartedAt   route.Timestamp `json:"startedAt"`
	EndedAt     route.Timestamp `json:"endedAt,omitzero"`
	// the last message of the conversation when the run began
	After string   `json:"afterMessageId,omitempty"`
	Last  string   `json:"lastMessageId,omitempty"` // the last that it added
	Cost  *float64 `json:"cost,omitempty"`
}

// showThreadJSON is GET /threads/{id}: the thread as committed.
func (g *Gateway) showThreadJSON(w http.ResponseWriter, r *http.Request, key state.Key) error {
	s, err := g.store.Snapshot(r.Context(), key)
	if err != nil {
		return route.StoreError(err)
	}
	d, err := documentOf(s)
	if err != nil {
		return err
	}
	shown, err := window(r.URL.Query(), s.Messages)
	if err != nil {
		return err
	}
	linked, err := wantsFileLinks(r)
	if err != nil {
		return err
	}
	if linked {
		if shown, err = linkedConversation(wire.Links{Thread: key.ID, Agent: key.Agent}, shown); err != nil {
			return err
		}
	}
	d.Messages = shown.JSON()
	route.Answer(w, http.StatusOK, d)
	return nil
}

// linkedConversation is a conversation with links in the place of files.
func linkedConversation(links wire.Links, stored state.Conversation) (state.Conversation, error) {
	linked := make(state.Conversation, len(stored))
	for i := range stored {
		var err error
		if linked[i], err = linkedMessage(links, stored[i]); err != nil {
			return nil, err
		}
	}
	return linked, nil
}

// documentOf returns the public form of a thread, without its messages.
func documentOf(s *state.Snapshot) (*threadDocument, error) {
	t := s.Thread
	d := &threadDocument{
		threadSummary: threadSummary{
			ID: t.Key.ID, Agent: t.Key.Agent, Status: statusOfThread(t, s.Interrupts), Title: t.Title,
			CreatedAt: route.Timestamp(t.CreatedAt), UpdatedAt: route.Timestamp(t.UpdatedAt),
		},
		State: frame.Object(s.State), Interrupts: s.Interrupts, Runs: []runDocument{}, Usage: t.Usage, Cost: t.Cost,
	}
	var err error
	if d.OpenCalls, err = openCalls(t, s.Messages); err != nil {
		return nil, err
	}
	for _, run := range s.Runs {
		d.Runs = append(d.Runs, documentOfRun(run))
	}
	for i := range s.Answered {
		d.Answers = append(d.Answers, documentOfAnswer(&s.Answered[i]))
	}
	return d, nil
}

func documentOfRun(run state.Run) runDocument {
	doc := runDocument{
		RunID: run.RunID, Number: run.Number, ParentRunID: run.ParentRunID, Status: run.Status, Code: run.Code,
		StartedAt: route.Timestamp(run.StartedAt), EndedAt: route.Timestamp(run.EndedAt),
		After: run.After, Last: run.LastMessage, Cost: run.Cost,
	}
	if run.Status == state.RunError {
		doc.Message = cmp.Or(run.Text, run.Code.Message())
	}
	return doc
}

// statusOfThread is the status of a loaded thread.
func statusOfThread(t *state.Thread, interrupts []agui.Interrupt) state.Status {
	switch {
	case t.Live != nil:
		return state.StatusRunning
	case len(interrupts) > 0:
		return state.StatusInterrupted
	case t.Failed:
		return state.StatusFailed
	default:
		return state.StatusIdle
	}
}

// openCalls are the frontend calls that wait, as the messages that made them have them.
func openCalls(t *state.Thread, messages state.Conversation) ([]agui.ToolCall, error) {
	open := map[string]bool{}
	for _, c := range t.OpenCalls() {
		open[c.ID] = true
	}
	var calls []agui.ToolCall
	for _, stored := range messages {
		if !slices.ContainsFunc(stored.Calls, func(id string) bool { return open[id] }) {
			continue
		}
		m, err := stored.Message()
		if err != nil {
			return nil, err
		}
		for _, c := range m.ToolCalls {
			if open[c.ID] {
				calls = append(calls, c)
			}
		}
	}
	return calls, nil
}

// window returns the part of messages that ?limit= and ?before=<message id> select: the last ones before that id.
func window(q url.Values, messages state.Conversation) (state.Conversation, error) {
	n, err := route.Limit(q, len(messages), 0)
	if err != nil {
		return nil, err
	}
	end := len(messages)
	if before := q.Get("before"); before != "" {
		end = -1
		for i, m := range messages {
			if m.ID == before {
				end = i
			}
		}
		if end < 0 {
			return nil, &errcode.Error{Code: errcode.NotFound, Err: state.ErrUnknownMessage}
		}
	}
	return messages[max(0, end-n):end], nil
}
