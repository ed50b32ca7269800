package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// decode turns the body of a run request into a request to the store, in canonical spelling.
func (g *Gateway) decode(r *http.Request, agent *servedAgent) (*state.Request, error) {
	in, data, err := g.readInput(r)
	if err != nil {
		return nil, err
	}
	return g.requestOf(r, in, data, agent)
}

// readInput reads the body of a run request; it returns the bytes too.
func (g *Gateway) readInput(r *http.Request) (*agui.RunAgentInput, []byte, error) {
	data, err := route.ReadJSON(r, g.o.Limits.Body)
	if err != nil {
		return nil, nil, err
	}
	in, warnings, err := agui.DecodeInput(data, g.decodeOptions())
	if err != nil {
		return nil, nil, err
	}
	if len(warnings) > 0 {
		left := make([]string, len(warnings))
		for i, w := range warnings {
			left[i] = w.String()
		}
		g.log(r).Warn("input: left out", "what", left)
	}
	groupchat.DropReserved(in.Messages)
	return in, data, nil
}

func (g *Gateway) decodeOptions() agui.DecodeOptions {
	l := g.o.Limits
	return agui.DecodeOptions{MaxDepth: l.Depth, MaxValues: l.Values, MaxMessages: l.Messages, MaxID: maxID}
}

// maxID is the greatest length, in bytes, of an id chosen by a client. Such ids are in keys, events and log lines.
const maxID = 256

// requestOf returns the store's form of the request in, decoded from data, to agent on behalf of r's principal.
func (g *Gateway) requestOf(r *http.Request, in *agui.RunAgentInput, data []byte,
	agent *servedAgent) (*state.Request, error) {
	era, err := agui.EraOf(in.ProtocolVersion)
	if err != nil {
		return nil, err
	}
	if note := agui.VersionNote(in.ProtocolVersion); note != "" {
		g.log(r).Info("input: " + note)
	}
	action := ""
	if agent.info.Surfaces {
		if action, err = addAction(in); err != nil {
			return nil, err
		}
	}
	key := state.Key{Principal: route.Principal(r), Agent: agent.name, ID: in.ThreadID}
	if err := g.checkAnswers(r.Context(), key, len(in.Resume)); err != nil {
		return nil, err
	}
	req := g.newRequest(in, agent, era)
	if err := g.checkAnswers(r.Context(), key, len(req.Answers)); err != nil { // in the legacy form
		return nil, err
	}
	req.Action = action
	if req.Hops, req.Chain, err = hopsOf(r.Header); err != nil {
		return nil, err
	}
	req.Key = key
	if req.Caller, err = callerOf(r); err != nil {
		return nil, err
	}
	if err := g.admitFiles(r.Context(), req, agent); err != nil {
		return nil, err
	}
	req.Hash = state.Hash(data)
	if len(in.Resume) > 0 && len(legacyAnswers(in.ForwardedProps)) > 0 {
		g.log(r).Warn("input: resume and forwardedProps.command.resume are both there, the first counts")
	}
	return req, nil
}

// freeAnswers is the number of answers that every request may have. A request may repeat answers to closed questions.
const freeAnswers = 100

// checkAnswers refuses more answers than the thread has open questions, before the answers are normalised.
func (g *Gateway) checkAnswers(ctx context.Context, key state.Key, n int) error {
	if n <= freeAnswers {
		return nil
	}
	t, _, err := g.store.Load(ctx, key)
	switch {
	case err != nil && !errors.Is(err, state.ErrUnknownThread):
		return route.StoreError(err)
	case err == nil && n <= len(t.Open):
		return nil
	}
	return &agui.FieldError{Path: "resume",
		Problem: fmt.Sprintf("has %d answers, more than there are open questions", n)}
}

// newRequest returns the store's form of in, without principal and hash.
func (g *Gateway) newRequest(in *agui.RunAgentInput, agent *servedAgent, era agui.Era) *state.Request {
	var props struct {
		Gateway struct {
			Edit       bool `json:"edit"`
			Regenerate bool `json:"regenerate"`
		} `json:"gateway"`
	}
	// Properties of another form belong to the application.
	_ = exact.Unmarshal(in.ForwardedProps, &props)
	return &state.Request{
		Key:            state.Key{Agent: agent.name, ID: in.ThreadID},
		RunID:          in.RunID,
		ParentRunID:    in.ParentRunID,
		Era:            era,
		Messages:       in.Messages,
		Answers:        parseAnswers(in),
		State:          in.State,
		Tools:          in.Tools,
		Context:        in.Context,
		ForwardedProps: in.ForwardedProps,
		Edit:           props.Gateway.Edit,
		Regenerate:     props.Gateway.Regenerate,
		MaxThread:      g.o.Limits.Thread,
		MaxState:       g.o.Limits.State,
		NewID:          g.o.NewID,
	}
}

// parseAnswers returns the answers of a request in either dialect; resume precedes the legacy form.
func parseAnswers(in *agui.RunAgentInput) []state.Answer {
	if len(in.Resume) == 0 {
		return legacyAnswers(in.ForwardedProps)
	}
	return resumeAnswers(in.Resume)
}

func resumeAnswers(resume []agui.ResumeEntry) []state.Answer {
	list := make([]state.Answer, len(resume))
	for i, e := range resume {
		list[i] = state.Answer{ID: e.InterruptID, Status: e.Status}
		if e.Status == agui.ResumeResolved && !state.RepeatsName(e.Payload) {
			list[i].Payload = state.Canonical(e.Payload)
		}
	}
	return list
}

// legacyAnswers reads forwardedProps.command.resume: a bare value, for the id in interruptEvent if there is one, or an
// array of standard entries. Null and absent mean no answer.
func legacyAnswers(props json.RawMessage) []state.Answer {
	var p struct {
		Command struct {
			Resume         json.RawMessage `json:"resume"`
			InterruptEvent json.RawMessage `json:"interruptEvent"`
		} `json:"command"`
	}
	if exact.Unmarshal(props, &p) != nil {
		return nil
	}
	payload := state.Canonical(p.Command.Resume)
	switch {
	case payload == nil:
		return nil
	case state.RepeatsName(p.Command.Resume):
		return []state.Answer{{Status: agui.ResumeResolved}}
	}
	var list []agui.ResumeEntry
	if exact.Unmarshal(payload, &list) == nil && len(list) > 0 && list[0].InterruptID != "" {
		for i := range list {
			if list[i].Status == "" {
				list[i].Status = agui.ResumeResolved
			}
		}
		return resumeAnswers(list)
	}
	var event struct {
		ID string `json:"id"`
	}
	// An event of another shape names no interrupt; the answer then binds to the one that is open.
	_ = exact.Unmarshal(state.Canonical(p.Command.InterruptEvent), &event)
	return []state.Answer{{ID: event.ID, Status: agui.ResumeResolved, Payload: payload}}
}

// profile returns how the reader of a request is sent events. It depends on the protocol era, the agent's options, and
// the query parameters interrupts=standard|legacy, subagents=on|off, refusals=error|ask, files=data|links, a2ui=on|off,
// chunks=on|off, snapshots=all|news and trace=1, and the headers and properties with the same meaning. dialect is that
// of the route; props are the forwarded properties, or nil.
func (g *Gateway) profile(r *http.Request, agent *servedAgent, thread string, era agui.Era, dialect wire.Dialect,
	props json.RawMessage) (w wire.Profile, err error) {
	w = wire.Profile{Era: era, Dialect: dialect}
	if w.Subagents, err = wantsSubagents(r, agent, era, dialect, props); err != nil {
		return w, err
	}
	if agent.LegacyInterrupts {
		w.Dialect = wire.Legacy
	}
	linked, err := wantsFileLinks(r)
	if linked {
		w.Links = wire.Links{Thread: thread, Agent: agent.name}
	}
	q := r.URL.Query()
	word := func(name, one, other string) string {
		value, wrong := route.Word(name, q.Get(name), one, other)
		err = cmp.Or(err, wrong)
		return value
	}
	switch word("interrupts", "standard", "legacy") {
	case "standard":
		w.Dialect = wire.Standard
	case "legacy":
		w.Dialect = wire.Legacy
	}
	w.AskAgain = word("refusals", "error", "ask") == "ask"
	// The middleware of CopilotKit's Node runtime makes A2UI activities itself, and its requests use AG-UI's endpoints.
	// Pages that connect directly use CopilotKit's.
	surfaces := word("a2ui", "on", "off")
	w.Surfaces = surfaces == "on" || surfaces == "" && copilotkit.Owns(r.URL.Path)
	w.Chunks = word("chunks", "on", "off") == "on"
	w.News = word("snapshots", "all", "news") == "news"
	w.Trace = word("trace", "0", "1") == "1"
	return w, err
}

// filesHeader selects links to files, for clients that cannot set a query.
const filesHeader = "X-Gateway-Files"

// wantsFileLinks reports whether the reader of a request is sent links rather than file data. files=links|data in the
// query precedes the header. The default is the data as stored, which clients of plain AG-UI expect.
func wantsFileLinks(r *http.Request) (bool, error) {
	for _, option := range [][2]string{{"files", r.URL.Query().Get("files")},
		{filesHeader, r.Header.Get(filesHeader)}} {
		if value, err := route.Word(option[0], option[1], "links", "data"); value != "" || err != nil {
			return value == "links", err
		}
	}
	return false, nil
}

// threadProfile returns the thread that a request names, its agent, and what the request's reader is sent; its era
// is that of ?protocolVersion=, because there is no body that could state it.
func (g *Gateway) threadProfile(r *http.Request) (state.Key, *servedAgent, wire.Profile, error) {
	key, err := g.thread(r)
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	agent, err := g.agentFor(r, key.Agent)
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	era, err := agui.EraOf(r.URL.Query().Get("protocolVersion"))
	if err != nil {
		return key, nil, wire.Profile{}, err
	}
	wire, err := g.profile(r, agent, key.ID, era, wire.Standard, nil)
	return key, agent, wire, err
}

// subagentsHeader selects SUBAGENT_* events, for clients that cannot set a query.
const subagentsHeader = "X-Gateway-Subagents"

// wantsSubagents reports whether the reader of a request is sent SUBAGENT_* events. The query precedes the header, the
// header forwardedProps.gateway.subagents, and that the agent's setting. By default POST /subgraphs leaves them out.
func wantsSubagents(r *http.Request, agent *servedAgent, era agui.Era, dialect wire.Dialect,
	props json.RawMessage) (bool, error) {
	var forwarded struct {
		Gateway struct {
			Subagents json.RawMessage `json:"subagents"`
		} `json:"gateway"`
	}
	// Properties of another form belong to the application.
	_ = exact.Unmarshal(props, &forwarded)
	property := string(forwarded.Gateway.Subagents)
	if property == "null" {
		property = ""
	}
	for _, option := range []struct{ source, value, on, off string }{
		{"subagents", r.URL.Query().Get("subagents"), "on", "off"},
		{subagentsHeader, r.Header.Get(subagentsHeader), "on", "off"},
		{"forwardedProps.gateway.subagents", property, `"on"`, `"off"`},
	} {
		switch option.value {
		case "":
		case option.on:
			return true, nil
		case option.off:
			return false, nil
		default:
			return false, route.InvalidQuery(option.source, "must be on or off")
		}
	}
	switch {
	case dialect == wire.Legacy:
		return false, nil
	case agent.SubagentEvents == SubagentsAuto:
		return era != agui.Era0, nil
	default:
		return agent.SubagentEvents == SubagentsOn, nil
	}
}
