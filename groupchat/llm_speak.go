package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/model"
)

// A shownReply says under which ids a reply is in the conversation.
type shownReply struct {
	Messages []string `json:"messages,omitempty"`
	Calls    []string `json:"calls,omitempty"`
}

// A speaker sends a model's reply to clients, while it streams or afterwards, under our ids.
type speaker struct {
	r    *llmRun
	mute bool // its words are not for the conversation
	used bool // something was said
	// Words and thought say that there was text, or reasoning, also if it was not for the conversation.
	words, thought bool

	shown     shownReply
	message   string // the one that makes the calls
	text      *run.Text
	reasoning *run.Reasoning
	calls     []*run.Call

	key       string // of the reply
	follows   map[int]*followed
	announced bool // state of predictions
}

// asks returns the call of the model with the deltas to send.
func (s *speaker) asks() *ModelCall {
	on := model.Deltas{Text: s.textDelta, Reasoning: s.reason, Call: s.call}
	return &ModelCall{Turn: s.r.t, Purpose: model.ForReply, Model: s.r.Model, On: on}
}

// say sends the rest of a reply: all of it, or the part that its model did not stream.
func (s *speaker) say(reply *model.Reply) error {
	if reply.Reasoning != "" && !s.thought {
		if err := s.reason(reply.Reasoning); err != nil {
			return err
		}
	}
	if words := reply.Words(); words != "" && !s.words {
		if err := s.textDelta(words); err != nil {
			return err
		}
	}
	for i, c := range reply.Calls {
		if i < len(s.calls) && s.calls[i] != nil {
			continue
		}
		if err := s.call(i, c.Name, c.Arguments); err != nil {
			return err
		}
	}
	if said, made := len(s.calls), len(reply.Calls); said > made {
		return fail(errcode.ModelResponse, "%s: the model began %d calls of tools, and its reply has %d", s.r.t.Path(),
			said, made)
	}
	return s.close()
}

func (s *speaker) textDelta(delta string) error {
	s.used, s.words = true, true
	if s.mute {
		return nil
	}
	if err := s.endReasoning(); err != nil {
		return err
	}
	if s.text == nil {
		id := s.r.t.out.NewID()
		s.shown.Messages = append(s.shown.Messages, id)
		if len(s.calls) == 0 {
			s.message = id // text after calls is a separate message: their results are between
		}
		s.text = s.r.t.out.Text(run.TextOptions{ID: id, Name: s.r.t.name(), Metadata: s.r.t.marked()})
	}
	_, err := s.text.WriteString(delta)
	return err
}

func (s *speaker) reason(delta string) error {
	s.used, s.thought = true, true
	if s.reasoning == nil {
		s.reasoning = s.r.t.out.Reasoning(run.ReasoningOptions{Metadata: s.r.t.marked()})
	}
	_, err := s.reasoning.WriteString(delta)
	return err
}

func (s *speaker) call(i int, name, arguments string) error {
	s.used = true
	if err := s.endWords(); err != nil {
		return err
	}
	for len(s.calls) <= i {
		if s.message == "" {
			s.message = s.r.t.out.NewID()
			s.shown.Messages = append(s.shown.Messages, s.message)
		}
		id := "call_" + s.r.t.out.NewID()
		s.shown.Calls = append(s.shown.Calls, id)
		s.calls = append(s.calls, nil)
	}
	if s.calls[i] == nil {
		if len(s.r.predictionsOf(name)) > 0 {
			if err := s.predictEvent(); err != nil {
				return err
			}
		}
		s.calls[i] = s.r.writer(name, "").ToolCall(run.ToolCallOptions{
			ID: s.shown.Calls[i], Name: s.r.tools.toolName(name), ParentMessageID: s.message,
		})
	}
	if arguments == "" {
		return nil
	}
	_, err := s.calls[i].WriteString(arguments)
	s.follow(i, name)
	return err
}

// writer is what a call, or the result of the call of a key, is shown with. Clients are shown what people have to
// answer even if the agent works in a private conversation.
func (r *llmRun) writer(name, key string) run.Writer {
	o, offered := r.tools.byName[name]
	if offered && o.handoff == "" && (o.tool == nil || r.mustAsk(o.tool, key)) || r.asked(key) {
		return r.t.clientWriter
	}
	return r.t.out
}

func (s *speaker) endReasoning() error {
	if s.reasoning == nil {
		return nil
	}
	open := s.reasoning
	s.reasoning = nil
	return open.Close()
}

func (s *speaker) endWords() error {
	if err := s.endReasoning(); err != nil || s.text == nil {
		return err
	}
	open := s.text
	s.text = nil
	return open.Close()
}

// close ends open messages: the reply is complete.
func (s *speaker) close() error {
	if err := s.endWords(); err != nil {
		return err
	}
	for _, c := range s.calls {
		if c == nil {
			continue
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// discardedKey is the key of the messages of replies that broke off. Requests omit them when the model is
// asked again: it would take them for its own words.
const discardedKey = "llm/disowned"

func (r *llmRun) discardMessages(shown shownReply) {
	if len(shown.Messages) == 0 {
		return
	}
	raw, err := json.Marshal(slices.Concat(r.discardedMessages(), shown.Messages))
	if err == nil {
		r.t.remember(discardedKey, raw)
	}
}

func (r *llmRun) discardedMessages() []string {
	var ids []string
	if raw, ok := r.t.memo(discardedKey); ok {
		_ = json.Unmarshal(raw, &ids) // it is of our own making; without it the model sees a little more
	}
	return ids
}

// ask gets the next reply: from the model, or from the record. The stack is kept small while a model is waited for.
func (r *llmRun) ask(ctx context.Context) (*llmRound, error) {
	s := &llmRound{n: r.next(), place: len(r.rounds), results: map[int]tools.Result{}}
	live := &speaker{r: r, mute: r.Output != nil, key: s.key()}
	call := live.asks()
	reply, err := recorded(r.t, live.key, func() (*model.Reply, error) {
		reply, err := r.short.Ask(ctx, strconv.Itoa(s.n), r.composed,
			func(request *model.Request) (*model.Reply, bool, error) {
				call.Request = *request
				reply, err := callModel(ctx, call)
				if usageErr := r.t.x.addReply(reply); err == nil {
					err = usageErr
				}
				return reply, live.used, err
			})
		return reply, r.endReply(live, reply, err)
	})
	if err != nil {
		return nil, err
	}
	s.reply = *reply
	r.rounds = append(r.rounds, s)
	return s, r.show(s, live)
}

// endReply ends the call of a speaker that streamed, with reply and err.
func (r *llmRun) endReply(live *speaker, reply *model.Reply, err error) error {
	if err == nil && reply.Truncated() && len(reply.Calls) > 0 {
		err = fail(errcode.ModelResponse, "%s: the reply was cut off in a call of a tool", r.t.Path())
	}
	if err == nil {
		err = live.say(reply)
	}
	if err != nil {
		r.discardMessages(live.shown)
		r.withdraw(live.key)
	}
	return err
}

// show sends s to clients unless that was done while it came, and finds out under which ids.
func (r *llmRun) show(s *llmRound, live *speaker) error {
	if raw, ok := r.t.memo(s.key()); ok {
		err := json.Unmarshal(raw, &s.shown)
		if shown, made := len(s.shown.Calls), len(s.reply.Calls); err == nil && shown != made {
			err = fmt.Errorf("%d calls are shown of %d", shown, made)
		}
		if err != nil {
			return r.t.x.fatal(fail(errcode.CheckpointIncompatible, "%s: %s: %w", r.t.Path(), s.key(), err))
		}
		return nil
	}
	if !live.used {
		if err := live.say(&s.reply); err != nil {
			r.withdraw(s.key())
			return err
		}
	}
	s.shown = live.shown
	r.predictWhole(s)
	raw, err := json.Marshal(s.shown)
	if err != nil {
		return err
	}
	r.t.remember(s.key(), raw)
	return nil
}
