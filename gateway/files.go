package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/attachment"
	"github.com/agui-gateway/gateway/gateway/internal/limit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/state"
)

// admitFiles checks the files of a request's messages before anything is stored, and normalises them. Messages that the
// thread has keep their stored form, because clients resend the whole conversation each time.
func (g *Gateway) admitFiles(ctx context.Context, req *state.Request, agent *servedAgent) error {
	stored := &storedFiles{g: g, ctx: ctx, key: req.Key}
	limits := agent.attachments(g.o.Limits)
	limits.Allowed = g.o.AllowAddresses
	for i, m := range req.Messages {
		admitted, err := limits.Admit(m, stored.linked)
		if stored.err != nil {
			return stored.err
		}
		if err != nil {
			known, failed := stored.has(m.ID)
			switch {
			case failed != nil:
				return failed
			case known:
				continue
			}
			return refusedFile(i, err)
		}
		req.Messages[i] = admitted
	}
	return nil
}

// refusedFile is the error for a request with a refused file in message i.
func refusedFile(i int, err error) error {
	text := fmt.Sprintf("messages[%d].%v.", i, err)
	if errors.Is(err, attachment.ErrTooLarge) {
		return limit.Reached(limit.File, &errcode.Error{Code: errcode.TooLarge, Text: text})
	}
	return &errcode.Error{Code: errcode.InvalidAttachment, Text: text}
}

// storedFiles gives access to the files of a thread and loads them on first use.
type storedFiles struct {
	g        *Gateway
	ctx      context.Context //nolint:containedctx // of the one request that this is for
	key      state.Key
	messages state.Conversation
	read     bool
	err      error // of the store
}

// load reads the thread's messages. A thread that does not exist has none.
func (s *storedFiles) load() error {
	if s.read || s.err != nil {
		return s.err
	}
	messages, err := s.g.store.Messages(s.ctx, s.key, -1)
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		s.err = route.StoreError(err)
		return s.err
	}
	s.messages, s.read = messages, true
	return nil
}

func (s *storedFiles) has(id string) (bool, error) {
	err := s.load()
	return s.index(id) >= 0, err
}

// index returns the place of a message among those of the thread that were read; -1 if it has none.
func (s *storedFiles) index(id string) int {
	return slices.IndexFunc(s.messages, func(m state.StoredMessage) bool { return m.ID == id })
}

// part returns a part of a message of the thread; false if there is none.
func (s *storedFiles) part(id string, n int) (agui.Part, bool) {
	if s.load() != nil || s.index(id) < 0 {
		return agui.Part{}, false
	}
	m, err := s.messages[s.index(id)].Message()
	parts, _ := m.Content.Parts()
	if err != nil || n < 0 || n >= len(parts) {
		return agui.Part{}, false
	}
	return parts[n], true
}

// linked returns the source behind a link to a file of this thread.
func (s *storedFiles) linked(u *url.URL) (agui.Source, bool) {
	steps := strings.Split(u.EscapedPath(), "/")
	if len(steps) != 7 || steps[0] != "" || steps[1] != "threads" || steps[3] != "messages" || steps[5] != "files" {
		return agui.Source{}, false
	}
	thread, err := url.PathUnescape(steps[2])
	message, err2 := url.PathUnescape(steps[4])
	n, err3 := strconv.Atoi(steps[6])
	agent := u.Query().Get("agent")
	if errors.Join(err, err2, err3) != nil || thread != s.key.ID || agent != "" && agent != s.key.Agent {
		return agui.Source{}, false
	}
	p, ok := s.part(message, n)
	if !ok || p.Source == nil {
		return agui.Source{}, false
	}
	return *p.Source, true
}
