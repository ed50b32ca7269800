package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// mostShown is the number of messages displayed when a conversation is continued.
const mostShown = 20

// talk is a conversation with a person, until that leaves.
func (s *session) talk(ctx context.Context) error {
	if err := s.o.Client.Probe(ctx, nil); err != nil {
		return s.explain(ctx, err)
	}
	if err := s.continueThread(ctx); err != nil {
		return err
	}
	for {
		text, err := s.message(ctx)
		if err == nil {
			err = s.handleLine(ctx, text)
		}
		if errors.Is(err, ErrLeft) || errors.Is(err, errQuit) {
			return s.leave()
		}
		if err != nil {
			return err
		}
	}
}

// continueThread displays earlier messages and the live run, and asks the open questions.
func (s *session) continueThread(ctx context.Context) error {
	s.greet()
	if s.running {
		s.screen.line("a run is going on; Ctrl-C stops it", dim)
		s.report(ctx, s.run(ctx, s.input(), s.display()))
	}
	return s.settle(ctx)
}

func (s *session) handleLine(ctx context.Context, text string) error {
	switch {
	case text == "":
		return nil
	case strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//"):
		return s.command(ctx, text)
	}
	s.report(ctx, s.say(ctx, strings.TrimPrefix(text, "/"), s.display()))
	return s.settle(ctx)
}

func (s *session) greet() {
	s.screen.line(line(s.o.Agent, 80)+" "+line(s.o.Where, 200), bold)
	s.screen.line("/help lists the commands, Ctrl-C stops a run", dim)
	if s.o.Thread != "" && !s.known {
		s.screen.line("There is no conversation "+line(s.thread, 200)+" yet; it begins with what you say.", dim)
	}
	shown := s.messages
	if len(shown) > mostShown {
		s.screen.line(strings.TrimSpace(fmt.Sprintf("%s (%d earlier messages)", line(s.title, 200),
			len(shown)-mostShown)), dim)
		shown = shown[len(shown)-mostShown:]
	}
	for _, m := range shown {
		s.show(m)
	}
}

func (s *session) show(m agui.Message) {
	r := newRenderer(s.display(), s.o.Agent, s.messages)
	switch m.Role {
	case agui.RoleUser:
		s.screen.line("you: "+Clean(m.Content.Text()), bold)
	case agui.RoleAssistant:
		if text := m.Content.Text(); text != "" {
			r.start(m.ID, textBlock, r.speaker(m.Name, ""))
			r.blocks.add(m.ID, Clean(text))
			r.endText(m.ID)
		}
		for _, c := range m.ToolCalls {
			r.event(&agui.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Function.Name})
			r.event(&agui.ToolCallArgs{ToolCallID: c.ID, Delta: c.Function.Arguments})
			r.event(&agui.ToolCallEnd{ToolCallID: c.ID})
		}
	case agui.RoleTool:
		r.note(r.result(&agui.ToolCallResult{ToolCallID: m.ToolCallID, Content: m.Content,
			Tagged: agui.Tagged{Base: agui.Base{Metadata: m.Metadata}}}))
	case agui.RoleReasoning, agui.RoleActivity, agui.RoleSystem, agui.RoleDeveloper: // not spoken
	}
	r.finish()
}

// report displays the outcome of a run, unless its events have done so.
func (s *session) report(ctx context.Context, end ending) {
	s.screen.fresh()
	switch {
	case end.stopped:
		s.screen.line("stopped", dim)
	case end.err != nil:
		s.screen.line(s.explain(ctx, end.err).Error(), wrong)
	case end.failed != nil:
		s.screen.line(problemOf(end.failed).Error(), wrong)
		if hintOfCode(end.failed.Code) == "" {
			s.screen.line("/retry tries again", dim)
		}
	case end.waiting > 0:
		s.screen.line("The agent waits for an action of a page; the next message continues without it.", dim)
	}
}

// settle asks the open questions, until there are none or the person leaves them open.
func (s *session) settle(ctx context.Context) error {
	for len(s.questions) > 0 {
		answers, err := s.ask(ctx)
		if errors.Is(err, ErrLeft) {
			s.screen.line("left open; /answer answers it", dim)
			return nil
		}
		typedText, inWords := errors.AsType[freeText](err)
		if err != nil && !inWords {
			return err
		}
		var end ending
		if inWords {
			end = s.say(ctx, string(typedText), s.display())
		} else {
			end = s.answer(ctx, answers, s.display())
		}
		s.report(ctx, end)
		if end.err != nil || end.stopped {
			return nil
		}
	}
	return nil
}

// ask asks all open questions, because a run continues only when all are answered.
func (s *session) ask(ctx context.Context) ([]answer, error) {
	a := &asker{screen: s.screen, call: s.callOf,
		read: func(prompt, text string) (string, error) { return s.read(ctx, prompt, text) }}
	if len(s.questions) == 1 {
		a.reads = func() bool { return s.reads(ctx) }
	}
	s.o.Lines.Drop()
	var answers []answer
	for i, q := range s.questions {
		place := ""
		if len(s.questions) > 1 {
			place = fmt.Sprintf("%d of %d", i+1, len(s.questions))
		}
		one, err := a.ask(q, place)
		if err != nil {
			return nil, err
		}
		answers = append(answers, one)
	}
	return answers, nil
}

// message reads a person's message. A backslash at the end of a line continues it on the next.
func (s *session) message(ctx context.Context) (string, error) {
	var lines []string
	prompt := "> "
	for {
		text, err := s.read(ctx, prompt, "")
		if err != nil {
			return "", err
		}
		more, goesOn := strings.CutSuffix(text, `\`)
		lines = append(lines, more)
		if !goesOn {
			break
		}
		prompt = ". "
	}
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if len(lines) == 1 && text != "" {
		s.o.Lines.Remember(text)
	}
	return text, nil
}

// read reads a line, until the program has to end.
func (s *session) read(ctx context.Context, prompt, text string) (string, error) {
	s.screen.fresh()
	select {
	case <-s.o.Interrupts: // it was meant for a run that had ended
	default:
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := s.o.Lines.Line(prompt, text)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-s.o.Interrupts: // of a terminal that is too narrow for the editing of lines
		return "", errQuit
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *session) leave() error {
	s.screen.fresh()
	switch {
	case !s.known:
	case s.o.Again == "":
		s.screen.line("This conversation ends here: with -store file:PATH it would be kept.", dim)
	case s.kind != client.ServerGateway && s.o.Kept == nil:
		s.screen.line("Nothing of this conversation is kept here; the server may know it as "+line(s.thread, 200)+".",
			dim)
	default:
		s.screen.line("Go on with: "+s.again(), plain)
	}
	return nil
}

func (s *session) again() string {
	command := s.o.Again + " -thread " + Quote(s.thread)
	if s.o.AgainAlso != "" {
		command += "   # with the same " + s.o.AgainAlso
	}
	return command
}
