package copilotkit

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

type listedThread struct {
	ID             string          `json:"id"`
	Name           *string         `json:"name"` // null if there is none
	AgentID        string          `json:"agentId"`
	OrganizationID string          `json:"organizationId"`
	CreatedByID    string          `json:"createdById"`
	Archived       bool            `json:"archived"`
	CreatedAt      route.Timestamp `json:"createdAt"`
	UpdatedAt      route.Timestamp `json:"updatedAt"`
}

// listThreads shows the principal's own threads, newest first.
func (h *Handler) listThreads(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	const most = 100
	size, err := route.Limit(q, most, most)
	if err != nil {
		size = most // the runtime treats a limit that is not valid as none
	}
	page, err := h.o.Store.List(r.Context(), state.Query{
		Principal: route.Principal(r), Agent: q.Get("agentId"), Limit: size, Cursor: q.Get("cursor"),
		Without: h.o.Service.Hidden(r),
	})
	if err != nil {
		return route.StoreError(err)
	}
	list := []listedThread{}
	for _, t := range page.Threads {
		listed := listedThread{ID: t.Key.ID, AgentID: t.Key.Agent, CreatedAt: route.Timestamp(t.CreatedAt),
			UpdatedAt: route.Timestamp(t.UpdatedAt)}
		if t.Title != "" {
			listed.Name = &t.Title
		}
		list = append(list, listed)
	}
	var next *string
	if page.Next != "" {
		next = &page.Next
	}
	route.Answer(w, http.StatusOK, map[string]any{"threads": list, "nextCursor": next})
	return nil
}

// load returns the thread that a request names, or nil if there is none. The paths do not name the agent; of
// several threads with one id load returns the newest, unless ?agentId= names the agent.
func (h *Handler) load(r *http.Request) (*state.Thread, error) {
	keys, err := h.o.Store.Find(r.Context(), route.Principal(r), r.PathValue("thread"))
	if err != nil {
		return nil, route.StoreError(err)
	}
	var threads []*state.Thread
	agent, hidden := r.URL.Query().Get("agentId"), h.o.Service.Hidden(r)
	for _, key := range keys {
		if agent != "" && key.Agent != agent || slices.Contains(hidden, key.Agent) {
			continue
		}
		t, _, err := h.o.Store.Load(r.Context(), key)
		if errors.Is(err, state.ErrUnknownThread) {
			continue
		}
		if err != nil {
			return nil, route.StoreError(err)
		}
		threads = append(threads, t)
	}
	if len(threads) == 0 {
		return nil, nil
	}
	return slices.MaxFunc(threads, func(a, b *state.Thread) int {
		return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(b.Key.Agent, a.Key.Agent))
	}), nil
}

// listedMessage is a message in the form of CopilotKit's inspector.
type listedMessage struct {
	ID         string        `json:"id"`
	Role       agui.Role     `json:"role"`
	Content    *agui.Content `json:"content,omitempty"`
	ToolCalls  []listedCall  `json:"toolCalls,omitempty"`
	ToolCallID string        `json:"toolCallId,omitempty"`
}

type listedCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// showMessages shows a thread's conversation as committed.
func (h *Handler) showMessages(w http.ResponseWriter, r *http.Request) error {
	t, err := h.load(r)
	if err != nil {
		return err
	}
	list := []listedMessage{}
	if t != nil {
		stored, err := h.o.Store.Messages(r.Context(), t.Key, -1)
		if err != nil {
			return route.StoreError(err)
		}
		messages, err := stored.Messages()
		if err != nil {
			return err
		}
		for _, m := range messages {
			list = append(list, listed(m))
		}
	}
	route.Answer(w, http.StatusOK, map[string]any{"messages": list})
	return nil
}

func listed(m agui.Message) listedMessage {
	l := listedMessage{ID: m.ID, Role: m.Role, ToolCallID: m.ToolCallID}
	if !m.Content.IsZero() {
		l.Content = &m.Content
	}
	for _, c := range m.ToolCalls {
		l.ToolCalls = append(l.ToolCalls, listedCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return l
}

// showState shows a thread's state as committed, or null before the first commit.
func (h *Handler) showState(w http.ResponseWriter, r *http.Request) error {
	t, err := h.load(r)
	if err != nil {
		return err
	}
	var shown json.RawMessage
	if t != nil {
		if shown, err = h.o.Store.State(r.Context(), t.Key, -1); err != nil {
			return route.StoreError(err)
		}
		if shown == nil && t.Live == nil {
			shown = json.RawMessage("{}") // the runs have ended without changes
		}
	}
	route.Answer(w, http.StatusOK, map[string]any{"state": shown})
	return nil
}

// showEvents streams the events in the log of a thread, in the form for clients of version 0.x.
func (h *Handler) showEvents(w http.ResponseWriter, r *http.Request) error {
	t, err := h.load(r)
	if err != nil {
		return err
	}
	kept := false
	if t != nil && !t.Last.IsZero() {
		if kept, err = h.o.Store.Holds(r.Context(), t.Key, t.Last); err != nil {
			return route.StoreError(err)
		}
	}
	if !kept {
		route.Answer(w, http.StatusOK, map[string]any{"events": []string{}})
		return nil
	}
	return writeEvents(w, h.o.Service.Events(r, t))
}

// writeEvents writes {"events": [...]}. An error before the first event is returned with nothing written.
func writeEvents(w http.ResponseWriter, events iter.Seq2[json.RawMessage, error]) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	before := `{"events":[`
	for event, err := range events {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, before+string(event)); err != nil {
			return route.ReaderGone(err)
		}
		before = ","
	}
	after := "]}\n"
	if before != "," { // no event was written
		after = before + after
	}
	_, err := io.WriteString(w, after)
	return route.ReaderGone(err)
}
