package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/exact"
)

// Limits of what a server may ask a person.
const (
	maxQuestion     = 4 << 10  // bytes of the message
	maxQuestionForm = 16 << 10 // bytes of the schema
	maxRequestState = 64 << 10 // bytes that a server wants back with the answer
	maxQuestions    = 8        // of one result
)

// An inputState is kept with a question of a server, and identifies the call that waits for the answer.
type inputState struct {
	// Asked identifies a question that came while the call was under way; the server asks the same again when the call
	// is made again.
	Asked string `json:"asked,omitempty"`
	// ID is the server's name of a question that came as the call's result, Round what it wants back with the answers
	// to all questions of that result, and Rest those that are still to be asked.
	ID    string      `json:"id,omitempty"`
	Round string      `json:"round,omitempty"`
	Rest  []roundItem `json:"rest,omitempty"`
}

type roundItem struct {
	ID      string          `json:"id"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"schema,omitempty"`
}

var errAsked = errors.New("mcp: the server asks a person")

func (s *Server) needs(message string, schema json.RawMessage, state inputState) error {
	raw, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return &tools.InputNeeded{Message: message, Schema: schema, By: s.o.Name, State: raw}
}

// nextOf is the error that asks the first of the questions of a result.
func (s *Server) nextOf(round string, items []roundItem) error {
	first := items[0]
	return s.needs(first.Message, first.Schema, inputState{ID: first.ID, Round: round, Rest: items[1:]})
}

// fromResult is the error that asks what a result says that the call needs.
func (s *Server) fromResult(r *sdk.CallToolResult) error {
	unusable := func(why string) error {
		return &tools.Error{Text: "The tool wanted to know something that cannot be asked here.",
			Err: fmt.Errorf("mcp: server %s: %s", s.o.Name, why)}
	}
	if n := len(r.InputRequests); n == 0 || n > maxQuestions || len(r.RequestState) > maxRequestState {
		return unusable(fmt.Sprintf("it needs %d inputs with a state of %d bytes", n, len(r.RequestState)))
	}
	var items []roundItem
	for _, id := range slices.Sorted(maps.Keys(r.InputRequests)) {
		p, ok := r.InputRequests[id].(*sdk.ElicitParams)
		if !ok {
			return unusable("it needs something else than a person's answer")
		}
		schema, err := questionForm(p)
		if err != nil {
			return unusable(err.Error())
		}
		items = append(items, roundItem{id, p.Message, schema})
	}
	return s.nextOf(r.RequestState, items)
}

// questionForm checks what a server asks, and returns the schema of the answer.
func questionForm(p *sdk.ElicitParams) (json.RawMessage, error) {
	if p.Mode != "" && p.Mode != "form" || p.URL != "" {
		return nil, errors.New("it sends people to a site, which is not offered")
	}
	if p.RequestedSchema == nil {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	schema, err := json.Marshal(p.RequestedSchema)
	switch {
	case err != nil:
		return nil, errors.New("its question has no schema that can be read")
	case len(schema) > maxQuestionForm || len(p.Message) > maxQuestion:
		return nil, errors.New("its question is too long")
	}
	return schema, nil
}

// given are a person's answers for a call, as its server wants them.
type given struct {
	live  map[string]*sdk.ElicitResult // by question, for the questions that come while a call is under way
	round sdk.InputResponseMap         // for those of the last result
	state string
}

// givenOf reads the answers of a call. If questions of a result are still to be asked, err asks the next.
func (s *Server) givenOf(c groupchat.ToolCall) (g given, err error) {
	g.live = map[string]*sdk.ElicitResult{}
	for _, in := range c.Inputs {
		var state inputState
		if err := exact.Unmarshal(in.State, &state); err != nil {
			return g, fmt.Errorf("mcp: server %s: the state of a question: %w", s.o.Name, err)
		}
		answer := answerOf(in.Answer)
		if state.Asked != "" {
			g.live[state.Asked] = answer
			continue
		}
		if g.round == nil || g.state != state.Round {
			g.round, g.state = sdk.InputResponseMap{}, state.Round
		}
		g.round[state.ID] = answer
		err = nil
		if len(state.Rest) > 0 {
			err = s.nextOf(state.Round, state.Rest)
		}
	}
	return g, err
}

// answerOf is what a person answered as servers want it. One that is no object answers none of their questions.
func answerOf(a ask.Answer) *sdk.ElicitResult {
	content := map[string]any{}
	if a.Cancelled || exact.Unmarshal(a.Payload, &content) != nil {
		return &sdk.ElicitResult{Action: "cancel"}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}
}

// elicit answers a question that a server asks while calls are under way: with what a person has answered before, or
// else it ends the call that asks, which is made again when the answer is there.
func (s *Server) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	s.mu.Lock()
	conn := s.conn
	s.mu.Unlock()
	if conn == nil || conn.session != r.Session {
		return &sdk.ElicitResult{Action: "cancel"}, nil
	}
	u := conn.onlyCall(ctx)
	schema, err := questionForm(r.Params)
	switch {
	case u == nil:
		s.o.Log.Warn("mcp: a question of the server belongs to none of its calls, or nobody knows to which", "server",
			s.o.Name)
		return &sdk.ElicitResult{Action: "cancel"}, nil
	case err != nil:
		s.o.Log.Warn("mcp: a question of the server cannot be asked", "server", s.o.Name, "error", err)
		return &sdk.ElicitResult{Action: "cancel"}, nil
	}
	asked := hash(r.Params.Message, string(schema))
	if answer, ok := u.given.live[asked]; ok {
		return answer, nil
	}
	u.ask(s.needs(r.Params.Message, schema, inputState{Asked: asked}))
	return nil, errAsked // not "cancel": there is no decision yet
}
