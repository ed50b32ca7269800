package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
)

// weather is an MCP server with one tool, as other people write them.
func weather() http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "weather", Version: "1"}, nil)
	type place struct {
		City string `json:"city"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "forecast", Description: "Tells the weather of tomorrow"},
		func(_ context.Context, _ *sdk.CallToolRequest, in place) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "Sunny in " + in.City + "."}}}, nil, nil
		})
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
}

// A server's tools are given to an agent as a source. Here they are used by hand, to show what the agent gets.
func Example() {
	endpoint := httptest.NewServer(weather())
	defer endpoint.Close()

	server, err := mcp.New(mcp.Options{Name: "weather", URL: endpoint.URL, Headers: map[string]string{"Authorization": "Bearer secret"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = server.Close() }()
	source := server.Source(mcp.SourceOptions{Only: []string{"forecast"}, Prefix: "weather_"})
	// agent := &groupchat.LLM{Model: model, Sources: []groupchat.ToolSource{source}}

	tools, err := source.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range tools {
		result, err := tool.Call(context.Background(), groupchat.ToolCall{Arguments: []byte(`{"city":"Rome"}`)})
		fmt.Println(tool.Name+":", result.Content.Text(), err)
	}
	// Output: weather_forecast: Sunny in Rome. <nil>
}
