package groupchat

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// Once sets what result points to, to what f has set it to, and calls f at most once for the round and key: after a
// takeover the recorded result is there instead, so that no decision is made twice. Like that of [Once] it has to
// survive JSON, and an error of f is not recorded. For calls of models there is [View.AskModel]. In a view that is not
// of a run f is called each time.
func (v View) Once(key string, result any, f func() error) error {
	if v.records == nil {
		return f()
	}
	raw, err := recorded(v.records, v.recordKey+key, func() (json.RawMessage, error) {
		if err := f(); err != nil {
			return nil, err
		}
		return json.Marshal(result)
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return v.records.x.fatal(fail(errcode.CheckpointIncompatible, "%s: once %s: %w", v.records.Path(), key, err))
	}
	return nil
}

// AskModel makes a call of a model at most once for the round and key, and records the reply: what managers of this
// package have. Hooks are around the call, its usage and cost count as the run's, also after a takeover, and no model
// is asked once another replica has the run. C.Turn is set by it. A model that is asked again about the same thing is
// asked under another key.
func (v View) AskModel(ctx context.Context, key string, c ModelCall) (model.Reply, error) {
	if v.records == nil {
		reply, err := callModel(ctx, &c)
		return *reply, err
	}
	return askOnce(ctx, v.records, v.recordKey+key, c)
}

// View is the manager's view of the turn's chat, with the state and the conversation as the turn had them when it
// began. Its records by it is recorded in this turn. Outside of a chat it has no participants.
func (t *Turn) View() View {
	v := t.view()
	v.records, v.recordKey = t, "view/"
	return v
}

// AskModel makes a call of a model at most once for the turn and key, as [View.AskModel] does for managers. The reply
// is not said.
func (t *Turn) AskModel(key string, c ModelCall) (model.Reply, error) {
	return askOnce(t.ctx, t, "call/"+key, c)
}

func askOnce(ctx context.Context, t *Turn, key string, c ModelCall) (model.Reply, error) {
	if c.Model == nil {
		return model.Reply{}, fmt.Errorf("groupchat: %s: no model to ask", t.Path())
	}
	c.Turn = t
	reply, err := recorded(t, modelKey+key, func() (*model.Reply, error) {
		reply, err := callModel(ctx, &c)
		if usageErr := t.x.addReply(reply); err == nil {
			err = usageErr
		}
		return reply, err
	})
	if reply == nil {
		return model.Reply{}, err
	}
	return *reply, err
}
