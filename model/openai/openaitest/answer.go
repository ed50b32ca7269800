package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An Answer is what a model's server answers one request with. It is an [http.Handler] that gives it to every request.
type Answer struct {
	Status int               // of HTTP; 0 is 200
	Header map[string]string // besides the content type
	// Body is the events of the stream, one a line. A line that is no field of an event stream becomes an event's data.
	// With a Status, or Raw, it is sent as it is.
	Body string
	Raw  bool
	Cut  bool          // the connection is cut after the body
	Hold chan struct{} // the connection is held open after the body until Hold is closed or the request ends
}

// Text is the answer of a model that says text and nothing else.
func Text(text string) Answer {
	return Answer{Body: Delta(`"content":`+quote(text)) + "\n" + Finish("stop") + "\n[DONE]"}
}

// Calls is the answer of a model that calls tools and says nothing: names and arguments, which are JSON, by turns.
func Calls(list ...string) Answer {
	var lines []string
	for i := 0; i+1 < len(list); i += 2 {
		lines = append(lines,
			Delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"c%d","type":"function",`+
				`"function":{"name":%q,"arguments":%s}}]`,
				i/2, i/2, list[i], quote(list[i+1]))))
	}
	return Answer{Body: strings.Join(append(lines, Finish("tool_calls"), "[DONE]"), "\n")}
}

// Delta is a line of an answer's body: a piece of the reply, with members such as `"content":"Hello"`.
func Delta(members string) string { return `{"choices":[{"index":0,"delta":{` + members + `}}]}` }

// Finish is the line of an answer's body with which a reply ends, for a reason such as "stop" or "tool_calls".
func Finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + quote(reason) + `}]}`
}

// Wire is the body as it is sent.
func (a Answer) Wire() string {
	if a.Raw || a.Status != 0 {
		return a.Body
	}
	var b strings.Builder
	for line := range strings.Lines(a.Body) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if !strings.HasPrefix(line, ":") && !strings.HasPrefix(line, "event:") && !strings.HasPrefix(line, "data:") {
			line = "data: " + line
		}
		b.WriteString(line + "\n\n")
	}
	return b.String()
}

// ServeHTTP sends the answer.
func (a Answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = io.WriteString(w, a.Wire())
	_ = http.NewResponseController(w).Flush()
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-r.Context().Done():
		}
	}
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
}

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return string(raw)
}
