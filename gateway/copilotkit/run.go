package copilotkit

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/state"
)

// run starts or resumes a run. The run is not tied to its connection, because a reloaded page reconnects to it.
func (h *Handler) run(w http.ResponseWriter, r *http.Request) error {
	agent, in, body, err := h.input(r)
	if err != nil {
		return err
	}
	if asksToSuggest(in) {
		return h.suggestFor(w, r, agent, in)
	}
	return h.o.Service.Run(w, r, agent.Name, in, body)
}

// connect streams the current thread, and the live run if there is one.
func (h *Handler) connect(w http.ResponseWriter, r *http.Request) error {
	agent, in, _, err := h.input(r)
	if err != nil {
		return err
	}
	return h.o.Service.Connect(w, r, agent.Name, in)
}

// input reads the input of run, connect and suggest, and returns the agent and the body too.
func (h *Handler) input(r *http.Request) (Agent, *agui.RunAgentInput, []byte, error) {
	agent, err := h.agent(r)
	if err != nil {
		return Agent{}, nil, nil, err
	}
	in, data, err := h.o.Service.ReadInput(r)
	if err != nil {
		return Agent{}, nil, nil, err
	}
	switch {
	case in.Tools == nil:
		err = &agui.FieldError{Path: "tools", Problem: "is missing"}
	case in.Context == nil:
		err = &agui.FieldError{Path: "context", Problem: "is missing"}
	}
	return agent, in, data, err
}

// stop ends the live run of a thread. A page may name the run that it believes to be live. Several runs may have that
// id, so the live run is spared only if a run of that id is known to have ended.
func (h *Handler) stop(w http.ResponseWriter, r *http.Request) error {
	run, err := h.readStop(r)
	if err != nil {
		return err
	}
	agent, err := h.agent(r)
	if err != nil {
		return err
	}
	key := state.Key{Principal: route.Principal(r), Agent: agent.Name, ID: r.PathValue("thread")}
	done, err := h.end(r, key, run)
	if err != nil {
		return err
	}
	h.o.Service.NoteStop(r, key, done)
	switch {
	case done:
		route.Answer(w, http.StatusOK, map[string]any{"stopped": true, "interrupt": map[string]string{
			"type": string(agui.TypeRunError), "message": "Run stopped by user", "code": "STOPPED",
		}})
	case run != "":
		route.Answer(w, http.StatusOK, map[string]any{
			"stopped": false, "message": "Run '" + route.Shorten(run) + "' is not the active run for thread '" +
				route.Shorten(key.ID) + "'.",
		})
	default:
		route.Answer(w, http.StatusOK,
			map[string]any{"stopped": false, "message": "No active run for thread '" + route.Shorten(key.ID) + "'."})
	}
	return nil
}

// end stops the live run of a thread unless run names one that has ended. It reports whether there was a run to stop.
func (h *Handler) end(r *http.Request, key state.Key, run string) (bool, error) {
	t, _, err := h.o.Store.Load(r.Context(), key)
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
		runs, err := h.o.Store.Runs(r.Context(), key)
		if err != nil && !errors.Is(err, state.ErrUnknownThread) {
			return false, route.StoreError(err)
		}
		if slices.ContainsFunc(runs, func(o state.Run) bool { return o.RunID == run && o.Status != state.RunRunning }) {
			return false, nil // it has ended
		}
	}
	done, err := h.o.Store.Signal(r.Context(), key, t.Live.Intent.Origin, state.SignalStop)
	if err != nil && !errors.Is(err, state.ErrUnknownThread) {
		return false, route.StoreError(err)
	}
	return done, nil
}

// maxStop limits the body of a stop, in bytes. It holds an id.
const maxStop = 64 << 10

// readStop reads the id of the run to stop; empty means any live run. An unknown member is refused, because a misspelt
// runId must not stop another run. An ignored body may have any type.
func (h *Handler) readStop(r *http.Request) (string, error) {
	if err := route.CheckType(r); err != nil {
		return "", err
	}
	data, err := route.ReadBody(r, maxStop)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", nil
	}
	var members map[string]json.RawMessage
	if exact.Unmarshal(data, &members) != nil || members == nil {
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
	if exact.Unmarshal(raw, &run) != nil || strings.TrimSpace(run) == "" {
		return "", badStop("Invalid runId")
	}
	return run, nil
}

func badStop(text string) error {
	return &reply{http.StatusBadRequest, map[string]string{"error": text}}
}
