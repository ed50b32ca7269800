package state

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestApprovalsExpire forgets them one by one, and keeps those that are younger.
func TestApprovalsExpire(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	old := PlanRemember(&Thread{}, Approval{ID: "a1"}, start)
	both := PlanRemember(old.Thread, Approval{ID: "a2"}, start.Add(time.Hour))
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{time.Hour, 2}, {ApprovalTTL - time.Second, 2}, {ApprovalTTL, 1}, {ApprovalTTL + time.Hour, 0}} {
		if got := both.Thread.KeptApprovals(start.Add(tt.after)); len(got) != tt.want {
			t.Errorf("after %v there are %d approvals, want %d", tt.after, len(got), tt.want)
		}
	}
	if s, _ := PlanRevoke(both.Thread, "a1", start.Add(ApprovalTTL)); s != nil {
		t.Error("an approval whose time is over can be revoked")
	}
}

// TestAnApprovalCoversNothingElse: a remembered approval is never found for another agent, participant, tool, hash or
// scope.
func TestAnApprovalCoversNothingElse(t *testing.T) {
	t.Parallel()
	few := rapid.SampledFrom([]string{"", "a", "b", "ab"})
	subject := rapid.Custom(func(t *rapid.T) ApprovalSubject {
		return ApprovalSubject{few.Draw(t, "agent"), few.Draw(t, "path"), few.Draw(t, "tool"), few.Draw(t, "hash")}
	})
	scope := rapid.SampledFrom([]ApprovalScope{ApprovalThread, ApprovalPrincipal})
	rapid.Check(t, func(t *rapid.T) {
		thread, given := &Thread{}, map[string]Approval{}
		for i := range rapid.IntRange(0, 8).Draw(t, "approvals") {
			a := Approval{ID: string(rune('a' + i)), Scope: scope.Draw(t, "scope"), ApprovalSubject: subject.Draw(t, "subject")}
			thread = PlanRemember(thread, a, time.Unix(1, 0)).Thread
			given[a.ID] = a
		}
		for id := range given {
			if rapid.Bool().Draw(t, "revoked") {
				s, _ := PlanRevoke(thread, id, time.Unix(2, 0))
				thread = s.Thread
				delete(given, id)
			}
		}
		call := subject.Draw(t, "call")
		scopes := rapid.SliceOf(scope).Draw(t, "scopes")
		want := false
		for _, a := range given {
			want = want || a.ApprovalSubject == call && slices.Contains(scopes, a.Scope)
		}
		a, got := Covering(thread.Approvals, call, scopes)
		if got != want || got && (a.ApprovalSubject != call || given[a.ID].ID != a.ID) {
			t.Fatalf("covered by %+v: %v, want %v", a, got, want)
		}
	})
}
