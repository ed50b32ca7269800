package copilotkit

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
)

// A Service runs agents and streams their events. The gateway is one. Its streams have the form that CopilotKit's pages
// need: a stopped run ends normally, and a refused answer leaves its question open rather than ending in an error. It
// returns errors for the caller to write, and is safe for concurrent use.
type Service interface {
	// Agents returns the agents that are served now to the principal of r, in any order.
	Agents(r *http.Request) []Agent
	// Agent returns the agent that is served under a name to the principal of r, and false if there is none.
	Agent(r *http.Request, name string) (Agent, bool)
	// Hidden names the agents of which the principal of r may not see its existing threads.
	Hidden(r *http.Request) []string
	// ReadInput reads the body of a run request, which it returns as well.
	ReadInput(r *http.Request) (in *agui.RunAgentInput, body []byte, err error)
	// Run serves the run request in and streams the run. The run is not tied to the connection.
	Run(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput, body []byte) error
	// Connect streams the current thread, and its live run. The stream of an unknown thread is empty.
	Connect(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput) error
	// Show streams events in the form of a run, without running or storing anything. The stream is kept alive until
	// events returns. Meanwhile it counts as a live run, and ctx is done when live runs have to end. events may be nil.
	Show(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput,
		events func(ctx context.Context) ([]agui.Event, error)) error
	// Events yields the events in a thread's log for a client of version 0.x. Only the last yield may have an error.
	Events(r *http.Request, t *state.Thread) iter.Seq2[json.RawMessage, error]
	// NoteStop records that r has requested a stop of the live run of a thread, and whether there was one.
	NoteStop(r *http.Request, key state.Key, stopped bool)
	// Log returns the logger of a request.
	Log(r *http.Request) *slog.Logger
}

// An Agent is the protocol's view of an agent.
type Agent struct {
	Name, Description string
	Capabilities      agui.AgentCapabilities
	Surfaces          bool                // it may show surfaces of A2UI
	Suggester         groupchat.Suggester // nil if the agent makes no suggestions
	RunTimeout        time.Duration       // for suggestions as well
}
