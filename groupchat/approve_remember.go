package groupchat

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/state"
)

// The beginnings of the keys under which a turn remembers under which approval a call is made, and that one was given
// with an answer.
const (
	coveredKey  = "approve/covered/"
	rememberKey = "approve/remember/"
)

// scopes are those for which a person may approve later calls. There are none while approvals name a missing tool: the
// knows then which tool was meant to be asked about.
func (r *llmRun) scopes() []ApprovalScope {
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
func (r *llmRun) decide(tool *Tool, s *llmRound, i int, arguments json.RawMessage) (ruling, *Pause, error) {
	if v, ok := r.covered(tool, s, i); ok {
		v.arguments = arguments
		return v, nil, nil
	}
	v, pause, err := r.approve(tool, s, i, arguments)
	if err == nil && pause == nil && v.remember != "" {
		err = r.rememberApproval(tool, s.callKey(i), &v)
	}
	return v, pause, err
}

// A coveredCall is under which approval a call is made, and where it goes.
type coveredCall struct {
	approvalMark
	Origin string `json:"origin,omitempty"`
}

// covered looks for an approval of a call, unless a person was asked about it. An approval that was found when the call
// was about to be made holds for it, also when the turn is entered again while the tool is at work.
func (r *llmRun) covered(tool *Tool, s *llmRound, i int) (v ruling, ok bool) {
	key, scopes := s.callKey(i), r.scopes()
	if raw, found := r.t.memo(coveredKey + key); found {
		var kept coveredCall
		err := json.Unmarshal(raw, &kept)
		v.mark = kept.approvalMark
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
	v.mark = approvalMark{Decision: decisionRemembered, ID: a.ID, Remember: a.Scope}
	raw, err := json.Marshal(coveredCall{v.mark, tool.Origin})
	if err != nil {
		return v, false
	}
	r.t.remember(coveredKey+key, raw)
	return v, true
}

// rememberApproval remembers what a person approved of together with a call, once. Where that fails the call is made
// all the same, and the next one asks.
func (r *llmRun) rememberApproval(tool *Tool, key string, v *ruling) error {
	if !slices.Contains(r.scopes(), v.remember) {
		return nil
	}
	id, err := recorded(r.t, rememberKey+key, func() (string, error) {
		in := r.t.Input()
		id := state.Hash([]byte(in.Principal.ID), []byte(in.Agent), []byte(in.ThreadID), []byte(r.t.ID()), []byte(key))
		// the same after a takeover
		a := state.Approval{ID: "apr_" + id[:24], Scope: v.remember, ApprovalSubject: r.subject(tool)}
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
	v.mark.Remember, v.mark.ID = v.remember, id
	return nil
}
