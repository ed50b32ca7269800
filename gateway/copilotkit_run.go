package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/wire"
	"github.com/agui-gateway/gateway/state"
)

// run starts or resumes a run, which is never its connection's: a page that is loaded again comes back to it.
func (k *copilotkit) run(w http.ResponseWriter, r *http.Request) error {
	agent, in, data, err := k.input(r)
	if err != nil {
		return err
	}
	if asksToSuggest(in) {
		return k.suggestFor(w, r, agent, in)
	}
	req, err := k.g.asked(r, in, data, agent)
	if err != nil {
		return err
	}
	req.ListRegenerates = true
	wire, err := k.wire(r, agent, in)
	if err != nil {
		return err
	}
	return k.g.serve(w, r, agent, req, wire)
}

// connect shows a thread as it stands, and what follows while it runs. It makes nothing: of a thread that is not
// known there is nothing to show, which is no error.
func (k *copilotkit) connect(w http.ResponseWriter, r *http.Request) error {
	agent, in, _, err := k.input(r)
	if err != nil {
		return err
	}
	wire, err := k.wire(r, agent, in)
	if err != nil {
		return err
	}
	key := state.Key{Principal: route.Principal(r), Agent: agent.name, ID: in.ThreadID}
	c := &caller{g: k.g, w: w, r: r, agent: agent, key: key, wire: wire, watch: in.RunID}
	defer c.panicked()
	now, err := k.g.store.Snapshot(r.Context(), key)
	switch {
	case errors.Is(err, state.ErrUnknownThread):
		if err := c.open(); err != nil {
			return err
		}
		return c.stream.close()
	case err != nil:
		return route.StoreError(err)
	}
	k.g.logThread(r, key, "attached")
	if now.Thread.Live != nil {
		return c.told(c.join(now.Thread))
	}
	return c.told(c.showThread(shown{Snapshot: now}))
}

// input reads what run, connect and suggest are sent.
func (k *copilotkit) input(r *http.Request) (*served, *agui.RunAgentInput, []byte, error) {
	agent, err := k.agent(r)
	if err != nil {
		return nil, nil, nil, err
	}
	in, data, err := k.g.readInput(r)
	if err != nil {
		return nil, nil, nil, err
	}
	switch {
	case in.Tools == nil:
		err = &agui.FieldError{Path: "tools", Problem: "is missing"}
	case in.Context == nil:
		err = &agui.FieldError{Path: "context", Problem: "is missing"}
	}
	return agent, in, data, err
}

// wire is how a page wants its streams: with plain ends of what was stopped, and asked again rather than told of an
// error where that would lock it.
func (k *copilotkit) wire(r *http.Request, agent *served, in *agui.RunAgentInput) (wire.Profile, error) {
	era, err := agui.EraOf(in.ProtocolVersion)
	if err != nil {
		return wire.Profile{}, err
	}
	profile, err := k.g.wire(r, agent, era, wire.Standard, in.ForwardedProps)
	profile.Stop, profile.AskAgain, profile.RunID = wire.StopPlain, true, in.RunID
	return profile, err
}

// stop ends the live run of a thread. A page names the run it believes to be live, by a name that several runs may
// have, or none; only one that is known to be over is not the live one.
func (k *copilotkit) stop(w http.ResponseWriter, r *http.Request) error {
	run, err := k.stopped(r)
	if err != nil {
		return err
	}
	agent, err := k.agent(r)
	if err != nil {
		return err
	}
	key := state.Key{Principal: route.Principal(r), Agent: agent.name, ID: r.PathValue("thread")}
	done, err := k.end(r, key, run)
	if err != nil {
		return err
	}
	k.g.logThread(r, key, "stop", "stopped", done)
	switch {
	case done:
		route.Answer(w, http.StatusOK, map[string]any{"stopped": true, "interrupt": map[string]string{
			"type": string(agui.TypeRunError), "message": "Run stopped by user", "code": "STOPPED",
		}})
	case run != "":
		route.Answer(w, http.StatusOK, map[string]any{
			"stopped": false, "message": "Run '" + run + "' is not the active run for thread '" + key.ID + "'.",
		})
	default:
		route.Answer(w, http.StatusOK, map[string]any{"stopped": false, "message": "No active run for thread '" + key.ID + "'."})
	}
	return nil
}

// end stops the live run of a thread unless run names another one, and reports whether there was one to stop.
func (k *copilotkit) end(r *http.Request, key state.Key, run string) (bool, error) {
	t, _, err := k.g.store.Load(r.Context(), key)
	if errors.Is(err, state.ErrUnknownThread) {
		return false, nil
	}
	if err != nil {
		return false, route.StoreError(err)
	}
	if t.Live == nil {
		return false, nil
	}
	if run != "" && run != t.Live.Intent.RunID {
		runs, err := k.g.store.Runs(r.Context(), key)
		if err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return false, route.StoreError(err)
		}
		if slices.ContainsFunc(runs, func(o state.Run) bool { return o.RunID == run && o.Status != state.RunRunning }) {
			return false, nil // it is over
		}
	}
	done, err := k.g.store.Signal(r.Context(), key, t.Live.Intent.Origin, state.SignalStop)
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		return false, route.StoreError(err)
	}
	return done, nil
}

// maxStop is how large the body of a stop may be, in bytes. It holds an id.
const maxStop = 64 << 10

// stopped reads which run is to be stopped; empty is whichever is live. A member that does not belong there is
// refused: a misspelt one must not stop everything. The content type is not looked at, for a stop has to work.
func (k *copilotkit) stopped(r *http.Request) (string, error) {
	data, err := route.ReadBody(r, maxStop)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members == nil {
		return "", badStop("Invalid stop request")
	}
	for name := range members {
		if name != "runId" {
			return "", badStop("Invalid stop request")
		}
	}
	raw, there := members["runId"]
	if !there {
		return "", nil
	}
	var run string
	if json.Unmarshal(raw, &run) != nil || strings.TrimSpace(run) == "" {
		return "", badStop("Invalid runId")
	}
	return run, nil
}

func badStop(text string) error {
	return &reply{http.StatusBadRequest, map[string]string{"error": text}}
}
