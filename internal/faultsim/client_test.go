package faultsim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// A client is a person with a page: it has one thread, and reads each of its runs to the end.
type client struct {
	w      *world
	name   string
	agent  string
	thread string
	http   *http.Client
	number int

	verifier *agui.Verifier // nil before the first stream
	view     *run.View
	cursor   string

	sent []agui.ResumeEntry // the answers of the request that is posted
	seen outcome            // what the newest connection says about them
}

func (w *world) client(name, agent, thread string) *client {
	return &client{w: w, name: name, agent: agent, thread: thread, http: &http.Client{Transport: &network{w: w, actor: name}}}
}

// A threadDocument is what GET /threads/{id} answers.
type threadDocument struct {
	Status     string
	Messages   []agui.Message
	Interrupts []agui.Interrupt
	State      json.RawMessage
}

// live uses the page until faults are over, and then waits until nothing runs.
func (c *client) live() {
	for !c.w.over() {
		r := c.w.dice.next(c.name)
		time.Sleep(between(r, 0, 2*time.Second))
		doc, ok := c.load()
		switch {
		case !ok:
		case doc.Status == string(state.StatusRunning):
			c.follow()
		case len(doc.Interrupts) > 0:
			c.answer(r, doc)
		default:
			c.say(r, doc)
		}
	}
	for {
		if doc, ok := c.load(); ok && doc.Status != string(state.StatusRunning) {
			return
		}
		if time.Now().After(c.w.deadline()) {
			c.w.problem("%s: the thread still runs", c.name)
			return
		}
		c.follow()
		time.Sleep(time.Second)
	}
}

// request makes a request of one of the replicas.
func (c *client) request(ctx context.Context, method, path, body string, header ...string) (*http.Response, error) {
	host := c.w.dice.next("host " + c.name).IntN(c.w.hosts())
	r, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://%d%s", host, path), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return c.http.Do(r)
}

// load reads the thread; an unknown one is empty.
func (c *client) load() (doc threadDocument, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	response, err := c.request(ctx, http.MethodGet, "/threads/"+c.thread+"?agent="+c.agent, "")
	if err != nil {
		return doc, false
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if response.StatusCode == http.StatusNotFound {
		return threadDocument{Status: "idle"}, true
	}
	if err != nil || response.StatusCode != http.StatusOK {
		return doc, false
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		c.w.problem("%s: %s: %v", c.name, data, err)
		return doc, false
	}
	return doc, true
}

// users returns the ids of a conversation's user messages.
func users(messages []agui.Message) map[string]bool {
	ids := map[string]bool{}
	for _, m := range messages {
		if m.Role == agui.RoleUser {
			ids[m.ID] = true
		}
	}
	return ids
}

// say sends a new message, now and then in the place of an earlier one.
func (c *client) say(r *rand.Rand, doc threadDocument) {
	kept := doc.Messages
	var asked []int // where users spoke
	for i, m := range kept {
		if m.Role == agui.RoleUser {
			asked = append(asked, i)
		}
	}
	if len(asked) > 1 && chance(r, 30) {
		kept = kept[:asked[1+r.IntN(len(asked)-1)]] // a list of nothing but a new message is no edit
	}
	c.number++
	number := fmt.Sprintf("%s-%d", c.name, c.number)
	verb := "refund"
	if c.agent == "desk" {
		verb = []string{"talk", "pay", "ask"}[r.IntN(3)]
	}
	c.w.permit(func(p *permissions) { p.parents[number] = users(kept) })
	message := agui.Message{ID: "u" + number, Role: agui.RoleUser, Content: agui.TextContent(verb + " " + number)}
	in := &agui.RunAgentInput{RunID: "run" + number, Messages: append(slices.Clone(kept), message)}
	query := "?disconnect=detach"
	if chance(r, 30) {
		query = ""
	}
	c.w.logf("%s says %s %s behind %d of %d messages", c.name, verb, number, len(kept), len(doc.Messages))
	c.post(in, query)
}

// answer answers all questions; sometimes another tab of the person does so at the same time.
func (c *client) answer(r *rand.Rand, doc threadDocument) {
	last := doc.Messages[lastUser(doc.Messages)]
	_, number, _ := strings.Cut(last.Content.Text(), " ")
	in := func(suffix string) *agui.RunAgentInput {
		c.number++
		in := &agui.RunAgentInput{RunID: fmt.Sprintf("run%s-%d%s", c.name, c.number, suffix), Messages: doc.Messages}
		for _, q := range doc.Interrupts {
			in.Resume = append(in.Resume, agui.ResumeEntry{InterruptID: q.ID, Status: agui.ResumeResolved, Payload: c.decide(r, last.ID, number)})
		}
		c.w.logf("%s answers %s: %s", c.name, number, in.Resume[0].Payload)
		return in
	}
	mine := in("")
	if chance(r, 40) {
		tab := c.w.client(c.name+"'", c.agent, c.thread)
		theirs := in("'")
		done := make(chan struct{})
		go func() {
			defer close(done)
			tab.post(theirs, "?disconnect=detach")
		}()
		defer func() { <-done }()
	}
	c.post(mine, "?disconnect=detach")
}

func lastUser(messages []agui.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == agui.RoleUser {
			return i
		}
	}
	return 0
}

// decide draws an answer to the question that the turn of a message asks.
func (c *client) decide(r *rand.Rand, message, number string) json.RawMessage {
	if c.agent == "desk" {
		value := []string{"S", "M", "L"}[r.IntN(3)]
		c.w.permit(func(p *permissions) {
			if p.answers[number] == nil {
				p.answers[number] = map[string]bool{}
			}
			p.answers[number][value] = true
		})
		return json.RawMessage(`{"value":"` + value + `"}`)
	}
	switch r.IntN(3) {
	case 0:
		return json.RawMessage(`{"approved":false}`)
	case 1:
		c.w.permit(func(p *permissions) { p.calls[number] = true })
		return json.RawMessage(`{"approved":true}`)
	}
	c.w.permit(func(p *permissions) { p.calls[number], p.remembered[message] = true, true })
	return json.RawMessage(`{"approved":true,"remember":"thread"}`)
}

// post begins a run, and reads it to the end.
func (c *client) post(in *agui.RunAgentInput, query string) {
	in.ProtocolVersion, in.ThreadID = agui.ProtocolVersion, c.thread
	data, err := json.Marshal(in)
	if err != nil {
		c.w.problem("%s: %v", c.name, err)
		return
	}
	c.cursor, c.sent = "", in.Resume
	c.read(func(ctx context.Context) (*http.Response, bool, error) {
		if c.cursor != "" {
			response, err := c.attach(ctx)
			return response, false, err
		}
		c.reset(in.Messages)
		response, err := c.request(ctx, http.MethodPost, "/agents/"+c.agent+query, string(data))
		return response, true, err
	})
}

// follow reads the run that is live to the end.
func (c *client) follow() {
	c.read(func(ctx context.Context) (*http.Response, bool, error) {
		response, err := c.attach(ctx)
		return response, false, err
	})
}

func (c *client) attach(ctx context.Context) (*http.Response, error) {
	path := "/threads/" + c.thread + "/events?agent=" + c.agent + "&protocolVersion=" + agui.ProtocolVersion
	if c.cursor == "" {
		return c.request(ctx, http.MethodGet, path, "")
	}
	return c.request(ctx, http.MethodGet, path, "", "Last-Event-ID", c.cursor)
}

// reset begins a new stream.
func (c *client) reset(messages []agui.Message) {
	doc, err := document.New(nil, document.Options{})
	if err != nil {
		panic(err) // an empty document is one
	}
	c.verifier, c.view, c.cursor = &agui.Verifier{}, run.NewView(messages, doc), ""
}

// errInvalid stops the reader of a stream that violates the protocol.
var errInvalid = errors.New("faultsim: invalid stream")

// read reads to the end of a run, over as many connections as it takes. Once faults are over it ends in time.
func (c *client) read(ask func(context.Context) (*http.Response, bool, error)) {
	ctx, cancel := context.WithDeadline(context.Background(), c.w.deadline())
	defer cancel()
	connections, status := 0, 0
	for ctx.Err() == nil {
		began := c.w.tick()
		response, fresh, err := ask(ctx)
		c.seen = unclear
		var over bool
		if err == nil {
			connections, status = connections+1, response.StatusCode
			over, err = c.stream(response, fresh, began)
		}
		if fresh {
			c.w.answered(began, c.sent, c.seen)
		}
		if over || errors.Is(err, errInvalid) {
			return
		}
		if sleep(ctx, 300*time.Millisecond) != nil {
			break
		}
	}
	c.w.problem("%s: a reader of %s does not end: connection %d has status %d, the cursor is %q", c.name, c.thread, connections, status, c.cursor)
}

// stream reads one connection, and reports whether the reader has nothing to wait for.
func (c *client) stream(response *http.Response, fresh bool, began int64) (over bool, err error) {
	defer response.Body.Close()
	var place state.FrameID // in the log; zero if it is not known
	if !fresh {
		place = frameOf(c.cursor)
	}
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusNoContent:
		if response.StatusCode == http.StatusNoContent {
			c.w.logs.add(c.thread, 0, began, reading{after: place}, nil)
		}
		c.cursor = ""
		return true, nil
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return false, errNetwork
	default:
		data, _ := io.ReadAll(response.Body) // for the report
		c.w.problem("%s: status %d: %.300s", c.name, response.StatusCode, data)
		return true, nil
	}
	first := true
	for record, err := range agui.ReadStream(response.Body, 1<<20) {
		if err != nil {
			return false, err
		}
		e, err := agui.Decode(bytes.Clone(record.Data), nil)
		if err != nil {
			return false, c.invalid(record, err)
		}
		if end, failed := e.(*agui.RunError); failed && record.ID == "" && end.Code == "draining" {
			return false, errNetwork
		}
		if _, start := e.(*agui.RunStarted); first && !fresh && (c.verifier == nil || start && record.ID == "") {
			c.reset(nil)
		}
		first = false
		next := frameOf(record.ID) // zero if the event is not in the log
		if !next.IsZero() && next != place {
			c.w.logs.add(c.thread, 0, began, reading{place, next, fresh}, nil)
		}
		place = next
		if err := c.take(record, e); err != nil {
			return false, c.invalid(record, err)
		}
		c.seen = max(c.seen, outcomeOf(record, e))
		switch e := e.(type) {
		case *agui.RunFinished:
			return true, nil
		case *agui.RunError:
			c.w.logf("%s: %s", c.name, e.Code)
			if e.Code == "internal" {
				c.w.problem("%s: a run fails: %s %s", c.name, e.Code, e.Message)
			}
			if record.ID == "" { // it is not in the log, so the stream has no continuation
				c.cursor, c.verifier = "", nil
			}
			c.w.failed(c)
			return true, nil
		}
	}
	return false, io.ErrUnexpectedEOF
}

func (c *client) take(record agui.Record, e agui.Event) error {
	if record.ID != "" {
		before, now := frameOf(c.cursor), frameOf(record.ID)
		if !before.Less(now) {
			return fmt.Errorf("id %s comes behind %s", record.ID, c.cursor)
		}
		c.cursor = record.ID
	}
	if err := c.verifier.Next(e); err != nil {
		return err
	}
	return c.view.Apply(e)
}

// frameOf returns the frame of an event's id.
func frameOf(id string) state.FrameID {
	if i := strings.LastIndexByte(id, '-'); i >= 0 {
		id = id[:i]
	}
	frame, err := state.ParseFrameID(id)
	if err != nil {
		return state.FrameID{}
	}
	return frame
}

func (c *client) invalid(record agui.Record, err error) error {
	c.w.problem("%s: the stream is invalid at %s %.300s: %v", c.name, record.ID, record.Data, err)
	return errInvalid
}
