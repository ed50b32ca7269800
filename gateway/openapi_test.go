package gateway

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/agui-gateway/gateway/groupchat"
)

// The description is held against the routing table, both ways.
func TestOpenAPIIsTheRoutingTable(t *testing.T) {
	t.Parallel()
	g, err := New(Options{Agents: map[string]groupchat.Agent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var routed []string
	for _, route := range g.routes.(*echo.Echo).Routes() {
		if !strings.HasPrefix(route.Path, "/api/") && route.Method != http.MethodHead { // which is wherever GET is
			path := strings.NewReplacer(":agent", "{agent}", ":id", "{id}", ":patch", "{patch}", ":run", "{run}", ":approval", "{approval}", ":message", "{message}", ":file", "{file}").Replace(route.Path)
			routed = append(routed, route.Method+" "+path)
		}
	}
	routed = append(routed, newCopilotkit(g).Routes()...)
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Summary    string
			Parameters []struct {
				Name string
				In   string
				Ref  string `json:"$ref"`
			}
			Responses map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			if method == "parameters" {
				continue
			}
			described = append(described, strings.ToUpper(method)+" "+path)
			if len(operation.Responses) == 0 || operation.Summary == "" {
				t.Errorf("%s %s has no summary or no responses", method, path)
			}
		}
	}
	slices.Sort(routed)
	slices.Sort(described)
	if !slices.Equal(routed, described) {
		t.Errorf("routed    %v\ndescribed %v", routed, described)
	}
}
