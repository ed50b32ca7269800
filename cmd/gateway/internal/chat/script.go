package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const mostInput = 1 << 20

// script sends the input as a message, or as the answer to open questions, and prints the reply.
func (s *session) script(ctx context.Context) error {
	raw, err := io.ReadAll(io.LimitReader(s.o.In, mostInput+1))
	if err != nil {
		return err
	}
	if len(raw) > mostInput {
		return &Problem{Text: "more than 1 MiB is more than can be said at once"}
	}
	text := strings.TrimSpace(string(raw))
	var end ending
	switch {
	case text == "" && len(s.questions) > 0:
		return s.openQuestions()
	case text == "":
		return ErrNothing
	case len(s.questions) == 1 && text != "/cancel" && s.questions[0].isFreeText(text) && s.reads(ctx):
		end = s.say(ctx, text, &output{s.screen})
	case len(s.questions) > 0:
		answers, err := s.answersOf(text)
		if err != nil {
			return err
		}
		end = s.answer(ctx, answers, &output{s.screen})
	default:
		end = s.say(ctx, text, &output{s.screen})
	}
	s.screen.fresh()
	switch {
	case s.screen.err != nil:
		return s.screen.err
	case end.stopped:
		return ErrStopped
	case end.err != nil:
		return s.explain(ctx, end.err)
	case end.failed != nil:
		return problemOf(end.failed)
	case len(s.questions) > 0:
		return s.openQuestions()
	}
	return nil
}

// answersOf parses the answers to the open questions: for one question as typed text, for several as an object by id.
func (s *session) answersOf(text string) ([]answer, error) {
	if len(s.questions) == 1 {
		q := s.questions[0]
		if text == "/cancel" {
			return []answer{{question: q}}, nil
		}
		payload, err := q.parseTyped(text)
		if err != nil {
			return nil, &Problem{Text: err.Error(),
				Hint: "the question " + line(q.ID, 200) + " stays open: " + line(q.card().Message, 300)}
		}
		return []answer{{question: q, payload: payload}}, nil
	}
	var answers []answer
	for _, q := range s.questions {
		value := valueOf(json.RawMessage(text), q.ID)
		if value == nil {
			return nil, &Problem{Text: fmt.Sprintf("%d questions are open, and there is no answer to %s",
				len(s.questions), line(q.ID, 200)),
				Hint: `write an object that has all of them: {"` + line(q.ID, 200) + `": …, …}`}
		}
		payload, err := q.fit(value)
		if err != nil {
			return nil, &Problem{Text: line(q.ID, 200) + ": " + err.Error()}
		}
		answers = append(answers, answer{question: q, payload: payload})
	}
	return answers, nil
}

func (s *session) openQuestions() error {
	to := &screen{w: s.o.Err}
	for _, q := range s.questions {
		to.line("question "+line(q.ID, 200)+" is open: "+line(q.card().Message, 1000), plain)
		if q.approval() {
			c := q.card()
			to.line("  "+line(c.Tool, 80)+" "+line(compact(c.Arguments), 2000)+"; allow or deny", plain)
		}
		(&asker{screen: to}).list(q.choices())
	}
	if s.o.Again != "" {
		to.line("Answer with: echo ANSWER | "+s.again(), plain)
	}
	return ErrQuestion
}
