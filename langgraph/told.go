package langgraph

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

type told struct {
	yield func(agui.Event, error) bool
	order agui.Verifier

	said    map[string]*said // messages of the assistant's, by id
	spoke   []*said          // all of them, in order
	live    []*said          // those that may have something open
	callers map[string]*said // by the id of a call
	results map[string]bool  // messages of tools
	graphs  map[string]*subgraph
	begun   int         // subgraphs
	open    []*subgraph // in the order in which they began
	state   string      // the last snapshot
}

// A said is the sent part of a message of the assistant.
type said struct {
	id          string
	graph, node string // where it is made
	owner       agui.Tagged
	owned       bool // a part was sent
	text        strings.Builder
	join        surrogate.Joiner
	open        bool   // its text
	thought     string // id of the reasoning that is open
	thinks      surrogate.Joiner
	thoughts    int
	calls       map[string]*call
	callOrder   []string
	lastCall    string
	usage       *usage
	model       string
	provider    string
}

type call struct {
	id    string
	name  string
	args  strings.Builder
	join  surrogate.Joiner
	begun bool
	ended bool
}

func newTold(yield func(agui.Event, error) bool) *told {
	return &told{yield: yield, said: map[string]*said{}, callers: map[string]*said{}, results: map[string]bool{},
		graphs: map[string]*subgraph{}}
}

func (t *told) emit(events ...agui.Event) error {
	for _, e := range events {
		if err := t.order.Next(e); err != nil {
			return &client.Error{Fault: client.FaultInvalid, Err: err}
		}
		if !t.yield(e, nil) {
			return client.ErrEnough
		}
	}
	return nil
}

// closeSaid ends what the messages that are meant have open.
func (t *told) closeSaid(meant func(*said) bool) error {
	for _, s := range slices.Clone(t.live) {
		if meant(s) {
			if err := t.close(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *told) close(s *said) error {
	t.live = slices.DeleteFunc(t.live, func(o *said) bool { return o == s })
	if err := t.closeThought(s); err != nil {
		return err
	}
	if s.open {
		s.open = false
		if err := t.emit(&agui.TextMessageEnd{Tagged: s.owner, MessageID: s.id}); err != nil {
			return err
		}
	}
	for _, key := range s.callOrder {
		c := s.calls[key]
		if !c.begun || c.ended {
			continue
		}
		c.ended = true
		if err := t.emit(&agui.ToolCallEnd{Tagged: s.owner, ToolCallID: c.id}); err != nil {
			return err
		}
	}
	return nil
}

// message returns the message of an id, and creates it if necessary.
func (t *told) message(id, ns, node string) *said {
	s := t.said[id]
	if s == nil {
		s = &said{id: id, graph: ns, node: node, calls: map[string]*call{}}
		t.said[id], t.spoke = s, append(t.spoke, s)
	}
	return s
}

// touch prepares a message for another event. It reports false for messages of a subgraph that has ended.
func (t *told) touch(s *said) (bool, error) {
	if g := t.graphs[s.graph]; s.owned && g != nil && (g.over || g.id != s.owner.SubagentRunID) {
		return false, nil
	}
	tag, err := t.tag(s.graph)
	if err != nil {
		return false, err
	}
	s.owner, s.owned = tag, true
	if !slices.Contains(t.live, s) {
		t.live = append(t.live, s)
	}
	return true, nil
}

func (t *told) write(s *said, piece surrogate.Text) error {
	text := s.join.Add(piece)
	if text == "" {
		return nil
	}
	if ok, err := t.touch(s); !ok {
		return err
	}
	if err := t.closeThought(s); err != nil {
		return err
	}
	if !s.open {
		s.open = true
		if err := t.emit(&agui.TextMessageStart{Tagged: s.owner, MessageID: s.id,
			Role: agui.RoleAssistant}); err != nil {
			return err
		}
	}
	s.text.WriteString(text)
	return t.emit(&agui.TextMessageContent{Tagged: s.owner, MessageID: s.id, Delta: text})
}

func (t *told) think(s *said, piece surrogate.Text) error {
	text := s.thinks.Add(piece)
	if text == "" {
		return nil
	}
	if ok, err := t.touch(s); !ok {
		return err
	}
	if s.thought == "" {
		s.thoughts++
		s.thought = s.id + "-thought-" + strconv.Itoa(s.thoughts)
		err := t.emit(&agui.ReasoningStart{Tagged: s.owner, MessageID: s.thought},
			&agui.ReasoningMessageStart{Tagged: s.owner, MessageID: s.thought, Role: agui.RoleReasoning})
		if err != nil {
			return err
		}
	}
	return t.emit(&agui.ReasoningMessageContent{Tagged: s.owner, MessageID: s.thought, Delta: text})
}

func (t *told) closeThought(s *said) error {
	if s.thought == "" {
		return nil
	}
	id := s.thought
	s.thought = ""
	return t.emit(&agui.ReasoningMessageEnd{Tagged: s.owner, MessageID: id},
		&agui.ReasoningEnd{Tagged: s.owner, MessageID: id})
}

// argue tells more of a call's arguments. A call begins when it has a name and an id.
func (t *told) argue(s *said, p callPiece) error {
	c := s.call(p)
	if !c.begun {
		c.id = cmp.Or(c.id, p.ID)
		c.name += p.Name
	}
	delta := c.join.Add(p.Args)
	c.args.WriteString(delta)
	if c.ended || c.name == "" || c.id == "" {
		return nil
	}
	if ok, err := t.touch(s); !ok {
		return err
	}
	if !c.begun {
		c.begun, delta = true, c.args.String()
		t.callers[c.id] = s
		if err := t.closeThought(s); err != nil {
			return err
		}
		if err := t.emit(&agui.ToolCallStart{Tagged: s.owner, ToolCallID: c.id, ToolCallName: c.name,
			ParentMessageID: s.id}); err != nil {
			return err
		}
	}
	if delta == "" {
		return nil
	}
	return t.emit(&agui.ToolCallArgs{Tagged: s.owner, ToolCallID: c.id, Delta: delta})
}

// call is the call that a piece belongs to: by its index, its id, or because it follows one of it.
func (s *said) call(p callPiece) *call {
	key := string(p.Index)
	if key == "" || key == "null" {
		key = cmp.Or(p.ID, s.lastCall)
	}
	s.lastCall = key
	c := s.calls[key]
	if c == nil {
		c = &call{}
		s.calls[key] = c
		s.callOrder = append(s.callOrder, key)
	}
	return c
}

// whole sends the new parts of a complete message.
func (t *told) whole(m *message, s *said) error {
	text, thought := saidBy(m)
	if s.thoughts == 0 && s.text.Len() == 0 {
		if err := t.think(s, thought); err != nil {
			return err
		}
	}
	if before := s.text.String(); strings.HasPrefix(string(text), before) {
		if err := t.write(s, text[len(before):]); err != nil {
			return err
		}
	}
	for _, c := range m.ToolCalls {
		if c.ID == "" || t.callers[c.ID] != nil {
			continue
		}
		if err := t.argue(s, callPiece{ID: c.ID, Name: c.Name, Args: surrogate.Text(argumentsOf(c.Args))}); err != nil {
			return err
		}
	}
	return t.close(s)
}

// argumentsOf are the arguments of a whole call as text.
func argumentsOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "{}"
	}
	return string(raw)
}

// result tells what a tool returned. The call is over then.
func (t *told) result(m *message, ns string) error {
	if m.ToolCallID == "" || t.results[m.ID] {
		return nil
	}
	t.results[m.ID] = true
	if s := t.callers[m.ToolCallID]; s != nil {
		if err := t.close(s); err != nil {
			return err
		}
	}
	tag, err := t.tag(ns)
	if err != nil {
		return err
	}
	return t.emit(&agui.ToolCallResult{Tagged: tag, MessageID: m.ID, ToolCallID: m.ToolCallID, Content: resultOf(m),
		Role: agui.RoleTool})
}
