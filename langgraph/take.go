package langgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
)

// maxNamespace is how many bytes the name of a subgraph's place may have.
const maxNamespace = 1000

var (
	errNoJSON    = errors.New("an event is not JSON")
	errNamespace = errors.New("a subgraph's place has too long a name")
)

// take folds in one event of a stream. What its name says behind a | is the subgraph it is of. Events of other kinds
// than were asked for are passed over.
func (a *answer) take(record agui.Record) error {
	if !json.Valid(record.Data) {
		return &client.Error{Fault: client.FaultInvalid, Err: errNoJSON}
	}
	mode, ns, _ := strings.Cut(record.Name, "|")
	if len(ns) > maxNamespace {
		return &client.Error{Fault: client.FaultInvalid, Err: errNamespace}
	}
	switch mode {
	case "metadata":
		var body statusOf
		if exact.Unmarshal(record.Data, &body) == nil && body.ID != "" {
			a.runID = body.ID
		}
	case "error":
		a.failed = failureOf(record.Data)
	case "messages":
		return a.takeMessage(ns, record.Data)
	case "values":
		if ns == "" {
			return a.takeValues(membersOf(record.Data))
		}
	case "updates":
		for _, node := range nodesOf(record.Data) {
			if err := a.out.closeNode(ns, node); err != nil {
				return err
			}
		}
	case "custom":
		tag, err := a.out.tag(ns)
		if err != nil {
			return err
		}
		return a.out.Emit(&agui.Custom{Tagged: tag, Name: CustomName, Value: record.Data})
	}
	return nil
}

// CustomName is the name of the CUSTOM events that carry what a graph writes into its stream by itself.
const CustomName = "langgraph.custom"

func failureOf(raw json.RawMessage) *agui.RunError {
	var why struct{ Error, Message string }
	if exact.Unmarshal(raw, &why) != nil {
		_ = exact.Unmarshal(raw, &why.Message) // any other value has no message
	}
	return &agui.RunError{Code: why.Error, Message: why.Message}
}

// nodesOf are the nodes of which an update tells, in an order.
func nodesOf(raw json.RawMessage) []string {
	var nodes []string
	for node := range membersOf(raw) {
		if node != interruptKey {
			nodes = append(nodes, node)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// takeMessage folds in a message, or a piece of one, and where it is from.
func (a *answer) takeMessage(ns string, data []byte) error {
	var pair []json.RawMessage
	if exact.Unmarshal(data, &pair) != nil || len(pair) == 0 {
		return &client.Error{Fault: client.FaultInvalid, Err: errNoJSON}
	}
	m, ok := messageOf(pair[0])
	if !ok || m.ID == "" || a.old[m.ID] {
		return nil
	}
	var from struct {
		Node     string `json:"langgraph_node"`
		Provider string `json:"ls_provider"`
		Model    string `json:"ls_model_name"`
	}
	if len(pair) > 1 {
		_ = exact.Unmarshal(pair[1], &from) // a message of unknown place belongs to the run
	}
	switch m.Type {
	case typeTool:
		return a.out.result(&m, ns)
	case typeAI:
	default:
		return nil // others' words are not the assistant's to add
	}
	s := a.out.messageOf(m.ID, ns, from.Node)
	s.provider, s.model = cmp.Or(s.provider, from.Provider, m.Response.Provider),
		cmp.Or(s.model, from.Model, m.Response.Model, m.Response.OtherName)
	if !isPiece(pair[0], &m) {
		s.usage = cmp.Or(m.Usage, s.usage)
		return a.out.whole(&m, s)
	}
	s.used(m.Usage)
	return a.takePiece(&m, s)
}

func (a *answer) takePiece(m *message, s *spoken) error {
	text, thought := saidBy(m)
	if err := a.out.think(s, thought); err != nil {
		return err
	}
	if err := a.out.write(s, text); err != nil {
		return err
	}
	if m.Pieces == nil {
		return nil
	}
	for _, p := range *m.Pieces {
		if err := a.out.argue(s, p); err != nil {
			return err
		}
	}
	return nil
}

// takeValues sends the state if it has changed. Messages in it are sent as they come, and missed ones at the end.
func (a *answer) takeValues(members map[string]json.RawMessage) error {
	shared := map[string]json.RawMessage{}
	for name, value := range members {
		if !isPrivate(name) {
			shared[name] = value
		}
	}
	if len(shared) == 0 {
		return nil // nothing but questions, say
	}
	return a.out.State(shared)
}

// finish ends the run with the outcome in the thread.
func (a *answer) finish(run statusOf) error {
	now, err := a.state()
	if err != nil {
		return err
	}
	if err := a.rest(now.messages); err != nil {
		return err
	}
	if err := a.takeValues(now.members); err != nil {
		return err
	}
	used := a.out.usage()
	if a.failed == nil && (run.Status == "error" || run.Status == "timeout") {
		a.failed = &agui.RunError{Code: run.Status}
	}
	if a.failed != nil {
		return a.out.Fail(a.failed.Code, a.failed.Message, used)
	}
	var outcome *agui.Outcome
	switch waits := a.waiting(now.questions()); {
	case len(waits) > 0:
		outcome = &agui.Outcome{Type: agui.OutcomeInterrupt, Interrupts: waits}
	case run.Status == "interrupted":
		outcome = &agui.Outcome{Type: agui.OutcomeCancelled} // somebody has stopped it there
	}
	return a.out.Finish(outcome, used)
}

// rest sends the thread's messages that the stream did not have.
func (a *answer) rest(messages []message) error {
	for i := range messages {
		m := &messages[i]
		if m.ID == "" || a.old[m.ID] {
			continue
		}
		switch m.Type {
		case typeTool:
			if err := a.out.result(m, ""); err != nil {
				return err
			}
		case typeAI:
			s := a.out.messageOf(m.ID, "", "")
			s.usage = cmp.Or(m.Usage, s.usage)
			s.provider, s.model = cmp.Or(s.provider, m.Response.Provider),
				cmp.Or(s.model, m.Response.Model, m.Response.OtherName)
			if err := a.out.whole(m, s); err != nil {
				return err
			}
		}
	}
	return a.out.closeAll()
}

// waiting are the open questions, but for those that the request has called off.
func (a *answer) waiting(open []question) []agui.Interrupt {
	var list []agui.Interrupt
	for _, q := range open {
		off := slices.ContainsFunc(a.request.Input.Resume, func(r agui.ResumeEntry) bool {
			return r.InterruptID == q.id && r.Status == agui.ResumeCancelled
		})
		if !off {
			i := agui.Interrupt{ID: q.id, Reason: "input_required", Message: messageIn(q.value)}
			if membersOf(q.value) != nil {
				i.Metadata = agui.Metadata{"value": q.value}
			}
			list = append(list, i)
		}
	}
	return list
}

// messageIn is what a question says to people: text, or the member of its value that is called as such a text would be.
func messageIn(value json.RawMessage) string {
	var text string
	if exact.Unmarshal(value, &text) == nil {
		return text
	}
	members := membersOf(value)
	for _, name := range []string{"message", "question", "prompt", "description", "title"} {
		if exact.Unmarshal(members[name], &text) == nil && text != "" {
			return text
		}
	}
	var several struct {
		Requests []struct {
			Description string `json:"description"`
		} `json:"action_requests"` // of the middleware that has people approve calls
	}
	_ = exact.Unmarshal(value, &several) // any other value has none
	for _, r := range several.Requests {
		text = strings.TrimLeft(text+"\n"+r.Description, "\n")
	}
	return text
}
