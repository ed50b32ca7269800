package groupchat

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
	"github.com/agui-gateway/gateway/groupchat/internal/schema"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state"
)

// needsApproval reports whether a lets a call of the tool be made only after a person approved of it.
func (t *Tool) needsApproval(a tools.Approvals) bool {
	switch {
	case slices.ContainsFunc(a.Tools, t.named), t.Approve == tools.ApproveAlways:
		return true
	case t.Approve == tools.ApproveNever:
		return false
	default:
		return a.All || t.Destructive && !a.Never
	}
}

// named reports whether approvals that say name mean the tool.
func (t *Tool) named(name string) bool {
	return name == t.Name || t.SourceName != "" && name == t.SourceName
}

// undecided are the names of approvals that no tool has, own or of a source. A tool that a source is sure to have when
// it is back counts as there.
func (a *LLM) undecided(found []*Tool) []string {
	return slices.DeleteFunc(slices.Clone(a.Approve.Tools), func(name string) bool {
		return slices.ContainsFunc(a.Tools, func(t Tool) bool { return t.named(name) }) ||
			slices.ContainsFunc(found, func(t *Tool) bool { return t.named(name) }) ||
			slices.ContainsFunc(a.Sources, func(s ToolSource) bool {
				expecting, ok := s.(interface{ Expects(name string) bool })
				return ok && expecting.Expects(name)
			})
	})
}

// askAllKey is the key under which a turn records whether all of its calls ask; tools that appear later change nothing.
const askAllKey = "approve/all"

// decideApprovals finds out, once in a turn, whether approvals name a tool that is not there.
func (r *llmRun) decideApprovals(ctx context.Context, found []*Tool) {
	if len(r.Approve.Tools) == 0 {
		return
	}
	if raw, ok := r.t.memo(askAllKey); ok {
		r.askAll = string(raw) == "true"
		return
	}
	missing := r.undecided(found)
	if r.unprepared != nil { // also a tool that a provider has removed
		missing = slices.DeleteFunc(missing, func(name string) bool {
			return slices.ContainsFunc(r.unprepared.Tools, func(t Tool) bool { return t.named(name) })
		})
	}
	r.askAll = len(missing) > 0
	r.t.remember(askAllKey, json.RawMessage(strconv.FormatBool(r.askAll)))
	if !r.askAll {
		return
	}
	level := slog.LevelError
	if r.away {
		level = slog.LevelWarn // it may be a tool of the source that is away
	}
	names := []string{}
	for i := range r.Tools {
		names = append(names, r.Tools[i].Name)
	}
	for _, t := range found {
		names = append(names, t.Name)
	}
	r.t.x.Log.Log(ctx, level, "groupchat: approvals name tools that do not exist, so every call asks",
		"turn", r.t.ID(), "missing", missing, "tools", names)
}

// mustAsk reports whether a person has to approve of a call of the tool, also if approvals have changed since a person
// was asked about it. Key is the call's, empty for one without a possible question.
func (r *llmRun) mustAsk(t *Tool, key string) bool {
	return r.askAll || t.needsApproval(r.Approve) || r.asked(key)
}

// asked reports whether a person was asked about the call of a key.
func (r *llmRun) asked(key string) bool { return key != "" && r.t.wasAsked(approvalKey+key) }

// approvalKey begins the keys of questions about calls.
const approvalKey = "approve/"

// approve asks a person whether the call may be made.
func (r *llmRun) approve(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (approval.Ruling, *ask.Pause,
	error) {
	card, message := r.callCard(tool, s, i, arguments), "May I call "+tool.Name+"?"
	if card.Truncated {
		message += " Its arguments are too long to be shown as a whole."
	}
	answer, pause, err := r.t.ask(Question{
		Key: approvalKey + s.callKey(i), Reason: "tool_call", ToolCallID: s.shown.Calls[i],
		Schema:  card.AnswerSchema(tool.Parameters),
		Message: message, call: card,
		Check: func(a ask.Answer) error {
			_, err := approval.Decide(a, arguments, tool.arguments)
			return err
		},
		anew: "These arguments do not fit the tool. " + message, // otherwise the model would take it for its own words
	})
	if pause != nil || err != nil {
		return approval.Ruling{}, pause, err
	}
	v, err := approval.Decide(answer, arguments, tool.arguments)
	v.Mark.By = r.t.Principal().ID
	return v, nil, err
}

// seenBack is how many messages are looked through for a call: more have hardly come since it was made.
const seenBack = 256

// callCard is what a person is shown of call i of a reply.
func (r *llmRun) callCard(tool *Tool, s *llmRound, i int, arguments json.RawMessage) *approval.Card {
	c := &approval.Card{
		Tool: tool.Name, Description: r.describedAs(tool, s.callKey(i)), Why: clip.To(r.saidBefore(s), approval.MaxWhy),
		Remember: r.scopes(), Origin: tool.Origin,
	}
	if len(tool.Parameters) <= approval.MaxSchema {
		c.Schema = tool.Parameters
	}
	shown, seen := r.t.shownArguments(s.shown.Calls[i])
	switch {
	case !seen && r.t.streamFiltered(): // their display for people is unpredictable
		c.Truncated = true
		return c
	case !seen:
		shown = string(arguments)
	case strings.TrimSpace(shown) == "":
		shown = "{}"
	}
	c.Masked = !bytes.Equal(state.Canonical(json.RawMessage(shown)), state.Canonical(arguments))
	c.Truncated = len(shown) > approval.MaxArguments
	if c.Truncated || !schema.IsObject(shown) {
		c.Arguments, _ = json.Marshal(clip.To(shown, approval.MaxArguments)) // a text always can be
		return c
	}
	c.Arguments = json.RawMessage(shown)
	if !state.SafeNumbers(c.Arguments) {
		c.ArgumentsText = shown
	}
	return c
}

// describedAs is a tool's description for people, the same whenever the turn is entered: the description of a
// tool may be made anew each time.
func (r *llmRun) describedAs(tool *Tool, key string) string {
	var told string
	if raw, ok := r.t.memo(describedKey + key); ok && json.Unmarshal(raw, &told) == nil {
		return told
	}
	told = clip.To(tool.Description, approval.MaxDescription)
	if raw, err := json.Marshal(told); err == nil && told != "" {
		r.t.remember(describedKey+key, raw)
	}
	return told
}

// describedKey begins the keys of descriptions that people were shown.
const describedKey = "approve/described/"

// streamFiltered reports whether what people see of the turn passes filters.
func (t *Turn) streamFiltered() bool {
	return slices.ContainsFunc(t.hooks, func(h Hooks) bool { return h.Stream != nil })
}

// shownMessages calls f for the messages that people were shown last, from the newest on, until it returns false.
func (t *Turn) shownMessages(f func(*agui.Message) bool) {
	t.x.Run.Inspect(func(v *run.View) {
		n := 0
		for m := range v.Backward() {
			if n++; n > seenBack || !f(&m) {
				return
			}
		}
	})
}

// shownArguments are the arguments of a call as people were shown them.
func (t *Turn) shownArguments(id string) (arguments string, seen bool) {
	t.shownMessages(func(m *agui.Message) bool {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				arguments, seen = c.Function.Arguments, true
			}
		}
		return !seen
	})
	return arguments, seen
}

// saidBefore is what the model said last before the calls of a reply, as people were shown it. It is empty if they were
// not.
func (r *llmRun) saidBefore(s *llmRound) (words string) {
	said := map[string]bool{}
	for _, earlier := range r.rounds[:min(s.place+1, len(r.rounds))] {
		for _, id := range earlier.shown.Messages {
			said[id] = true
		}
	}
	r.t.shownMessages(func(m *agui.Message) bool {
		if m.Role == agui.RoleAssistant && said[m.ID] {
			words = strings.TrimSpace(m.Content.Text())
		}
		return words == ""
	})
	return words
}

// The beginnings of the keys under which a turn remembers under which approval a call is made, and that one was given
// with an answer.
const (
	coveredKey  = "approve/covered/"
	rememberKey = "approve/remember/"
)

// scopes are those for which a person may approve later calls. There are none while approvals name a missing tool: the
// knows then which tool was meant to be asked about.
func (r *llmRun) scopes() []state.ApprovalScope {
	if r.askAll || r.t.x.Approvals == nil {
		return nil
	}
	return r.Approve.Remember
}

// subject is what an approval of later calls of a tool is about. The hash has all that people and the model know of the
// tool, and where its calls go, so that a tool which has become another one asks again.
func (r *llmRun) subject(tool *Tool) state.ApprovalSubject {
	hash := state.Hash([]byte(tool.Name), []byte(tool.SourceName), []byte(tool.Description),
		state.Canonical(tool.Parameters),
		[]byte(strconv.FormatBool(tool.Destructive)), []byte(tool.Origin))
	return state.ApprovalSubject{Agent: r.t.Input().Agent, Path: r.t.identity(), Tool: tool.Name, Hash: hash}
}

// decide finds out whether a call that needs approval is made: by a remembered approval, or by asking a person.
func (r *llmRun) decide(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (approval.Ruling, *ask.Pause,
	error) {
	if v, ok := r.covered(tool, s, i); ok {
		v.Arguments = arguments
		return v, nil, nil
	}
	v, pause, err := r.approve(tool, s, i, arguments)
	if err == nil && pause == nil && v.Remember != "" {
		err = r.rememberApproval(tool, s.callKey(i), &v)
	}
	return v, pause, err
}

// A coveredCall is under which approval a call is made, and where it goes.
type coveredCall struct {
	approval.Mark
	Origin string `json:"origin,omitempty"`
}

// covered looks for an approval of a call, unless a person was asked about it. An approval that was found when the call
// was about to be made holds for it, also when the turn is entered again while the tool is at work.
func (r *llmRun) covered(tool *Tool, s *llmRound, i int) (v approval.Ruling, ok bool) {
	key, scopes := s.callKey(i), r.scopes()
	if raw, found := r.t.memo(coveredKey + key); found {
		var kept coveredCall
		err := json.Unmarshal(raw, &kept)
		v.Mark = kept.Mark
		return v, err == nil && kept.Origin == tool.Origin
	}
	if len(scopes) == 0 || r.asked(key) {
		return v, false
	}
	a, ok, err := r.t.x.Approvals.Covers(r.t.ctx, s.shown.Calls[i], r.subject(tool), scopes)
	if err != nil {
		r.t.x.Log.WarnContext(r.t.ctx, "groupchat: approvals are not known, so a person is asked", "turn", r.t.ID(),
			"tool", tool.Name, "error", err)
		return v, false
	}
	if !ok {
		return v, false
	}
	v.Mark = approval.Mark{Decision: approval.Remembered, ID: a.ID, Remember: a.Scope}
	raw, err := json.Marshal(coveredCall{v.Mark, tool.Origin})
	if err != nil {
		return v, false
	}
	r.t.remember(coveredKey+key, raw)
	return v, true
}

// rememberApproval remembers what a person approved of together with a call, once. Where that fails the call is made
// all the same, and the next one asks.
func (r *llmRun) rememberApproval(tool *Tool, key string, v *approval.Ruling) error {
	if !slices.Contains(r.scopes(), v.Remember) {
		return nil
	}
	id, err := recorded(r.t, rememberKey+key, func() (string, error) {
		in := r.t.Input()
		id := state.Hash([]byte(in.Principal.ID), []byte(in.Agent), []byte(in.ThreadID), []byte(r.t.ID()), []byte(key))
		// the same after a takeover
		a := state.Approval{ID: "apr_" + id[:24], Scope: v.Remember, ApprovalSubject: r.subject(tool)}
		return a.ID, r.t.x.Approvals.Remember(r.t.ctx, a)
	})
	if cause := r.t.x.endCause(); err != nil && cause != nil {
		return cause
	}
	if err != nil {
		r.t.x.Log.WarnContext(r.t.ctx, "groupchat: an approval is not remembered", "turn", r.t.ID(), "tool", tool.Name,
			"error", err)
		return nil
	}
	v.Mark.Remember, v.Mark.ID = v.Remember, id
	return nil
}
