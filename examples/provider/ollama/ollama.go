// Package ollama is a provider of models for the gateway, in a separate module: it calls models by Ollama's own API,
// POST /api/chat, with a JSON object in each line of the reply. A program that imports the package can name it in team
// files:
//
//	import _ "example.com/provider/ollama"
//
//	models:
//	  default: { type: ollama-native, model: qwen3 }
//
// The gateway knows Ollama by its OpenAI-compatible API too (provider: ollama). The package is an example: it makes no
// second try, and sends no pictures.
package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// Name is the type of these models in team files, and their provider in the usage of runs.
const Name = "ollama-native"

func init() { model.Register(Name, Open) }

// Settings are the keys of a model in a team file.
type Settings struct {
	Model   string `json:"model"`
	BaseURL string `json:"base_url"` // default: http://127.0.0.1:11434
	Think   bool   `json:"think"`    // the model thinks, and its thoughts are shown as reasoning
}

// A Model is a language model of an Ollama server. It is safe for concurrent use.
type Model struct {
	s    Settings
	http *http.Client
}

var (
	_ model.Model    = (*Model)(nil)
	_ model.Reasoner = (*Model)(nil)
	_ model.Named    = (*Model)(nil)
	_ model.Checker  = (*Model)(nil)
)

// Open makes a model of its description in a team file. It is the [model.Provider] that is registered. The errors of
// Decode have the place of each mistake, and so has a [model.SettingError].
func Open(c model.Config) (model.Model, error) {
	s := Settings{BaseURL: "http://127.0.0.1:11434"}
	if err := c.Decode(&s); err != nil {
		return nil, err
	}
	var errs []error
	if s.Model == "" {
		errs = append(errs, mistake("model", "there is no model; write its name, such as qwen3"))
	}
	if u, err := url.Parse(s.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, mistake("base_url", "not a URL that can be asked; write http://host:11434"))
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return &Model{s: s, http: c.HTTP}, nil
}

func mistake(key, text string) error { return &model.SettingError{Path: []string{key}, Text: text} }

// Identity returns the provider and the model's name.
func (m *Model) Identity() (provider, name string) { return Name, m.s.Model }

// Reasons reports whether the model thinks before it speaks.
func (m *Model) Reasons() bool { return m.s.Think }

// Check asks the server for the model, which costs nothing.
func (m *Model) Check(ctx context.Context) error {
	answer, err := m.post(ctx, "/api/show", map[string]any{"model": m.s.Model})
	if err != nil {
		return err
	}
	return answer.Close()
}

// A chunk is one line of a reply.
type chunk struct {
	Message struct {
		Content  string     `json:"content"`
		Thinking string     `json:"thinking"`
		Calls    []toolCall `json:"tool_calls"`
	} `json:"message"`
	Done   bool   `json:"done"`
	Reason string `json:"done_reason"`
	Input  *int64 `json:"prompt_eval_count"`
	Output *int64 `json:"eval_count"`
	Error  string `json:"error"`
}

type toolCall struct {
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// The bounds of a reply, in bytes.
const (
	maxReply = 16 << 20
	maxLine  = 1 << 20
)

// Stream asks the model, and hands the reply to on line by line.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	reply := model.Reply{Usage: agui.TokenUsage{Provider: Name, Model: m.s.Model}}
	answer, err := m.post(ctx, "/api/chat", m.body(r))
	if err != nil {
		return reply, err
	}
	defer func() { _ = answer.Close() }() // the reply is read, or given up
	lines := bufio.NewScanner(io.LimitReader(answer, maxReply))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c chunk
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return reply, coded(errcode.ModelResponse, errors.New("a line of the reply is no JSON"))
		}
		if c.Error != "" { // its text may quote the prompt, and is not for a log
			return reply, coded(errcode.ModelUnavailable, errors.New("the server reports an error"))
		}
		if err := add(&reply, &c, on); err != nil {
			return reply, err // the error of on is returned as it is
		}
		if c.Done {
			reply.Finish, reply.Usage.InputTokens, reply.Usage.OutputTokens = c.Reason, c.Input, c.Output
			if len(reply.Calls) > 0 {
				reply.Finish = "tool_calls"
			}
			return reply, nil
		}
	}
	if ctx.Err() != nil {
		return reply, context.Cause(ctx)
	}
	return reply, coded(errcode.ModelResponse, errors.New("the reply ended before its end"))
}

// add adds a line to the reply, and hands it on.
func add(reply *model.Reply, c *chunk, on model.Deltas) error {
	reply.Reasoning += c.Message.Thinking
	if c.Message.Thinking != "" && on.Reasoning != nil {
		if err := on.Reasoning(c.Message.Thinking); err != nil {
			return err
		}
	}
	reply.Text += c.Message.Content
	if c.Message.Content != "" && on.Text != nil {
		if err := on.Text(c.Message.Content); err != nil {
			return err
		}
	}
	for _, call := range c.Message.Calls { // Ollama has no ids of calls, and a reply needs none
		f := call.Function
		reply.Calls = append(reply.Calls, model.Call{Name: f.Name, Arguments: string(f.Arguments)})
	}
	return nil
}

// body is r in the form of the API.
func (m *Model) body(r model.Request) map[string]any {
	names := map[string]string{} // of tools, by the ids of their calls
	messages := []map[string]any{}
	for _, said := range r.Messages {
		message := map[string]any{"role": said.Role, "content": said.Text}
		var calls []map[string]any
		for _, c := range said.Calls {
			names[c.ID] = model.ToolName(c.Name)
			var arguments map[string]any
			_ = json.Unmarshal([]byte(c.Arguments), &arguments) // a call that was cut off has none
			function := map[string]any{"name": names[c.ID], "arguments": arguments}
			calls = append(calls, map[string]any{"function": function})
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		if said.CallID != "" {
			message["tool_name"] = names[said.CallID]
		}
		messages = append(messages, message)
	}
	body := map[string]any{"model": m.s.Model, "messages": messages, "stream": true, "think": m.s.Think}
	var tools []map[string]any
	for _, t := range r.Tools {
		parameters := t.Parameters
		if parameters == nil {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
			"name": model.ToolName(t.Name), "description": t.Description, "parameters": parameters}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if r.Schema != nil {
		body["format"] = r.Schema
	}
	return body
}

// post sends a request and returns the body of the answer. The status of another answer than 200 becomes a code.
func (m *Model) post(ctx context.Context, path string, body map[string]any) (io.ReadCloser, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, coded(errcode.ModelRequest, err)
	}
	address := strings.TrimRight(m.s.BaseURL, "/") + path
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(raw))
	if err != nil {
		return nil, coded(errcode.ModelRequest, errors.New("the request cannot be made"))
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := m.http.Do(request)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, coded(errcode.ModelUnavailable, errors.New("the server cannot be reached"))
	case answer.StatusCode == http.StatusOK:
		return answer.Body, nil
	}
	_ = answer.Body.Close() // the status says enough
	code := errcode.ModelRequest
	if answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests {
		code = errcode.ModelUnavailable
	}
	return nil, coded(code, fmt.Errorf("status %d", answer.StatusCode))
}

// coded is an error with the code by which a run ends, and a text for logs.
func coded(code errcode.Code, err error) error {
	return &errcode.Error{Code: code, Err: fmt.Errorf("%s: %w", Name, err)}
}
