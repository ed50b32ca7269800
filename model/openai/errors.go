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

// errorObject is the fault that the server tells of in place of a reply, or in the middle of one.
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

// readError fills in f from the body of an error. Servers differ in where they put the words for programs and those for people.
func readError(f *provider.Fault, raw json.RawMessage) {
	f.Words = redact.Sentence(raw)
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
		if w := jsonText(word); errorWord(w) {
			said = append(said, w)
		}
		if n, ok := jsonCount(word); ok && f.Status == 0 && n >= 400 && n < 600 {
			f.Status = n
		}
	}
	f.Said = strings.Join(said, " ")
	for _, word := range said {
		switch word {
		case "content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation":
			f.Kind = provider.Filter
		case "insufficient_quota", "billing_hard_limit_reached":
			f.Kind = provider.Spent
		case "invalid_api_key", "authentication_error", "permission_error":
			f.Kind = provider.Auth
		case "invalid_request_error", "context_length_exceeded", "model_not_found":
			if f.Status < 500 && f.Status != http.StatusTooManyRequests && f.Kind == provider.Away {
				f.Kind = provider.Request
			}
		}
	}
	if f.Kind == provider.Request && (f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden) {
		f.Kind = provider.Auth // one provider says invalid_request_error of a wrong key
	}
}

// errorWord reports whether a server's word is one: nothing of a conversation, and no key, looks like it.
func errorWord(s string) bool {
	return s != "" && len(s) <= 48 && !strings.HasPrefix(s, "sk-") && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.[]", r)
	})
}
