package gateway

import (
	_ "embed"
	"net/http"
)

// openAPI describes the routes. A test holds it against the routing table.
//
//go:embed openapi.json
var openAPI []byte

// showOpenAPI is GET /openapi.json.
func (g *Gateway) showOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(openAPI)
	return err
}
