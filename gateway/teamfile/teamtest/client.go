package teamtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/inprocess"
)

// A talk is the client of a conversation: it sends requests, and collects the events of their runs.
type talk struct {
	c      *conversation
	client *client.Client
	agent  string
	runs   int
	last   *heard
	calls  []*madeCall // of all runs, for results that come later
}

func newTalk(c *conversation, agent string, h http.Handler) (*talk, error) {
	cl, err := client.New(client.Options{
		URL:    "http://127.0.0.1/agents/" + agent + "?interrupts=standard",
		Server: client.ServerGateway, HTTP: inprocess.Client(h),
	})
	return &talk{c: c, client: cl, agent: agent}, err
}

// send makes one request, and reads its run to the end.
func (t *talk) send(ctx context.Context, s sends) error {
	in := agui.RunAgentInput{ThreadID: "conversation", RunID: "run-" + strconv.Itoa(t.runs+1), Tools: t.c.tools}
	if t.runs == 0 {
		in.State = t.c.state
	}
	if s.state != nil {
		in.State = s.state
	}
	if s.user != nil {
		in.Messages = append(in.Messages, agui.Message{
			ID: fmt.Sprintf("user-%d", t.runs+1), Role: agui.RoleUser, Content: agui.TextContent(*s.user),
		})
	}
	for i, a := range s.answers {
		if !t.add(&in, i, a) {
			return nil // the mistake is noted
		}
	}
	t.runs++
	h := hear(t.agent, t.last)
	for e, err := range t.client.Run(ctx, client.Request{Input: in}) {
		if err == nil {
			err = h.take(e, t.calls)
		}
		if err != nil {
			return err
		}
	}
	t.calls = append(t.calls, h.calls...)
	t.last = h
	return nil
}

// add adds an answer to a request. It reports false, and notes a problem, if no open question has that name.
func (t *talk) add(in *agui.RunAgentInput, i int, a answer) bool {
	if a.kind == "returns" {
		return t.addResult(in, i, a)
	}
	var open []string
	var named []*asked
	if t.last != nil {
		for _, q := range t.last.asks {
			open = append(open, quote(nameOf(q)))
			if q.key == a.name || q.message == a.name || q.tool != "" && q.tool == a.name {
				named = append(named, q)
			}
		}
	}
	if len(named) != 1 {
		there := "nothing is open"
		if len(open) > 0 {
			there = "open is " + strings.Join(open, ", ")
		}
		count := "no open question is"
		if len(named) > 1 {
			count = "several open questions are"
		}
		a.at.Bad("%s called %q; %s", count, a.name, there)
		return false
	}
	entry := agui.ResumeEntry{InterruptID: named[0].id, Status: agui.ResumeResolved, Payload: a.value}
	switch a.kind {
	case "cancel":
		entry.Status, entry.Payload = agui.ResumeCancelled, nil
	case "approve", "reject":
		payload := map[string]any{"approved": a.kind == "approve"}
		if a.edited != nil {
			payload["editedArgs"] = a.edited
		}
		entry.Payload, _ = json.Marshal(payload) // it is JSON already
	}
	in.Resume = append(in.Resume, entry)
	return true
}

func (t *talk) addResult(in *agui.RunAgentInput, i int, a answer) bool {
	if t.last != nil {
		waits := t.last.waits()
		at := slices.IndexFunc(waits, func(c *madeCall) bool {
			answered := func(m agui.Message) bool { return m.ToolCallID == c.id }
			return c.name == a.name && !slices.ContainsFunc(in.Messages, answered)
		})
		if at >= 0 {
			text := string(a.value)
			if s := ""; json.Unmarshal(a.value, &s) == nil {
				text = s
			}
			in.Messages = append(in.Messages, agui.Message{
				ID: fmt.Sprintf("result-%d-%d", t.runs+1, i), Role: agui.RoleTool,
				ToolCallID: waits[at].id, Content: agui.TextContent(text),
			})
			waits[at].result = &text
			return true
		}
	}
	a.at.Bad("no call of %q waits for a result", a.name)
	return false
}

// nameOf returns the name by which a question is answered.
func nameOf(q *asked) string {
	switch {
	case q.tool != "":
		return q.tool
	case q.key != "":
		return q.key
	default:
		return q.message
	}
}
