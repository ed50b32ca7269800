package gateway

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// runAgent is POST /agents/{agent}: a RunAgentInput in, a stream out.
func (g *Gateway) runAgent(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.agentFor(r, r.PathValue("agent"))
	if err != nil {
		return err
	}
	return g.run(w, r, agent, wire.Standard)
}

// runLegacy is POST /subgraphs: the same in the dialect of the clients before AG-UI 1.0's interrupts.
func (g *Gateway) runLegacy(w http.ResponseWriter, r *http.Request) error {
	agent, err := g.legacyAgent(r)
	if err != nil {
		return err
	}
	return g.run(w, r, agent, wire.Legacy)
}

// legacyAgent is the agent of the route that names none.
func (g *Gateway) legacyAgent(r *http.Request) (*servedAgent, error) {
	if g.o.Legacy != "" {
		return g.agentFor(r, g.o.Legacy)
	}
	if name := g.roster.Load().subgraphs; name != "" {
		return g.agentFor(r, name)
	}
	if agents := g.agentsFor(r); len(agents) == 1 {
		return agents[0], nil
	}
	return g.agentFor(r, "travel")
}

func (g *Gateway) run(w http.ResponseWriter, r *http.Request, agent *servedAgent, dialect wire.Dialect) error {
	req, profile, err := g.parseRun(r, agent, dialect)
	if err != nil {
		return err
	}
	return g.serve(w, r, agent, req, profile)
}

// parseRun decodes a run request and its stream profile.
func (g *Gateway) parseRun(r *http.Request, agent *servedAgent,
	dialect wire.Dialect) (*state.Request, *wire.Profile, error) {
	req, err := g.decode(r, agent)
	if err != nil {
		return nil, nil, err
	}
	profile, err := g.profile(r, agent, req.Key.ID, req.Era, dialect, req.ForwardedProps)
	if err != nil {
		return nil, nil, err
	}
	profile.Binary = wire.SendsBinary(req.Messages)
	profile.RunID = req.RunID
	disconnect := agent.Disconnect
	if d := Disconnect(r.URL.Query().Get("disconnect")); d != "" {
		disconnect = d
	}
	if disconnect != Cancel && disconnect != Detach {
		return nil, nil, &errcode.Error{Code: errcode.InvalidInput,
			Err: &agui.FieldError{Path: "disconnect", Problem: "must be cancel or detach"}}
	}
	req.Tied = disconnect == Cancel
	return req, &profile, nil
}

// serve admits a request and streams the result.
func (g *Gateway) serve(w http.ResponseWriter, r *http.Request, agent *servedAgent, req *state.Request,
	profile *wire.Profile) error {
	client := &reader{
		g: g, w: w, req: r, key: req.Key, profile: *profile,
		runID: req.RunID, parentRunID: req.ParentRunID, posted: true, requestMessages: req.Messages,
	}
	defer client.endOnPanic()
	a := &admission{g: g, r: r, req: req, agent: agent, reader: client}
	begun, run, err := a.admit(r.Context())
	route.ReleaseRoom(r)
	if err == nil {
		err = client.respond(begun, run)
	} else {
		err = a.answerFailure(err)
	}
	return client.endWithError(err)
}

// respond streams the response to the verdict.
func (r *reader) respond(begun *state.Begun, run *attempt) error {
	switch begun.Verdict.Meaning {
	case state.Start, state.Resume, state.Repeat:
		return r.follow(begun, run)
	case state.Join:
		return r.join(begun.Thread)
	case state.Refuse:
		r.g.noteCode(limitOfRefusal, begun.Verdict.Code)
		return r.refuse(begun)
	case state.Busy:
		r.g.noteCode(limitOfRefusal, begun.Verdict.Code)
		return r.sendError(begun.Verdict.Code)
	default: // Show; admit returns neither Full, Queued nor Preempt
		return r.showOrJoin(begun, threadView{failed: begun.Verdict.Failed})
	}
}

// resume is POST /threads/{id}/resume: answers for scripts and bots. Admission is the same as for a run.
func (g *Gateway) resume(w http.ResponseWriter, r *http.Request) error {
	key, agent, profile, err := g.threadProfile(r)
	if err != nil {
		return err
	}
	data, err := route.ReadJSON(r, g.o.Limits.Body)
	if err != nil {
		return err
	}
	in, err := agui.DecodeResume(data, g.decodeOptions())
	if err != nil {
		return err
	}
	if err := g.checkAnswers(r.Context(), key, len(in)); err != nil {
		return err
	}
	req := g.newRequest(&agui.RunAgentInput{ThreadID: key.ID, RunID: g.o.NewID(), Resume: in}, agent, profile.Era)
	if req.Hops, req.Chain, err = hopsOf(r.Header); err != nil {
		return err
	}
	if req.Caller, err = callerOf(r); err != nil {
		return err
	}
	req.Key, req.Hash = key, state.Hash(data)
	if acceptsStream(r.Header.Values("Accept")) {
		req.Tied = agent.Disconnect == Cancel
		return g.serve(w, r, agent, req, &profile)
	}
	return g.resumeWithoutStream(w, r, agent, req)
}

// resumeWithoutStream answers with the result of the resume as JSON; the run that it starts is tied to no connection.
func (g *Gateway) resumeWithoutStream(w http.ResponseWriter, r *http.Request, agent *servedAgent,
	req *state.Request) error {
	a := &admission{g: g, r: r, req: req, agent: agent}
	begun, _, err := a.admit(r.Context())
	if err != nil {
		return err
	}
	switch v := begun.Verdict; {
	case v.Meaning.Runs():
		route.Answer(w, http.StatusAccepted, map[string]string{"runId": req.RunID})
	case v.Meaning == state.Join:
		route.Answer(w, http.StatusAccepted, map[string]string{"runId": begun.Thread.Live.Intent.RunID})
	case v.Meaning == state.Refuse, v.Meaning == state.Busy:
		g.noteCode(limitOfRefusal, v.Code)
		return &refusedAnswer{&errcode.Error{Code: v.Code}, v.Details}
	default:
		route.Answer(w, http.StatusOK, map[string]any{"status": statusOfThread(begun.Thread, begun.Interrupts)})
	}
	return nil
}

// acceptsStream reports whether a client that can get JSON or an event stream wants the stream: it names
// text/event-stream, or text/*, and prefers nothing to it. A client that accepts anything gets JSON.
func acceptsStream(accept []string) bool {
	stream, named := quality(accept, "text", "event-stream")
	plain, _ := quality(accept, "application", "json")
	return named && stream > 0 && stream >= plain
}

// quality returns the weight of the most specific range for a media type, which is not */* if named.
func quality(accept []string, kind, subtype string) (q float64, named bool) {
	best := 0
	for text := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, parameters, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		specific := map[string]int{"*/*": 1, kind + "/*": 2, kind + "/" + subtype: 3}[media]
		if specific <= best {
			continue
		}
		best, q = specific, 1
		if weight, ok := parameters["q"]; ok {
			if q, err = strconv.ParseFloat(weight, 64); err != nil {
				q = 0
			}
		}
	}
	return q, best > 1
}
