package groupchat

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/internal/translate"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// maxRemoteAsked is the limit of questions and calls of one run of a remote agent: a person can answer less.
const maxRemoteAsked = 100

var (
	errRemoteAsked     = errors.New("it asks more than a person can answer")
	errRemoteCancelled = errors.New("its run was stopped there")
	errRemoteEndless   = errors.New("its run has no end")
)

// end returns the pause of the remote's run, or nil.
func (x *exchange) end() (*remotePause, error) {
	switch {
	case x.Failed != nil:
		return nil, x.reportedFailure()
	case x.Finished == nil:
		return nil, errRemoteEndless
	}
	outcome := x.Finished.Outcome
	if outcome == nil {
		outcome = &agui.Outcome{Type: agui.OutcomeSuccess}
	}
	if outcome.Type == agui.OutcomeCancelled {
		return nil, errRemoteCancelled
	}
	p := &remotePause{RunID: x.sent.RunID, Dialect: RemoteStandard}
	x.questionIDs = map[string]string{}
	for _, i := range outcome.Interrupts {
		if x.questionIDs[i.ID] == "" {
			x.questionIDs[i.ID] = x.question(p, i, i.ID, nil)
		}
	}
	if len(p.Questions) == 0 {
		for _, ask := range x.LegacyAsks {
			if i, ok := askInterrupt(ask); ok {
				x.questionIDs[i.ID] = x.question(p, i, i.ID, ask.Value)
				continue
			}
			p.Dialect = RemoteLegacy
			x.legacy(p, ask)
		}
	}
	if x.r.o.Dialect == RemoteLegacy {
		p.Dialect = RemoteLegacy
	}
	if err := x.answerCalls(p); err != nil {
		return nil, err
	}
	if err := x.frontend(p, outcome.PendingToolCallIDs); err != nil {
		return nil, err
	}
	if len(p.Questions)+len(p.Calls) > maxRemoteAsked {
		return nil, errRemoteAsked
	}
	if len(p.Questions) > 0 {
		return p, nil
	}
	if err := x.resumeSubs(); err != nil {
		return nil, err
	}
	if len(p.Calls) > 0 {
		return p, nil
	}
	return nil, x.settle()
}

// answerCalls makes the answers that the remote was given the results of the calls that it asked about, unless it tells
// of others or asks about them again. Some remotes make no more of such a call than its answer and do not say so; the
// conversation that they are sent the next time has to have a result for each call.
func (x *exchange) answerCalls(p *remotePause) error {
	if x.given == nil {
		return nil
	}
	for i, q := range x.given.pause.Questions {
		again := func(asked remoteQuestion) bool { return asked.Call == q.Call }
		if q.Call == "" || slices.ContainsFunc(p.Questions, again) {
			continue
		}
		answer := x.given.answers[i]
		content := string(answer.Status)
		if answer.Status == agui.ResumeResolved && len(answer.Payload) > 0 {
			content = string(answer.Payload)
			_ = exact.Unmarshal(answer.Payload, &content) // a text stands as it is, everything else as JSON
		}
		err := x.Result(&agui.ToolCallResult{MessageID: "answer-" + q.Call, ToolCallID: q.Call,
			Content: agui.TextContent(content)})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle gives calls a result that the remote made for itself, in this run or before it paused, without sending one.
func (x *exchange) settle() error {
	for _, id := range slices.Sorted(maps.Keys(x.Calls)) {
		if !x.Calls[id].Earlier {
			continue
		}
		err := x.Result(&agui.ToolCallResult{MessageID: "unanswered-" + id, ToolCallID: id,
			Content: agui.TextContent(state.NotAnswered)})
		if err != nil {
			return err
		}
	}
	if err := x.t.x.settleCalls(x.t.out, x.t.clientWriter, x.t.record, true); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(x.Subagents)) {
		if err := x.settleSub(x.Subagents[id]); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) settleSub(s *translate.Subagent) error {
	out := x.t.run.As(s.Ours)
	return x.t.x.settleCalls(out, out, &turnRecord{}, false)
}

// inOwnConversation reports whether the turn works in a private conversation, which clients do not see: its questions
// and calls is then asked and called in its parent's name.
func (x *exchange) inOwnConversation() bool { return x.t.run != x.t.x.Run }

// question makes a question of the remote's ours, and returns our id of it.
func (x *exchange) question(p *remotePause, i agui.Interrupt, id string, event json.RawMessage) string {
	key := "remote/" + strconv.Itoa(x.n) + "/" + strconv.Itoa(len(p.Questions)+1)
	q := remoteQuestion{Key: key, ID: id, Event: event, Own: i.SubagentRunID == "" || x.inOwnConversation(),
		Ask: agui.Interrupt{
			Reason: cmp.Or(i.Reason, "input_required"), Message: i.Message, Metadata: x.card(key, i),
		}}
	if !q.Own {
		q.Ask.SubagentRunID = x.Tag(i.SubagentRunID)
	}
	c := x.Calls[i.ToolCallID]
	if c != nil {
		q.Call = i.ToolCallID
	}
	if c != nil && !x.inOwnConversation() {
		q.Ask.ToolCallID = c.Ours
	} else if q.Ask.Reason == "tool_call" {
		q.Ask.Reason = "confirmation" // of a call that was not shown
	}
	if len(i.ResponseSchema) > 0 {
		if state.CheckSchema(i.ResponseSchema) == nil {
			q.Ask.ResponseSchema = i.ResponseSchema
		} else {
			x.note(agui.Warning{Path: "responseSchema", Reason: "cannot be checked with, left out"})
		}
	}
	if until, err := time.Parse(time.RFC3339, i.ExpiresAt); err == nil {
		q.Until = until.UTC()
	}
	p.Questions = append(p.Questions, q)
	return x.t.newAsk(key)
}

// card is a question's metadata, with the path to the asking agent: ours, and, if a gateway asks, its own behind it. A
// remote without a card gets one with its message and our name for it.
func (x *exchange) card(key string, i agui.Interrupt) agui.Metadata {
	theirs := i.Metadata
	var inner struct{ Path, Key string }
	_ = exact.Unmarshal(theirs[turnMeta], &inner) // missing members are empty
	path := slices.Clone(x.t.path)
	if inner.Path != "" {
		path = append(path, inner.Path)
	}
	where, err := json.Marshal(map[string]string{"path": joinPath(path...), "key": cmp.Or(inner.Key, key)})
	card := maps.Clone(withoutReserved(theirs))
	if err != nil {
		return card // strings always encode
	}
	if value := card["value"]; len(value) == 0 || string(value) == "null" {
		plain, err := json.Marshal(map[string]string{"message": cmp.Or(i.Message, i.Reason),
			"agent": x.asker(inner.Path)})
		if err != nil {
			return card
		}
		card = with(card, "value", json.RawMessage(plain))
	}
	return with(card, turnMeta, json.RawMessage(where))
}

// asker is the name of the asking agent: of those below the remote agent the one at the end of a path, or the remote
// agent.
func (x *exchange) asker(path string) string {
	return cmp.Or(path[strings.LastIndexByte(path, '.')+1:], x.t.name())
}

// askContent returns what CUSTOM on_interrupt carried: JSON, or text that may be JSON.
func askContent(a translate.LegacyAsk) (value json.RawMessage, text string) {
	value = a.Value
	if exact.Unmarshal(value, &text) == nil {
		if inner := json.RawMessage(text); json.Valid(inner) && len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			value = inner
		}
	}
	return value, text
}

// askInterrupt returns the interrupt of AG-UI 1.0 that the ask carried, if it is one: its reason is the protocol's, or
// has a namespace. A server that sends it so for older clients, as CrewAI's does, takes answers by resume.
func askInterrupt(a translate.LegacyAsk) (agui.Interrupt, bool) {
	value, _ := askContent(a)
	var i agui.Interrupt
	if exact.Unmarshal(value, &i) != nil || i.ID == "" {
		return i, false
	}
	i.SubagentRunID = cmp.Or(i.SubagentRunID, a.Tag)
	switch i.Reason {
	case "tool_call", "input_required", "confirmation":
		return i, true
	default:
		return i, strings.IndexByte(i.Reason, ':') > 0
	}
}

// legacy makes a question of what CUSTOM on_interrupt carried.
func (x *exchange) legacy(p *remotePause, ask translate.LegacyAsk) {
	value, text := askContent(ask)
	var told struct {
		ID      json.RawMessage `json:"id"`
		Message json.RawMessage `json:"message"`
	}
	i := agui.Interrupt{SubagentRunID: ask.Tag, Message: text}
	var id string
	if exact.Unmarshal(value, &told) == nil {
		_ = exact.Unmarshal(told.ID, &id) // other values than texts are no ids
		i.Message = ""
		_ = exact.Unmarshal(told.Message, &i.Message)
	}
	i.Metadata = agui.Metadata{"value": value}
	x.question(p, i, id, ask.Value)
}

// frontend makes the open calls of the caller's tools ours. A call of a tool that only the remote knows is its own
// business, unless it says in so many words that it waits.
func (x *exchange) frontend(p *remotePause, pending []string) error {
	bound := map[string]bool{}
	for _, q := range p.Questions {
		bound[q.Ask.ToolCallID] = true
	}
	for _, id := range x.CallOrder {
		c := x.Calls[id]
		offered := slices.ContainsFunc(x.t.x.Input.Tools, func(tool agui.Tool) bool { return tool.Name == c.Name })
		if c.Answered || bound[c.Ours] || !offered && !slices.Contains(pending, id) {
			continue
		}
		if x.inOwnConversation() {
			w := x.t.clientWriter.ToolCall(run.ToolCallOptions{ID: c.Ours, Name: c.Name})
			if _, err := w.WriteString(c.Text.String()); err != nil {
				return err
			}
			if err := w.Close(); err != nil {
				return err
			}
		}
		key := "remote/" + strconv.Itoa(x.n) + "/" + id
		p.Calls = append(p.Calls, remoteCall{Key: key, ID: id, Name: c.Name})
		x.t.keepCall(key, c.Ours)
	}
	return nil
}
