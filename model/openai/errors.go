package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// What can be wrong with a reply, for the log.
var (
	errFilter = errors.New("model: the reply was withheld")
	errChunk  = errors.New("model: a chunk of the reply is not one")
	errPage   = errors.New("model: the reply is a web page")
)

// statusFault is what an answer of another status than 2xx means.
func statusFault(response *http.Response, body []byte) error {
	f := provider.StatusFault(response)
	readError(f, body)
	if f.Kind == provider.Away { // the body does not say
		f.Kind = provider.KindOfStatus(f.Status)
	}
	return f
}

// errorObject returns the server's error instead of a reply, or in the middle of one.
func errorObject(raw json.RawMessage) error {
	f := &provider.Fault{Err: provider.ErrSays}
	readError(f, raw)
	if f.Kind == provider.Away && f.Status >= 400 && f.Status < 500 && f.Status != http.StatusTooManyRequests {
		f.Kind = provider.Request
		if f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden {
			f.Kind = provider.Auth
		}
	}
	return f
}

// readError fills in f from the body of an error. Servers differ in where they put the words for programs and those for
// people.
func readError(f *provider.Fault, raw json.RawMessage) {
	f.Words = redact.Sentence(raw)
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		raw = list[0] // one provider puts its error into a list
	}
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &outer) == nil && jsonPresent(outer.Error) {
		raw = outer.Error
	}
	var e struct {
		Type   json.RawMessage `json:"type"`
		Code   json.RawMessage `json:"code"`
		Status json.RawMessage `json:"status"`
		Param  json.RawMessage `json:"param"`
	}
	if json.Unmarshal(bytes.TrimSpace(raw), &e) != nil {
		return
	}
	var said []string
	for _, word := range []json.RawMessage{e.Type, e.Code, e.Status, e.Param} {
		if w := jsonText(word); provider.IsWord(w) {
			said = append(said, w)
		}
		if n, ok := jsonCount(word); ok && f.Status == 0 && n >= 400 && n < 600 {
			f.Status = n
		}
	}
	f.Said = strings.Join(said, " ")
	f.Param = objectedTo(raw)
	for _, word := range said {
		switch word {
		case "context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded":
			f.Kind = provider.Length
		case "json_validate_failed", "tool_use_failed": // one provider's words for a reply that the model spoilt
			f.Kind = provider.Response
		case "content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation":
			f.Kind = provider.Filter
		case "insufficient_quota", "billing_hard_limit_reached":
			f.Kind = provider.Spent
		case "invalid_api_key", "authentication_error", "permission_error":
			f.Kind = provider.Auth
		case "invalid_request_error", "invalid_prompt", "model_not_found":
			if f.Status < 500 && f.Status != http.StatusTooManyRequests && f.Kind == provider.Away {
				f.Kind = provider.Request
			}
		}
	}
	// vLLM's name for what a conversation has too many of
	if strings.HasPrefix(f.Param, "input_tokens") && f.Kind != provider.Filter {
		f.Kind = provider.Length
	}
	if f.Kind == provider.Request && (f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden) {
		f.Kind = provider.Auth // one provider says invalid_request_error of a wrong key
	}
}

// objectedTo is the member of a request that an error is about, as a path with dots: its parameter, or the place of the
// first mistake in a list of them. It is empty if the error does not tell.
func objectedTo(raw json.RawMessage) string {
	type mistakes []struct {
		Loc []json.RawMessage `json:"loc"`
	}
	var e struct {
		Param   json.RawMessage `json:"param"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return ""
	}
	path, _, _ := strings.Cut(jsonText(e.Param), ",") // of several, the first
	if path == "" {
		var inner struct {
			Detail json.RawMessage `json:"detail"`
		}
		if !jsonPresent(e.Detail) && json.Unmarshal(e.Message, &inner) == nil {
			e.Detail = inner.Detail
		}
		var list mistakes
		if json.Unmarshal(e.Detail, &list) == nil && len(list) > 0 {
			var names []string
			for _, step := range list[0].Loc {
				names = append(names, jsonText(step))
			}
			path = strings.TrimPrefix(strings.Join(names, "."), "body.")
		}
	}
	if len(path) > maxPath || strings.ContainsFunc(path, func(r rune) bool { return !provider.IsWordRune(r) }) {
		return ""
	}
	return path
}

// maxPath is the most bytes of a path into a request that an error tells.
const maxPath = 200
