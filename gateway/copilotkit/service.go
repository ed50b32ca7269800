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

// A Service runs agents and streams what they do. The gateway is one. Its streams are of the form that CopilotKit's pages need: a
// run that was stopped has a plain end, and a refused answer leaves its question open instead of ending in an error. It returns
// errors instead of answering them, and is safe for concurrent use.
type Service interface {
	// Agents returns the agents that are served now to the principal of r, in any order.
	Agents(r *http.Request) []Agent
	// Agent returns the agent that is served under a name to the principal of r, and false if there is none.
	Agent(r *http.Request, name string) (Agent, bool)
	// Hidden names the agents whose threads the principal of r is not shown, though it has had some.
	Hidden(r *http.Request) []string
	// ReadInput reads the body of a run request, which it returns as well.
	ReadInput(r *http.Request) (in *agui.RunAgentInput, body []byte, err error)
	// Run does what in asks of an agent and answers with the stream of it. The run is not tied to the connection.
	Run(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput, body []byte) error
	// Connect answers with a stream of the thread as it stands, and of what follows while it runs. It stores nothing; a thread that
	// is not known is an empty stream, which is no error.
	Connect(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput) error
	// Show answers with a stream that looks like a run of events, while nothing runs and nothing is stored. The stream is kept alive
	// until events returns. Meanwhile it counts as a live run, and ctx is done when such have to end. Nil events are none.
	Show(w http.ResponseWriter, r *http.Request, agent string, in *agui.RunAgentInput, events func(ctx context.Context) ([]agui.Event, error)) error
	// Events yields the events that the log holds of a thread, up to its present end, encoded for a client of version 0.x. Only the
	// last yield may have an error.
	Events(r *http.Request, t *state.Thread) iter.Seq2[json.RawMessage, error]
	// NoteStop notes that r has asked to stop the live run of a thread, and whether there was one.
	NoteStop(r *http.Request, key state.Key, stopped bool)
	// Log returns the logger of a request.
	Log(r *http.Request) *slog.Logger
}

// An Agent is what the protocol tells of an agent, and asks of it beside runs.
type Agent struct {
	Name, Description string
	Capabilities      agui.AgentCapabilities
	Surfaces          bool                // it may show surfaces of A2UI
	Suggester         groupchat.Suggester // nil if the agent makes no suggestions
	RunTimeout        time.Duration       // for suggestions as well
}
