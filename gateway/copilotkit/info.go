package copilotkit

import (
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// version is the version of the CopilotKit runtime with this protocol.
const version = "1.75.0"

// info answers a page's first request. It succeeds even if the store is unavailable, because after an error here a page
// changes its transport for good. Requests without a principal do not get here.
func (h *Handler) info(w http.ResponseWriter, r *http.Request) error {
	route.Answer(w, http.StatusOK, h.about(r))
	return nil
}

// infoByCall is info for pages that send all requests in envelopes, those for threads included.
func (h *Handler) infoByCall(w http.ResponseWriter, r *http.Request) error {
	about := h.about(r)
	about.SingleRoute = &singleRouteInfo{ResourceOperations: true, ThreadEndpoints: about.ThreadEndpoints}
	about.ThreadEndpoints = threadEndpoints{}
	route.Answer(w, http.StatusOK, about)
	return nil
}

// runtimeInfo is the response of info. Agents is an object by id. Suggestions is true even if no agent makes any:
// without that route, pages request suggestions by runs, each on a new thread.
type runtimeInfo struct {
	Version            string               `json:"version"`
	Agents             map[string]agentInfo `json:"agents"`
	AudioTranscription bool                 `json:"audioFileTranscriptionEnabled"`
	Mode               string               `json:"mode"`
	ThreadEndpoints    threadEndpoints      `json:"threadEndpoints"`
	SingleRoute        *singleRouteInfo     `json:"singleRoute,omitempty"`
	Suggestions        bool                 `json:"suggestions"`
	A2UIEnabled        bool                 `json:"a2uiEnabled"` // what pages before 1.74 read
	A2UI               *a2uiInfo            `json:"a2ui,omitempty"`
	OpenGenerativeUI   bool                 `json:"openGenerativeUIEnabled"`
	TelemetryDisabled  bool                 `json:"telemetryDisabled"`
}

type agentInfo struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ClassName    string `json:"className"`
	Capabilities any    `json:"capabilities"`
}

// a2uiInfo names the agents that show surfaces. If there is one, a page draws surfaces and sends its components.
type a2uiInfo struct {
	Enabled bool     `json:"enabled"`
	Agents  []string `json:"agents"`
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

func (h *Handler) about(r *http.Request) runtimeInfo {
	about := runtimeInfo{
		Version: version, Agents: map[string]agentInfo{}, Mode: "sse", Suggestions: true, TelemetryDisabled: true,
		ThreadEndpoints: threadEndpoints{List: true, Inspect: true},
	}
	for _, a := range h.o.Service.Agents(r) {
		about.Agents[a.Name] = agentInfo{Name: a.Name, Description: a.Description, ClassName: "HttpAgent",
			Capabilities: a.Capabilities}
		if !a.Surfaces {
			continue
		}
		if about.A2UI == nil {
			about.A2UIEnabled, about.A2UI = true, &a2uiInfo{Enabled: true}
		}
		about.A2UI.Agents = append(about.A2UI.Agents, a.Name)
	}
	if about.A2UI != nil {
		slices.Sort(about.A2UI.Agents)
	}
	return about
}

// Probes reports whether r is a page's first test of the gateway. If it is refused, the page gives up.
func Probes(r *http.Request) bool {
	return r.URL.Path == Base+"/info" && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}
