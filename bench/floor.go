package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
)

// A floor is the least program that puts a model behind an AG-UI endpoint.
type floor struct {
	model    string // URL of the model's server
	client   *http.Client
	coalesce bool // flush events of one moment together, and not each by itself
}

// newFloor returns a floor before the model's server at a URL.
func newFloor(model string, coalesce bool) *floor {
	return &floor{model: model, coalesce: coalesce,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
}

// floorRequest is the request to every model; the model's server reads none of it.
const floorRequest = `{"model":"bench-1","stream":true,"messages":[{"role":"user","content":"Go."}]}`

var (
	contentStart = []byte(`"content":"`)
	dataStart    = []byte("data: ")
)

func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ ThreadID, RunID string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "no input", http.StatusBadRequest)
		return
	}
	ids, err := json.Marshal(map[string]string{"threadId": in.ThreadID, "runId": in.RunID})
	if err != nil {
		http.Error(w, "no ids", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := &floorStream{w: bufio.NewWriterSize(w, 16<<10), flush: http.NewResponseController(w)}
	out.event(`{"type":"RUN_STARTED",`, ids[1:])
	out.event(`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"`, []byte("}"))
	out.send()
	if err := f.answer(r.Context(), out); err != nil {
		out.event(`{"type":"RUN_ERROR","message":"the model is away"`, []byte("}"))
	} else {
		out.event(`{"type":"TEXT_MESSAGE_END","messageId":"m"`, []byte("}"))
		out.event(`{"type":"RUN_FINISHED",`, ids[1:])
	}
	out.send()
}

// answer asks the model, and passes on each piece of text as it is written in the model's JSON.
func (f *floor) answer(ctx context.Context, out *floorStream) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.model+"/chat/completions",
		bytes.NewReader([]byte(floorRequest)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := f.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or given up
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	lines := bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		data, ok := bytes.CutPrefix(line, dataStart)
		if !ok {
			continue
		}
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return nil
		}
		if _, text, ok := bytes.Cut(data, contentStart); ok && text[0] != '"' {
			end := bytes.IndexByte(text, '"') // the model's words have no escapes
			out.event(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"`, text[:end], []byte(`"}`))
			if !f.coalesce || lines.Buffered() == 0 {
				out.send()
			}
		}
	}
}

// A floorStream writes events. Errors of writing are left to the reader, who misses the end.
type floorStream struct {
	w     *bufio.Writer
	flush *http.ResponseController
}

func (s *floorStream) event(start string, rest ...[]byte) {
	_, _ = s.w.Write(dataStart)
	_, _ = s.w.WriteString(start)
	for _, part := range rest {
		_, _ = s.w.Write(part)
	}
	_, _ = s.w.WriteString("\n\n")
}

func (s *floorStream) send() {
	_ = s.w.Flush()
	_ = s.flush.Flush()
}

func floorCommand(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench floor", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "address to listen on")
	model := flags.String("model", "", "URL of the model's server, such as http://127.0.0.1:4010/v1")
	coalesce := flags.Bool("coalesce", false, "flush what has come together at once, and not each event by itself")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return serve(ctx, *addr, newFloor(*model, *coalesce))
}
