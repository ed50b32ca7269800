package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/web"
)

// The page is served by a gateway (gateway.Options.Page), or by any other mux.
func ExampleHandler() {
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler())

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil))
	fmt.Println(answer.Code, answer.Header().Get("Referrer-Policy"))
	// Output: 200 no-referrer
}
