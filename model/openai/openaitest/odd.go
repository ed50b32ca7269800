package openaitest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// An Odd is a server that is only nearly one of OpenAI's: it refuses requests that others take, and hands the rest to
// Next. It is safe for concurrent use.
type Odd struct {
	// Next answers the other requests, such as [Serve].
	Next http.Handler
	// Refuses are members that a request must not have, as paths such as "stream_options" or
	// "response_format.json_schema.strict". One with a value, "response_format.type=json_schema", is refused with that
	// value only.
	Refuses []string
	// Known, if set, are the only members that a request may have.
	Known []string
	// Wants is a member that each assistant's message with calls must have.
	Wants string
	// Status is that of a refusal; 0 is 400. Named says that the refusal tells which member it is about.
	Status int
	Named  bool

	mu       sync.Mutex
	refused  []string
	accepted []string
}

// ServeHTTP refuses the request, or has it answered.
func (o *Odd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var body map[string]any
	if err != nil || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	param := o.objectsTo(body)
	o.mu.Lock()
	if param != "" {
		o.refused = append(o.refused, param)
	} else {
		o.accepted = append(o.accepted, string(raw))
	}
	o.mu.Unlock()
	if param == "" {
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		o.Next.ServeHTTP(w, r)
		return
	}
	fault := map[string]any{"message": "I do not know " + param, "type": "invalid_request_error", "param": nil,
		"code": nil}
	if o.Named {
		fault["param"] = param
	}
	status := o.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": fault})
}

// objectsTo is the member that the server does not take; empty if it takes all of them.
func (o *Odd) objectsTo(body map[string]any) string {
	for _, path := range o.Refuses {
		at, value, valued := strings.Cut(path, "=")
		if found, ok := member(body, at); ok && (!valued || found == value) {
			return at
		}
	}
	if o.Known != nil {
		for name := range body {
			if !slices.Contains(o.Known, name) {
				return name
			}
		}
	}
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if _, calls := message["tool_calls"]; calls && o.Wants != "" {
			if _, ok := message[o.Wants].(string); !ok {
				return "messages." + o.Wants
			}
		}
	}
	return ""
}

func member(v any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		found, ok := object[name]
		if !ok {
			return nil, false
		}
		v = found
	}
	return v, true
}

// Refused are the members for which requests were refused, in the order in which they came.
func (o *Odd) Refused() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.refused)
}

// Accepted are the bodies of the requests that were not refused.
func (o *Odd) Accepted() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.accepted)
}
