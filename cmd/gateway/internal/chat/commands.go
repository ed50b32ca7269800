package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agui-gateway/gateway/agui/client"
)

var errQuit = errors.New("chat: quit")

// A command is a line of a person's that begins with a slash, and is not sent.
type command struct {
	name, help string
	run        func(s *session, ctx context.Context, rest string) error
}

// commands are filled in by init, because /help lists them.
var commands []command

func init() {
	commands = []command{
		{"help", "list the commands", (*session).help},
		{"answer", "answer the open questions", (*session).answerOpen},
		{"retry", "repeat the last request after a failure", (*session).tryAgain},
		{"state", "show the shared state", (*session).showState},
		{"threads", "list the newest conversations with this agent, at a gateway", (*session).threads},
		{"thread", "show how to continue this conversation later; with an ID continue that one", (*session).change},
		{"new", "begin a new conversation", (*session).newThread},
		{"quit", "leave; Ctrl-C and Ctrl-D do so too",
			func(*session, context.Context, string) error { return errQuit }},
	}
}

// command runs a command. Unknown ones are not sent to the agent.
func (s *session) command(ctx context.Context, text string) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, c := range commands {
		if c.name == name {
			return c.run(s, ctx, strings.TrimSpace(rest))
		}
	}
	s.screen.line("There is no such command; /help lists them. To say something that begins with a slash, write two.",
		wrong)
	return nil
}

func (s *session) help(context.Context, string) error {
	for _, c := range commands {
		s.screen.line("  /"+c.name+strings.Repeat(" ", 10-len(c.name))+c.help, plain)
	}
	s.screen.line("  A line that ends with \\ continues on the next one.", dim)
	return nil
}

func (s *session) answerOpen(ctx context.Context, _ string) error {
	if len(s.questions) == 0 {
		s.screen.line("no question is open", dim)
		return nil
	}
	return s.settle(ctx)
}

func (s *session) tryAgain(ctx context.Context, _ string) error {
	if len(s.messages) == 0 && s.last == "" {
		s.screen.line("nothing was said yet", dim)
		return nil
	}
	s.report(ctx, s.retry(ctx, s.display()))
	return s.settle(ctx)
}

func (s *session) showState(context.Context, string) error {
	var out bytes.Buffer
	if json.Indent(&out, s.state, "", "  ") != nil {
		out.Reset()
		out.WriteString("{}")
	}
	s.screen.line(Clean(out.String()), plain)
	return nil
}

func (s *session) threads(ctx context.Context, _ string) error {
	const most = 20
	list, err := s.o.Client.Threads(ctx, most, nil)
	if errors.Is(err, client.ErrNoThread) {
		s.screen.line("this server has no list of conversations", dim)
		return nil
	}
	if err != nil {
		s.screen.line(s.explain(ctx, err).Error(), wrong)
		return nil
	}
	for _, t := range list {
		s.screen.line("  "+t.UpdatedAt.Local().Format("2006-01-02 15:04")+"  "+line(t.Status, 20)+"  "+line(t.ID, 200)+
			"  "+line(t.Title, 80), plain)
	}
	if len(list) == 0 {
		s.screen.line("there are none yet", dim)
	}
	return nil
}

// change prints the current conversation, or switches to another one.
func (s *session) change(ctx context.Context, id string) error {
	if id == "" {
		s.screen.line(line(s.thread, 200), plain)
		return s.leave()
	}
	s.forget()
	s.o.Thread, s.thread = id, id
	if err := s.begin(ctx); err != nil {
		return err
	}
	return s.continueThread(ctx)
}

func (s *session) newThread(ctx context.Context, _ string) error {
	s.forget()
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.screen.line("a new conversation", dim)
	return nil
}

// forget leaves this conversation for another one.
func (s *session) forget() {
	s.o.Thread, s.thread, s.title, s.last, s.known, s.running = "", "", "", "", false, false
	s.messages, s.state, s.questions = nil, nil, nil
}
