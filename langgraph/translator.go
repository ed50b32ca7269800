package langgraph

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/surrogate"
)

// A translator translates a run into events of AG-UI. It sends each item once.
type translator struct {
	*client.Writer

	messages map[string]*spoken // of the assistant's, by id
	order    []*spoken          // all of them, in order
	callers  map[string]*spoken // by the id of a call
	results  map[string]bool    // messages of tools
	graphs   map[string]*subgraph
	begun    int         // subgraphs
	open     []*subgraph // in the order in which they began
}

// A spoken is the sent part of a message of the assistant.
type spoken struct {
	*client.Message
	graph, node string // where it is made
	owned       bool   // a part was sent
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

func newTranslator(w *client.Writer) *translator {
	return &translator{Writer: w, messages: map[string]*spoken{}, callers: map[string]*spoken{},
		results: map[string]bool{}, graphs: map[string]*subgraph{}}
}

// closeMessages ends what the messages that are meant have open.
func (t *translator) closeMessages(meant func(*spoken) bool) error {
	for _, s := range t.order {
		if meant(s) {
			if err := t.closeMessage(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *translator) closeMessage(s *spoken) error {
	if err := t.closeThought(s); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	for _, key := range s.callOrder {
		c := s.calls[key]
		if !c.begun || c.ended {
			continue
		}
		c.ended = true
		if err := t.Emit(&agui.ToolCallEnd{Tagged: s.Owner, ToolCallID: c.id}); err != nil {
			return err
		}
	}
	return nil
}

// messageOf returns the message of an id, and creates it if necessary.
func (t *translator) messageOf(id, ns, node string) *spoken {
	s := t.messages[id]
	if s == nil {
		s = &spoken{Message: t.Message(id, ""), graph: ns, node: node, calls: map[string]*call{}}
		t.messages[id], t.order = s, append(t.order, s)
	}
	return s
}

// touch prepares a message for another event. It reports false for messages of a subgraph that has ended.
func (t *translator) touch(s *spoken) (bool, error) {
	if g := t.graphs[s.graph]; s.owned && g != nil && (g.over || g.id != s.Owner.SubagentRunID) {
		return false, nil
	}
	tag, err := t.tag(s.graph)
	if err != nil {
		return false, err
	}
	s.Owner, s.owned = tag, true
	return true, nil
}

func (t *translator) write(s *spoken, piece surrogate.Text) error {
	text := s.Join(string(piece))
	if text == "" {
		return nil
	}
	if ok, err := t.touch(s); !ok {
		return err
	}
	if err := t.closeThought(s); err != nil {
		return err
	}
	return s.Say(text)
}

func (t *translator) think(s *spoken, piece surrogate.Text) error {
	text := s.thinks.Add(piece)
	if text == "" {
		return nil
	}
	if ok, err := t.touch(s); !ok {
		return err
	}
	if s.thought == "" {
		s.thoughts++
		s.thought = s.ID + "-thought-" + strconv.Itoa(s.thoughts)
		err := t.Emit(&agui.ReasoningStart{Tagged: s.Owner, MessageID: s.thought},
			&agui.ReasoningMessageStart{Tagged: s.Owner, MessageID: s.thought, Role: agui.RoleReasoning})
		if err != nil {
			return err
		}
	}
	return t.Emit(&agui.ReasoningMessageContent{Tagged: s.Owner, MessageID: s.thought, Delta: text})
}

func (t *translator) closeThought(s *spoken) error {
	if s.thought == "" {
		return nil
	}
	id := s.thought
	s.thought = ""
	return t.Emit(&agui.ReasoningMessageEnd{Tagged: s.Owner, MessageID: id},
		&agui.ReasoningEnd{Tagged: s.Owner, MessageID: id})
}

// argue sends more of a call's arguments. A call begins when it has a name and an id.
func (t *translator) argue(s *spoken, p callPiece) error {
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
		if err := t.Emit(&agui.ToolCallStart{Tagged: s.Owner, ToolCallID: c.id, ToolCallName: c.name,
			ParentMessageID: s.ID}); err != nil {
			return err
		}
	}
	if delta == "" {
		return nil
	}
	return t.Emit(&agui.ToolCallArgs{Tagged: s.Owner, ToolCallID: c.id, Delta: delta})
}

// call is the call that a piece belongs to: by its index, its id, or because it follows one of it.
func (s *spoken) call(p callPiece) *call {
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
func (t *translator) whole(m *message, s *spoken) error {
	text, thought := saidBy(m)
	if s.thoughts == 0 && s.Text() == "" {
		if err := t.think(s, thought); err != nil {
			return err
		}
	}
	if before := s.Text(); strings.HasPrefix(string(text), before) {
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
	return t.closeMessage(s)
}

// argumentsOf are the arguments of a whole call as text.
func argumentsOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "{}"
	}
	return string(raw)
}

// result sends the result of a tool. The call is over then.
func (t *translator) result(m *message, ns string) error {
	if m.ToolCallID == "" || t.results[m.ID] {
		return nil
	}
	t.results[m.ID] = true
	if s := t.callers[m.ToolCallID]; s != nil {
		if err := t.closeMessage(s); err != nil {
			return err
		}
	}
	tag, err := t.tag(ns)
	if err != nil {
		return err
	}
	return t.Emit(&agui.ToolCallResult{Tagged: tag, MessageID: m.ID, ToolCallID: m.ToolCallID, Content: resultOf(m),
		Role: agui.RoleTool})
}
