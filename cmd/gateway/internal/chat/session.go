package chat

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// Options configures a conversation: the agent and the connection.
type Options struct {
	Client *client.Client
	Agent  string // its name, for people
	Where  string // "at" an address, or "of" a file
	// Thread is the conversation to continue; empty begins a new one.
	Thread string
	// Agents names the server's agents, for the message about an unknown one; nil if they cannot be listed.
	Agents func(context.Context) []string
	// Reads reports whether the agent reads messages as answers; nil: it does not.
	Reads func(context.Context) bool
	// Again is the command that continues the conversation, without -thread; empty if it ends with the program.
	Again string
	// AgainAlso names the flags that Again omits because they may be secret.
	AgainAlso string
	// Kept keeps conversations with servers that keep none; nil does not.
	Kept *Kept
	// Lines reads from a person. If nil, In has a single message, and Out gets the text of the answer only.
	Lines Lines
	In    io.Reader
	Out   io.Writer
	Err   io.Writer // gets messages about the conversation in scripts
	// Colour means that Out supports escape sequences for colours.
	Colour bool
	// Interrupts stop a run.
	Interrupts <-chan os.Signal
	NewID      func() string
}

// ErrStopped is returned for a run of a script that was stopped by an interrupt.
var ErrStopped = errors.New("chat: stopped")

// ErrQuestion is returned if a question is open, and no person is there to answer it.
var ErrQuestion = errors.New("chat: a question is open")

// ErrNothing is returned if the input is empty.
var ErrNothing = errors.New("chat: there is nothing to say; write it to standard input")

type session struct {
	o      Options
	screen *screen
	kind   client.ServerKind

	thread    string
	title     string
	running   bool   // another client's run is live, as of the last check
	known     bool   // the server, or a file, had the conversation
	last      string // last message sent
	messages  []agui.Message
	state     []byte
	questions []question // that are open
}

// Run holds a conversation, or sends a script's input. It returns this package's errors or the cause of ctx.
func Run(ctx context.Context, o Options) error {
	s := &session{o: o, screen: &screen{w: o.Out, colour: o.Colour}, thread: o.Thread}
	s.kind = o.Client.Server(ctx, nil)
	if err := s.begin(ctx); err != nil {
		return err
	}
	if o.Lines == nil {
		return s.script(ctx)
	}
	if err := s.talk(ctx); err != nil {
		return err
	}
	return s.screen.err
}

func (s *session) begin(ctx context.Context) error {
	if s.thread != "" {
		return s.load(ctx)
	}
	s.thread = s.o.NewID()
	return nil
}

// load reads the conversation from the gateway, or from the local storage for other servers.
func (s *session) load(ctx context.Context) error {
	if s.kind != client.ServerGateway {
		return s.loadKept()
	}
	t, err := s.o.Client.Thread(ctx, s.thread, 0, nil)
	if errors.Is(err, client.ErrNoThread) {
		return nil
	}
	if err != nil {
		return s.explain(ctx, err)
	}
	s.known, s.title, s.running = true, t.Title, t.Status == "running"
	s.messages, s.state, s.questions = t.Messages, t.State, nil
	for _, i := range t.Interrupts {
		s.questions = append(s.questions, question{Interrupt: i})
	}
	return nil
}

func (s *session) loadKept() error {
	if s.o.Kept == nil {
		return nil
	}
	r, err := s.o.Kept.read(s.thread)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.known = true
	s.messages, s.state, s.questions = r.Messages, r.State, r.Questions
	return nil
}

// say sends a message and displays the reply. A message that did not reach the server is not added to the conversation.
func (s *session) say(ctx context.Context, text string, d display) ending {
	before := s.messages
	s.last = text
	s.messages = append(slices.Clone(before),
		agui.Message{ID: s.o.NewID(), Role: agui.RoleUser, Content: agui.TextContent(text)})
	end := s.run(ctx, s.input(), d)
	if refused, ok := errors.AsType[*client.Error](end.err); ok &&
		(refused.Fault == client.FaultUnreachable || refused.Fault == client.FaultStatus) {
		s.messages = before
	}
	return end
}

func (s *session) retry(ctx context.Context, d display) ending {
	if n := len(s.messages); n > 0 && s.messages[n-1].Role == agui.RoleUser {
		return s.run(ctx, s.input(), d)
	}
	return s.say(ctx, s.last, d)
}

// reads reports whether the agent reads a message as the answer to the one question that is open.
func (s *session) reads(ctx context.Context) bool {
	return len(s.questions) == 1 && s.kind == client.ServerGateway && s.o.Reads != nil && s.o.Reads(ctx)
}

func (s *session) answer(ctx context.Context, answers []answer, d display) ending {
	in := s.input()
	if err := resume(&in, answers); err != nil {
		return ending{err: err}
	}
	return s.run(ctx, in, d)
}

// input returns a request of the current conversation. A gateway stores it; other servers are sent all of it.
func (s *session) input() agui.RunAgentInput {
	in := agui.RunAgentInput{ThreadID: s.thread, RunID: s.o.NewID(), State: s.state, Messages: s.messages}
	const enough = 2 // the newest one, and the one before, by which a gateway detects what the client has seen
	if s.kind == client.ServerGateway && len(in.Messages) > enough {
		in.Messages = in.Messages[len(in.Messages)-enough:]
	}
	return in
}

// run requests a run, displays it, and updates the conversation from it.
func (s *session) run(ctx context.Context, in agui.RunAgentInput, d display) ending {
	view, document := newView(s.messages, s.state)
	t := &turn{client: s.o.Client, interrupts: s.o.Interrupts, renderer: newRenderer(d, s.o.Agent, s.messages),
		view: view}
	before := compact(document.JSON())
	end := t.run(ctx, in)
	s.messages, s.state, s.known = view.Messages(), document.JSON(), true
	if end.err == nil && end.failed == nil && !end.stopped {
		s.questions = end.questions
	}
	if s.kind == client.ServerGateway && (end.failed != nil || end.err != nil || end.stopped) {
		// After a failed run the gateway knows the open questions; if it is unavailable, the old ones are kept.
		_ = s.load(ctx)
	}
	if err := s.keep(); err != nil {
		t.renderer.note(line(err.Error(), 300))
	}
	if after := compact(s.state); after != before && s.o.Lines != nil {
		s.screen.line("the state has changed; /state shows it", dim)
	}
	return end
}

// keep keeps what the server does not.
func (s *session) keep() error {
	if s.o.Kept == nil || s.kind == client.ServerGateway {
		return nil
	}
	return s.o.Kept.write(record{Thread: s.thread, Messages: s.messages, State: s.state, Questions: s.questions})
}

func (s *session) callOf(id string) (tool, arguments string) {
	for _, m := range s.messages {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return c.Function.Name, cmp.Or(c.Function.Arguments, "{}")
			}
		}
	}
	return "", ""
}
