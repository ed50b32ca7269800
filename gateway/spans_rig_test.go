package gateway_test

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/model/openai"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
	"github.com/agui-gateway/gateway/telemetry"
)

// A witness is a server that keeps what headers its requests had.
type witness struct {
	*httptest.Server
	mu   sync.Mutex
	seen []http.Header
}

func newWitness(t *testing.T, h http.Handler) *witness {
	t.Helper()
	w := &witness{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.seen = append(w.seen, r.Header.Clone())
		w.mu.Unlock()
		h.ServeHTTP(answer, r)
	}))
	t.Cleanup(func() {
		w.CloseClientConnections()
		w.Close()
	})
	return w
}

// heard are the values that its requests had of a header, without those that had none.
func (w *witness) heard(name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var values []string
	for _, h := range w.seen {
		if v := h.Get(name); v != "" {
			values = append(values, v)
		}
	}
	return values
}

// A wiredTeam is a gateway with a team that uses every kind of server: a model, a tool of an MCP server, an agent on
// another gateway, and the webhook.
type wiredTeam struct {
	*world
	spans                   *tracetest.InMemoryExporter
	model, tools, far, hook *witness
	mu                      sync.Mutex
	meta                    []map[string]any // of calls of tools
}

const wiredTeamFile = `version: 1
mcp:
  shop: { url: "${SHOP}" }
agents:
  abroad: { type: agui, url: "${FAR}", headers: { Authorization: "Bearer ${SECRET}" } }
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: clerk, type: llm, approve: never, tools: [ { mcp: shop } ] }
      - { name: scout, agent: abroad, on_error: skip }
      - { name: asker, type: script, steps: [ { ask: { key: size, message: "Which size?" } }, { say: "${answers.size}." } ] }
`

// newWiredTeam starts it, with its spans in memory; result is the tool's, answers are the model's.
func newWiredTeam(t *testing.T, told telemetry.Options, result string, answers []openaitest.Answer, change ...func(*gateway.Options)) *wiredTeam {
	t.Helper()
	team := &wiredTeam{spans: tracetest.NewInMemoryExporter()}
	server := sdk.NewServer(&sdk.Implementation{Name: "shop", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "price", Description: "tells prices"}, func(_ context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, any, error) {
		team.mu.Lock()
		team.meta = append(team.meta, r.Params.Meta)
		team.mu.Unlock()
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: result}}}, nil, nil
	})
	inner := newWorld(t)
	team.model = newWitness(t, openaitest.Serve(answers...))
	team.tools = newWitness(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true}))
	team.far = newWitness(t, inner.g)
	team.hook = newWitness(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	path := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(path, []byte(wiredTeamFile), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{"SHOP": team.tools.URL, "FAR": team.far.URL + "/agents/echo", "SECRET": farSecret}
	loaded, err := teamfile.Load(path, teamfile.Options{
		Env:   func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
		Model: openai.Options{BaseURL: team.model.URL, Name: "m1", Provider: "mock", Key: modelSecret},
	})
	if err != nil {
		t.Fatal(err)
	}
	told.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSyncer(team.spans))
	team.world = newWorld(t, func(o *gateway.Options) {
		o.Agents, o.Agent, o.Legacy = loaded.Agents, loaded.Options, "desk"
		o.Webhook = gateway.WebhookOptions{URL: team.hook.URL, Secret: hookSecret}
		o.Telemetry = telemetry.New(told)
		for _, f := range change {
			f(o)
		}
	})
	t.Cleanup(func() {
		if err := loaded.Close(); err != nil {
			t.Error(err)
		}
	})
	return team
}

const (
	farSecret   = "secret-of-the-far-agent"
	modelSecret = "secret-of-the-model"
)

// tree renders the spans of a trace, each below its parent, without those of the store.
func tree(spans tracetest.SpanStubs, traceID string) string {
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime), cmp.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	known := map[string]bool{}
	for _, s := range spans {
		known[s.SpanContext.SpanID().String()] = true
	}
	var below func(parent, indent string)
	below = func(parent, indent string) {
		for _, s := range spans {
			up := s.Parent.SpanID().String()
			if !known[up] {
				up = ""
			}
			if up != parent || s.SpanContext.TraceID().String() != traceID || attributeOf(s, "agui.step") == "store" {
				continue
			}
			b.WriteString(indent + s.Name + "\n")
			below(s.SpanContext.SpanID().String(), indent+"  ")
		}
	}
	below("", "")
	return b.String()
}

// attributeOf is an attribute of a span as text; empty if it has none of that name.
func attributeOf(s tracetest.SpanStub, key string) string {
	for _, a := range s.Attributes {
		if a.Key == attribute.Key(key) {
			return a.Value.String()
		}
	}
	return ""
}

// named are the spans of a name.
func named(spans tracetest.SpanStubs, name string) tracetest.SpanStubs {
	return slices.DeleteFunc(slices.Clone(spans), func(s tracetest.SpanStub) bool { return s.Name != name })
}
