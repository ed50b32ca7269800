package anthropic_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/anthropic"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Lima."}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}

data: {"type":"message_stop"}

`)
	}))
	defer server.Close()
	m, err := anthropic.New(anthropic.Options{BaseURL: server.URL, Key: "sk-ant-key", Name: "claude-sonnet-4-5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply, err := m.Stream(context.Background(), model.Request{
		Messages: []model.Message{{Role: agui.RoleUser, Text: "What is the capital of Peru?"}},
	}, model.Deltas{})
	fmt.Println(reply.Text, err)
	// Output: Lima. <nil>
}
