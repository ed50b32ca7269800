package copilotkit

import (
	"net/http"

	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// version is the version of CopilotKit's runtime whose protocol is spoken.
const version = "1.75.0"

// info is what a page asks first. It never fails, whatever is away: a page that is refused here changes its transport
// for good.
func (h *Handler) info(w http.ResponseWriter, _ *http.Request) error {
	route.Answer(w, http.StatusOK, h.about())
	return nil
}

// infoByCall is info for pages that have one route for everything, through which threads are asked for as well.
func (h *Handler) infoByCall(w http.ResponseWriter, _ *http.Request) error {
	about := h.about()
	about.SingleRoute = &singleRouteInfo{ResourceOperations: true, ThreadEndpoints: about.ThreadEndpoints}
	about.ThreadEndpoints = threadEndpoints{}
	route.Answer(w, http.StatusOK, about)
	return nil
}

// runtimeInfo says what is served. Agents are an object by id, never a list; the mode is never another one. Suggestions says that there is a
// route for them, whichever agents have some: without it pages ask by runs, on a thread of its own for each.
type runtimeInfo struct {
	Version            string               `json:"version"`
	Agents             map[string]agentInfo `json:"agents"`
	AudioTranscription bool                 `json:"audioFileTranscriptionEnabled"`
	Mode               string               `json:"mode"`
	ThreadEndpoints    threadEndpoints      `json:"threadEndpoints"`
	SingleRoute        *singleRouteInfo     `json:"singleRoute,omitempty"`
	Suggestions        bool                 `json:"suggestions"`
	A2UI               bool                 `json:"a2uiEnabled"`
	OpenGenerativeUI   bool                 `json:"openGenerativeUIEnabled"`
	TelemetryDisabled  bool                 `json:"telemetryDisabled"`
}

type agentInfo struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ClassName    string `json:"className"`
	Capabilities any    `json:"capabilities"`
}

type threadEndpoints struct {
	List             bool `json:"list"`
	Inspect          bool `json:"inspect"`
	Mutations        bool `json:"mutations"`
	RealtimeMetadata bool `json:"realtimeMetadata"`
}

type singleRouteInfo struct {
	ResourceOperations bool            `json:"resourceOperations"`
	ThreadEndpoints    threadEndpoints `json:"threadEndpoints"`
}

func (h *Handler) about() runtimeInfo {
	about := runtimeInfo{
		Version: version, Agents: map[string]agentInfo{}, Mode: "sse", Suggestions: true, TelemetryDisabled: true,
		ThreadEndpoints: threadEndpoints{List: true, Inspect: true},
	}
	for _, a := range h.o.Service.Agents() {
		about.Agents[a.Name] = agentInfo{Name: a.Name, Description: a.Description, ClassName: "HttpAgent", Capabilities: a.Capabilities}
	}
	return about
}
