package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"
)

// sayNothing is a message that the model leaves without an answer for as long as it is waited for.
const sayNothing = "Say nothing."

// A modelServer answers every request for a chat completion with the same stream.
type modelServer struct {
	chunks [][]byte // frames, the end among them
	pause  time.Duration
}

// newModel returns a server with answers of n words, one in each chunk, in the form of OpenAI's servers.
func newModel(n int, pause time.Duration) *modelServer {
	m := &modelServer{pause: pause}
	frame := func(delta map[string]any, finish any, usage any) {
		data, err := json.Marshal(map[string]any{
			"id": "chatcmpl-5e0c9f4b1d7a42c3", "object": "chat.completion.chunk", "created": 1790000000,
			"model":        "bench-1",
			"service_tier": "default", "system_fingerprint": "fp_3f2a91c07b", "usage": usage,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
		})
		if err != nil {
			panic(err) // maps of plain values
		}
		m.chunks = append(m.chunks, []byte("data: "+string(data)+"\n\n"))
	}
	frame(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil, nil)
	for i := range n {
		frame(map[string]any{"content": fmt.Sprintf(" word%d", i%10)}, nil, nil)
	}
	frame(map[string]any{}, "stop", map[string]any{"prompt_tokens": 20, "completion_tokens": n, "total_tokens": n + 20})
	m.chunks = append(m.chunks, []byte("data: [DONE]\n\n"))
	return m
}

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	if bytes.Contains(asked, []byte(sayNothing)) {
		_ = flush.Flush() // fails if the client is gone
		<-r.Context().Done()
		return
	}
	for _, chunk := range m.chunks {
		if m.pause > 0 {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(m.pause):
			}
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
	}
}

func modelCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench model", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "address to listen on")
	words := flags.Int("words", 200, "words of an answer, each a chunk")
	pause := flags.Duration("pause", 0, "pause before each chunk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return serve(ctx, *addr, newModel(*words, *pause))
}
