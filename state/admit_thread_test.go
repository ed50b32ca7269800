package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
)

// message reads "u1" as a user's message, "a1" as an assistant's, "s1", "d1", "r1", "x1" as a system, developer,
// reasoning or activity message; "a1(c1,c2)" makes calls, "t1>c1" answers one.
func message(spec string) agui.Message {
	roles := map[byte]agui.Role{
		'u': agui.RoleUser, 'a': agui.RoleAssistant, 's': agui.RoleSystem, 'd': agui.RoleDeveloper,
		't': agui.RoleTool, 'r': agui.RoleReasoning, 'x': agui.RoleActivity,
	}
	m := agui.Message{ID: spec, Role: roles[spec[0]], Content: agui.TextContent(spec)}
	if id, call, ok := strings.Cut(spec, ">"); ok {
		m.ID, m.ToolCallID = id, call
	}
	if id, calls, ok := strings.Cut(strings.TrimSuffix(spec, ")"), "("); ok {
		m.ID = id
		for call := range strings.SplitSeq(calls, ",") {
			m.ToolCalls = append(m.ToolCalls, agui.ToolCall{ID: call, Type: "function", Function: agui.FunctionCall{Name: "show", Arguments: "{}"}})
		}
	}
	return m
}

func messages(specs string) []agui.Message {
	var list []agui.Message
	for spec := range strings.FieldsSeq(specs) {
		list = append(list, message(spec))
	}
	return list
}

// thread returns a thread with these messages: run 10 brought the first list, run 20 the second, and so on.
func thread(runs ...string) *fixture {
	f := &fixture{Thread: Thread{Key: Key{Principal: "local", Agent: "travel", ID: "t1"}}}
	for i, specs := range runs {
		origin := uint64(10 * (i + 1))
		s := newTransition(&f.Thread, noon.Add(-time.Hour))
		s.add(origin, messages(specs)...)
		s.Thread.Fence = origin
		run := Run{RunID: fmt.Sprintf("run%d", i+1), Hash: fmt.Sprintf("hash%d", i+1), Origin: origin, Status: RunSuccess, Committed: true, LastMessage: s.Thread.LastMessage}
		s.Ended, s.Thread.Run = s.Thread.Run, &run
		f.apply(s)
	}
	return f
}

func (f *fixture) failed(committed bool) *fixture {
	f.Thread.Failed = true
	f.Thread.Run.Status, f.Thread.Run.Code, f.Thread.Run.Committed = RunError, errcode.AgentFailed, committed
	return f
}

func (f *fixture) stopped() *fixture {
	f.Thread.Run.Status, f.Thread.Run.Code = RunCancelled, errcode.Cancelled
	return f
}

// asking adds open questions: "q1" open, "q1-" expired, "q1=payload" used with an answer, "q1~payload" claimed,
// "q1!" dropped; "/call" behind the name binds it to a call. Their schema wants {"v": …} with v a string.
func (f *fixture) asking(specs ...string) *fixture {
	f.Thread.Checkpoint, f.Thread.Run.Status = json.RawMessage(`{"v":1}`), RunInterrupt
	for _, spec := range specs {
		token := Token{ExpiresAt: noon.Add(time.Hour), Status: TokenOpen}
		var call string
		spec, call, _ = strings.Cut(spec, "/")
		id, payload, used := strings.Cut(spec, "=")
		id, claimedPayload, claimed := strings.Cut(id, "~")
		if used || claimed {
			token.Status, payload = TokenUsed, payload+claimedPayload
			token.Answer = &Answer{ID: id, Status: agui.ResumeResolved, Payload: json.RawMessage(payload)}
			if payload == "cancelled" {
				token.Answer = &Answer{ID: id, Status: agui.ResumeCancelled}
			}
		}
		if claimed {
			token.Status = TokenClaimed
		}
		if cut, ok := strings.CutSuffix(id, "-"); ok {
			id, token.ExpiresAt = cut, noon
		}
		if cut, ok := strings.CutSuffix(id, "!"); ok {
			id, token.Status = cut, TokenDropped
		}
		token.Interrupt = agui.Interrupt{ID: id, Reason: "input_required", ToolCallID: call}
		token.Interrupt.ResponseSchema = json.RawMessage(`{"type":"object","required":["v"],"properties":{"v":{"type":"string"}}}`)
		f.Tokens = append(f.Tokens, token)
		if token.Status == TokenOpen || token.Status == TokenClaimed {
			f.Thread.Open = append(f.Thread.Open, id)
		}
	}
	return f
}

// saying adds messages that came since.
func (f *fixture) saying(specs string) *fixture {
	s := newTransition(&f.Thread, noon.Add(-time.Hour))
	s.add(30, messages(specs)...)
	f.apply(s)
	return f
}

// calling adds frontend calls: "c1" open, "c1=t1" answered.
func (f *fixture) calling(specs ...string) *fixture {
	f.Thread.Checkpoint = json.RawMessage(`{"v":1}`)
	for _, spec := range specs {
		id, by, answered := strings.Cut(spec, "=")
		call := Call{ID: id, Name: "show"}
		if answered {
			m := message(by + ">" + id)
			call.Answer = &m
		}
		f.Thread.Calls = append(f.Thread.Calls, call)
	}
	return f
}

// without takes the checkpoint away.
func (f *fixture) without() *fixture {
	f.Thread.Checkpoint = nil
	return f
}

func (f *fixture) live() *fixture {
	f.Thread.Run.Status = RunRunning
	f.Thread.Live = &Live{Attempt: "x", Fence: f.Thread.Fence, Until: noon.Add(time.Second), Intent: Intent{Origin: f.Thread.Fence}}
	return f
}

func (f *fixture) tied(hungUp bool) *fixture {
	f.live().Thread.Live.Tied, f.Thread.Live.HungUp = true, hungUp
	return f
}

func (f *fixture) left(ids ...string) *fixture {
	for i := range f.Said {
		for _, id := range ids {
			if f.Said[i].Message.ID == id {
				f.Said[i].Left = f.Thread.Rev
			}
		}
	}
	t := &f.Thread
	t.Count, t.Size, t.LastMessage, t.LastUser = 0, 0, "", ""
	for _, m := range NewConversation(f.inSlots()) {
		t.Count++
		t.Size += len(m.Raw)
		t.LastMessage = m.ID
		if m.Role == agui.RoleUser {
			t.LastUser = m.ID
		}
	}
	return f
}

// queue lets tickets wait; that of "w1-" has expired.
func (f *fixture) queue(tickets ...string) *fixture {
	for _, id := range tickets {
		id, expired := strings.CutSuffix(id, "-")
		until := noon.Add(time.Second)
		if expired {
			until = noon
		}
		f.Thread.Queue = append(f.Thread.Queue, Ticket{ID: id, Until: until})
	}
	return f
}
