package httptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/httptool"
)

// A tool that sends requests to a weather server.
func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"city":%q,"now":{"text":"rain","unit":%q}}`, r.URL.Path, r.URL.Query().Get("unit"))
	}))
	defer server.Close()

	weather, err := httptool.New(httptool.Options{
		Name: "get_weather", Description: "Tells the weather of a city.",
		Parameters: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"unit":{"type":"string"}}}`),
		URL:        server.URL + "/v1/cities/{city}",
		Select:     "/now",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := weather.Call(context.Background(), groupchat.ToolCall{Arguments: json.RawMessage(`{"city":"Oslo","unit":"C"}`)})
	fmt.Println(result.Content.Text(), err)
	// Output: {"text":"rain","unit":"C"} <nil>
}
