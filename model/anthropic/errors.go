package anthropic

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// errorTypes are the API's types of errors.
var errorTypes = map[string]provider.Kind{
	"invalid_request_error": provider.Request,
	"not_found_error":       provider.Request,
	"request_too_large":     provider.Length,
	"authentication_error":  provider.Auth,
	"permission_error":      provider.Auth,
	"billing_error":         provider.Spent,
	"rate_limit_error":      provider.Away,
	"api_error":             provider.Away,
	"timeout_error":         provider.Away,
	"overloaded_error":      provider.Away, // with status 529
}

// statusFault is the meaning of an answer with another status than 2xx.
func statusFault(response *http.Response, body []byte) error {
	f := provider.StatusFault(response)
	if f.Kind = provider.KindOfStatus(f.Status); f.Status == http.StatusRequestEntityTooLarge {
		f.Kind = provider.Length
	}
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	_ = exact.Unmarshal(body, &outer) // the status is enough
	readError(f, outer.Error)
	f.Words = redact.Sentence(body)
	if id := response.Header.Get("Request-Id"); provider.IsWord(id) {
		f.Said = strings.TrimSpace(f.Said + " " + id) // by which Anthropic finds the request
	}
	return f
}

// readError fills in f from an error object of the API.
func readError(f *provider.Fault, raw json.RawMessage) {
	f.Words = redact.Sentence(raw)
	var e struct {
		Type string `json:"type"`
	}
	if exact.Unmarshal(raw, &e) != nil {
		return
	}
	if kind, ok := errorTypes[e.Type]; ok {
		f.Kind = kind
	}
	if provider.IsWord(e.Type) {
		f.Said = e.Type
	}
}
