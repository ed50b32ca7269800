package state

import (
	"context"
	"errors"
	"slices"
	"time"
)

// An ApprovalScope says for which calls a person's approval is remembered.
type ApprovalScope string

// The scopes of approvals that are remembered.
const (
	ApprovalThread    ApprovalScope = "thread"    // later calls in the same thread
	ApprovalPrincipal ApprovalScope = "principal" // later calls in all threads of the principal with the same agent
)

// An ApprovalSubject is what a remembered approval is about. It covers a call only if all of this is the same.
type ApprovalSubject struct {
	// Agent is the thread's agent, Path the participant that calls, empty for the agent itself.
	Agent string `json:"agent"`
	Path  string `json:"path,omitempty"`
	Tool  string `json:"tool"`
	// Hash is that of the tool's known properties, such as its schema.
	Hash string `json:"hash"`
}

// An Approval is a person's approval of later calls of a tool, which they gave with their answer to the question about
// one.
type Approval struct {
	ID    string        `json:"id"`
	Scope ApprovalScope `json:"scope"`
	ApprovalSubject

	CreatedAt time.Time `json:"createdAt"`
	// After is the message that the conversation ended with when a thread's was given. It is taken back with that
	// message.
	After string `json:"after,omitempty"`
	// ExpiresAt is until when a store keeps it, if nothing else is given before. It is not stored.
	ExpiresAt time.Time `json:"-"`
}

// The bounds of remembered approvals, for a thread and for a principal. Of more than MaxApprovals the oldest are
// dropped: their tools ask again.
const (
	MaxApprovals = 64
	ApprovalTTL  = 90 * 24 * time.Hour
)

// maxRevoked is how many ids of revoked approvals are kept, so that an attempt which repeats what a lost one did does
// not bring them back.
const maxRevoked = 64

// ErrUnknownApproval says that no such approval is remembered.
var ErrUnknownApproval = errors.New("state: unknown approval")

// approvalsOf is the principal, and the agent, of the records that approvals of principals are kept in. No agent that
// is served and no principal of a client has this name.
const approvalsOf = ".approvals"

// ApprovalsKey is under which key the approvals are kept that hold in all threads of a principal. There is such a
// thread in the store once the principal has given one. It has nothing else, and is found by this key only.
func ApprovalsKey(principal string) Key {
	return Key{Principal: approvalsOf, Agent: approvalsOf, ID: principal}
}

// ForApprovals reports whether k is the key of [ApprovalsKey] for a principal.
func (k Key) ForApprovals() bool { return k.Principal == approvalsOf }

// Approvals keeps what people have approved of beforehand. Its methods may be called whether or not a run is live. A
// key is a thread's or [ApprovalsKey]; a fork has none of the approvals of its origin.
type Approvals interface {
	// Approvals returns the approvals under a key, oldest first, without those older than [ApprovalTTL].
	Approvals(ctx context.Context, key Key) ([]Approval, error)
	// Remember adds an approval, and sets its time. An approval with a known or revoked id changes nothing.
	// ErrUnknownThread: there is no such thread.
	Remember(ctx context.Context, key Key, a Approval) error
	// Revoke forgets an approval, and returns it. ErrUnknownApproval: there is none of this id.
	Revoke(ctx context.Context, key Key, id string) (Approval, error)
}

// Covering returns the newest approval of a list that is about a subject, within one of the scopes.
func Covering(list []Approval, s ApprovalSubject, scopes []ApprovalScope) (Approval, bool) {
	for _, a := range slices.Backward(list) {
		if a.ApprovalSubject == s && slices.Contains(scopes, a.Scope) {
			return a, true
		}
	}
	return Approval{}, false
}

// KeptApprovals returns the approvals of the thread that have not expired.
func (t *Thread) KeptApprovals(now time.Time) []Approval {
	return slices.DeleteFunc(slices.Clone(t.Approvals),
		func(a Approval) bool { return !now.Before(a.CreatedAt.Add(ApprovalTTL)) })
}

func indexApproval(list []Approval, id string) int {
	return slices.IndexFunc(list, func(a Approval) bool { return a.ID == id })
}

// PlanRemember adds an approval to those of a thread. It returns nil if there is nothing to change.
func PlanRemember(t *Thread, a Approval, now time.Time) *Transition {
	list := t.KeptApprovals(now)
	if slices.Contains(t.Revoked, a.ID) || indexApproval(list, a.ID) >= 0 {
		return nil
	}
	a.CreatedAt, a.After = now, t.LastMessage
	s := newTransition(t, now)
	list = append(list, a)
	s.Thread.Approvals = list[max(0, len(list)-MaxApprovals):]
	return s
}

// cutApprovals takes back the approvals that were given in turns that leave the conversation or run again. Where it is
// not known in which turn one was given, it may have been one of these.
func (s *Transition) cutApprovals(v Verdict) {
	s.Thread.Approvals = slices.DeleteFunc(slices.Clone(s.Thread.Approvals), func(a Approval) bool {
		return v.CutAll || len(s.Left) > 0 && a.After == "" || slices.Contains(s.Left, a.After) ||
			v.Meaning == Repeat && a.After == s.Thread.LastMessage
	})
}

// PlanRevoke takes an approval away from those of a thread. It returns nil if it is not there.
func PlanRevoke(t *Thread, id string, now time.Time) (*Transition, Approval) {
	list := t.KeptApprovals(now)
	i := indexApproval(list, id)
	if i < 0 {
		return nil, Approval{}
	}
	a := list[i]
	s := newTransition(t, now)
	s.Thread.Approvals = slices.Delete(list, i, i+1)
	revoked := append(slices.Clone(t.Revoked), id)
	s.Thread.Revoked = revoked[max(0, len(revoked)-maxRevoked):]
	return s, a
}
