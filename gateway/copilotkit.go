package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/copilotkit"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

func newCopilotkit(g *Gateway) *copilotkit.Handler {
	return copilotkit.New(copilotkit.Options{
		Service: copilotkitService{g}, Store: g.store, MaxBody: g.o.Limits.Body, NewID: g.o.NewID,
	})
}

type copilotkitService struct{ g *Gateway }

// Agents is part of [copilotkit.Service].
func (s copilotkitService) Agents(r *http.Request) []copilotkit.Agent {
	var list []copilotkit.Agent
	for _, a := range s.g.agentsFor(r) {
		list = append(list, s.agent(a))
	}
	return list
}

// Agent is part of [copilotkit.Service].
func (s copilotkitService) Agent(r *http.Request, name string) (copilotkit.Agent, bool) {
	a, err := s.g.agentFor(r, name)
	if err != nil {
		return copilotkit.Agent{}, false
	}
	return s.agent(a), true
}

// Hidden is part of [copilotkit.Service].
func (s copilotkitService) Hidden(r *http.Request) []string { return s.g.hiddenFrom(r) }

func (s copilotkitService) agent(a *servedAgent) copilotkit.Agent {
	return copilotkit.Agent{
		Name: a.name, Description: a.Description, Capabilities: a.capabilities(), Surfaces: a.info.Surfaces,
		Suggester: s.g.countedSuggester(a), RunTimeout: a.RunTimeout,
	}
}

// ReadInput is part of [copilotkit.Service].
func (s copilotkitService) ReadInput(r *http.Request) (*agui.RunAgentInput, []byte, error) {
	return s.g.readInput(r)
}

// Run is part of [copilotkit.Service].
func (s copilotkitService) Run(w http.ResponseWriter, r *http.Request, name string, in *agui.RunAgentInput,
	body []byte) error {
	agent, profile, err := s.profile(r, name, in)
	if err != nil {
		return err
	}
	req, err := s.g.requestOf(r, in, body, agent)
	if err != nil {
		return err
	}
	req.ListRegenerates = true
	return s.g.serve(w, r, agent, req, &profile)
}

// Connect is part of [copilotkit.Service].
func (s copilotkitService) Connect(w http.ResponseWriter, r *http.Request, name string, in *agui.RunAgentInput) error {
	page, err := s.reader(w, r, name, in)
	if err != nil {
		return err
	}
	defer page.endOnPanic()
	now, err := s.g.store.Snapshot(r.Context(), page.key)
	switch {
	case errors.Is(err, state.ErrUnknownThread): // the page has connected before its first message
		if err := page.open(); err != nil {
			return err
		}
		return page.stream.close()
	case err != nil:
		return route.StoreError(err)
	}
	s.g.logThread(r, page.key, "attached")
	if now.Thread.Live != nil {
		return page.endWithError(page.join(now.Thread))
	}
	return page.endWithError(page.showThread(threadView{Snapshot: now}))
}

// Show is part of [copilotkit.Service].
func (s copilotkitService) Show(w http.ResponseWriter, r *http.Request, name string, in *agui.RunAgentInput,
	events func(context.Context) ([]agui.Event, error)) error {
	page, err := s.reader(w, r, name, in)
	if err != nil {
		return err
	}
	defer page.endOnPanic()
	if events != nil {
		place := slot{g: s.g, principal: page.key.Principal}
		defer place.leave()
		if err := place.take(); err != nil {
			return err
		}
	}
	return page.endWithError(page.showRun(events))
}

// showRun sends events as a stream in the form of a run.
func (r *reader) showRun(events func(context.Context) ([]agui.Event, error)) error {
	if err := r.open(); err != nil {
		return err
	}
	all := []agui.Event{r.runStarted()}
	if events != nil {
		ctx, cancel := context.WithCancel(r.req.Context())
		defer cancel()
		defer context.AfterFunc(r.g.cutShort, cancel)()
		stop := r.keepAlive()
		list, err := events(ctx)
		stop()
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	all = append(all, r.runFinished(&agui.Outcome{Type: agui.OutcomeSuccess}))
	if err := r.send(state.FrameID{}, readerEvents(all...)...); err != nil {
		return err
	}
	return r.stream.close()
}

// Events is part of [copilotkit.Service].
func (s copilotkitService) Events(r *http.Request, t *state.Thread) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		agent, err := s.g.agentFor(r, t.Key.Agent)
		if err != nil {
			yield(nil, err)
			return
		}
		profile, err := s.g.profile(r, agent, t.Key.ID, agui.Era0, wire.Standard, nil)
		if err != nil {
			yield(nil, err)
			return
		}
		profile.Stop, profile.AskAgain, profile.Trace = wire.StopPlain, true, false
		page := &reader{g: s.g, req: r, key: t.Key, profile: profile}
		page.readLog(t.Last, yield)
	}
}

// readLog yields the reader's events of the log up to the frame last, in batches.
func (r *reader) readLog(last state.FrameID, yield func(json.RawMessage, error) bool) {
	for batch, err := range r.g.store.Tail(r.req.Context(), r.key, state.FrameID{}) {
		if err != nil {
			yield(nil, route.StoreError(err))
			return
		}
		for _, f := range batch {
			sent, err := r.project(nil, f)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, one := range sent {
				if !yield(one.Data, nil) {
					return
				}
			}
			if !f.ID.Less(last) {
				return
			}
		}
	}
	if err := r.req.Context().Err(); err != nil {
		yield(nil, err)
	}
}

// NoteStop is part of [copilotkit.Service].
func (s copilotkitService) NoteStop(r *http.Request, key state.Key, stopped bool) {
	s.g.noteStop(r, key, stopped)
}

// Log is part of [copilotkit.Service].
func (s copilotkitService) Log(r *http.Request) *slog.Logger { return s.g.log(r) }

// profile returns the stream profile of a page: a stopped run ends normally, and a locking error asks again.
func (s copilotkitService) profile(r *http.Request, name string,
	in *agui.RunAgentInput) (*servedAgent, wire.Profile, error) {
	agent, err := s.g.agentFor(r, name)
	if err != nil {
		return nil, wire.Profile{}, err
	}
	era, err := agui.EraOf(in.ProtocolVersion)
	if err != nil {
		return nil, wire.Profile{}, err
	}
	profile, err := s.g.profile(r, agent, in.ThreadID, era, wire.Standard, in.ForwardedProps)
	profile.Stop, profile.AskAgain, profile.Trace, profile.RunID = wire.StopPlain, true, false, in.RunID
	profile.Binary = wire.SendsBinary(in.Messages)
	return agent, profile, err
}

func (s copilotkitService) reader(w http.ResponseWriter, r *http.Request, name string,
	in *agui.RunAgentInput) (*reader, error) {
	agent, profile, err := s.profile(r, name, in)
	if err != nil {
		return nil, err
	}
	key := state.Key{Principal: route.Principal(r), Agent: agent.name, ID: in.ThreadID}
	return &reader{g: s.g, w: w, req: r, key: key, profile: profile, runID: in.RunID}, nil
}
