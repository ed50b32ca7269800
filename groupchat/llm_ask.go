package groupchat

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// ask gets the next reply: from the model, or from the record. The stack is kept small while a model is waited for.
func (r *llmRun) ask(ctx context.Context) (*llmRound, error) {
	s := &llmRound{n: r.next(), place: len(r.rounds), results: map[int]ToolResult{}}
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
