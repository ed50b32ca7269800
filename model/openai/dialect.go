package openai

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
)

// An API is one of the two by which OpenAI's servers, and those that are like them, are asked.
type API string

// The APIs.
const (
	ChatCompletions API = "chat" // POST /chat/completions, which nearly every server has
	// POST /responses, through which models that reason keep their reasoning between calls of tools
	Responses API = "responses"
)

// A Structured is a way to ask for a reply that matches a JSON Schema. Agents check the reply in any case.
type Structured string

// The levels, strictest first. Servers enforce the first two; with the last two, the schema is in the system message.
const (
	StructuredSchema Structured = "schema" // response_format: json_schema
	StructuredObject Structured = "object" // response_format: json_object
	StructuredNone   Structured = "none"   // in words only
)

// An Echo says as which member of an assistant's message its reasoning is sent back.
type Echo string

// The names that servers have for it.
const (
	EchoOff              Echo = "off"               // it is not sent
	EchoReasoningContent Echo = "reasoning_content" // DeepSeek, llama.cpp
	// vLLM, Ollama, OpenRouter, which is also sent the reasoning_details it gave
	EchoReasoning Echo = "reasoning"
)

// The members of a request that say how much a model may write.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// checkDialect fills in and checks the options about what servers do differently.
func (o *Options) checkDialect() error {
	if o.Echo == "" {
		o.Echo = EchoOff
	}
	switch {
	case o.API != ChatCompletions && o.API != Responses:
		return errors.New("api is none of chat and responses")
	case !slices.Contains([]Structured{"", StructuredSchema, StructuredObject, StructuredNone}, o.Structured):
		return errors.New("structured is none of schema, object and none")
	case !slices.Contains([]Echo{EchoOff, EchoReasoningContent, EchoReasoning}, o.Echo):
		return errors.New("echo is none of off, reasoning_content and reasoning")
	case !slices.Contains([]string{"", maxTokens, maxCompletionTokens}, o.MaxTokensField):
		return errors.New("the field of max tokens is none of max_tokens and max_completion_tokens")
	case o.API == Responses && (o.Echo != EchoOff || o.MaxTokensField != "" || o.AcceptUnfinished):
		return errors.New("the Responses API needs no echo of reasoning, " +
			"no field of max tokens and no unfinished replies")
	}
	return nil
}

// maxTokensField is the member that MaxTokens is sent in unless the options say so. OpenAI takes only the new name for
// models that reason; many other servers know only the old one.
func maxTokensField(o Options, base *url.URL) string {
	if o.Provider == "azure" || base.Hostname() == "api.openai.com" || o.Effort != "" {
		return maxCompletionTokens
	}
	return maxTokens
}

// withoutKey is o with nothing that must not be printed.
func (o Options) withoutKey() Options {
	o.Key = ""
	return o
}

func signer(o Options) func(*http.Request) {
	return func(r *http.Request) {
		switch {
		case o.Key == "":
		case o.Provider == "azure":
			r.Header.Set("Api-Key", o.Key)
		default:
			r.Header.Set("Authorization", "Bearer "+o.Key)
		}
	}
}

// origin names the API, provider and model in opaque data for the server: data of another origin is not sent to it.
func (m *Model) origin() string { return string(m.o.API) + ":" + m.o.Provider + "/" + m.o.Name }
