package gateway_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state/memstore"
)

// With content the audit has what each decision on a call says; without, a hash.
func TestAuditHasContentIfItIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		s := &counter{T: t, till: &till{}}
		s.worlds = []*world{newWorld(t, byHeader, onStore(memstore.New(memstore.Options{})), func(o *gateway.Options) {
			o.Audit, o.AuditContent = s.log.add, content
			o.Agents, o.Agent = map[string]groupchat.Agent{"till": s.till.agent()}, nil
		})}
		s.asks("ada", "till", "t", "1 2 3")
		s.answers("ada", "till", "t", `{"approved":true}`, `{"approved":false,"reason":"not this one"}`, `{"approved":true,"editedArgs":{"euros":4},"reason":"half"}`)
		answers := s.audited(gateway.AuditAnswered).Answers
		if len(answers) != 3 {
			t.Fatalf("%d answers, want 3", len(answers))
		}
		for i, want := range []struct{ arguments, reason string }{{`{"euros":1}`, ""}, {`{"euros":2}`, "not this one"}, {`{"euros":4}`, "half"}} {
			if !content {
				want.arguments, want.reason = "", ""
			}
			if a := answers[i]; string(a.Arguments) != want.arguments || a.Reason != want.reason || len(a.ArgumentsHash) != 32 {
				t.Errorf("content %v: the audit has %s, %q and the hash %q, want %+v", content, a.Arguments, a.Reason, a.ArgumentsHash, want)
			}
		}
	}
}

// The server log gets entries that the audit did not write, without content.
func TestAnAuditThatFailsTellsNoContent(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	s := &counter{T: t, till: &till{}}
	s.worlds = []*world{newWorld(t, byHeader, problemAttrs(&log), func(o *gateway.Options) {
		o.Audit, o.AuditContent = func(gateway.AuditEntry) error { return errors.New("the disk is full") }, true
		o.Agents, o.Agent = map[string]groupchat.Agent{"till": s.till.agent()}, nil
	})}
	s.asks("ada", "till", "t", "1")
	s.answers("ada", "till", "t", `{"approved":true,"editedArgs":{"euros":44},"reason":"a private matter"}`)
	lines := log.lines(t, "audit: not written")
	if len(lines) != 1 {
		t.Fatalf("%d lines, want 1", len(lines))
	}
	entry := lines[0]["entry"].(string)
	if !strings.Contains(entry, "approved_edited") || strings.Contains(entry, "private") || strings.Contains(entry, "44}") {
		t.Errorf("the server log has %s", entry)
	}
}
