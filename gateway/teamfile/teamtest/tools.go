package teamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/state"
)

// A server replaces an MCP server: it has the tools that a conversation describes, and speaks streamable HTTP with
// answers in JSON.
type server struct {
	name  string
	tools []*serverTool
	told  *complaints
}

// A serverTool is one of its tools, with its results.
type serverTool struct {
	at          *teamfile.Value
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations json.RawMessage `json:"annotations,omitempty"`

	mu      sync.Mutex
	results []*toolResult
}

type toolResult struct {
	at        *teamfile.Value
	text      string
	failed    bool
	arguments json.RawMessage // of the calls that get it; nil means all
	any       bool            // any number of times
	given     bool
}

func (c *conversation) readServers(v *teamfile.Value) {
	keys, values := v.Pairs("mcp")
	c.servers = map[string]*server{}
	for i, key := range keys {
		f := values[i].Fields(fmt.Sprintf("server %q", key.Text()), "mcp")
		s := &server{name: key.Text()}
		for _, item := range f.Need("tools", "list what the server has, such as `tools: [ { name: search, result: … "+
			"} ]`").List("tools") {
			s.tools = append(s.tools, readServerTool(item))
		}
		f.End()
		c.servers[s.name] = s
	}
}

func readServerTool(v *teamfile.Value) *serverTool {
	f := v.Fields("a tool of a server", "mcp tool")
	t := &serverTool{
		at: v, Name: f.Need("name", "name it as the server does").Text(), Description: f.Take("description").Text(),
		InputSchema: f.Take("parameters").JSON(), Annotations: f.Take("annotations").JSON(),
	}
	if t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	t.readResults(f)
	return t
}

// readResults reads the results of a tool, and ends f.
func (t *serverTool) readResults(f *teamfile.Fields) {
	result, results := f.Any("result"), f.Take("results")
	f.End()
	if (result == nil) == (results == nil) {
		t.at.Bad("a tool has one of result, which it returns each time, and results, one for each call")
		return
	}
	if result != nil {
		t.results = append(t.results, &toolResult{at: result, text: resultText(result), any: true})
	}
	for _, item := range results.List("results") {
		if !item.IsMapping() {
			t.results = append(t.results, &toolResult{at: item, text: resultText(item)})
			continue
		}
		f := item.Fields("a result", "mcp result")
		r := &toolResult{at: item, text: resultText(f.Any("result")), arguments: f.Take("arguments").JSON()}
		if failure := f.Take("error"); failure != nil {
			r.text, r.failed = failure.Text(), true
		}
		f.End()
		t.results = append(t.results, r)
	}
}

// resultText returns the value of a result as a tool returns it: a text as it is, anything else as JSON.
func resultText(v *teamfile.Value) string {
	raw := v.JSON()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// next takes the result of a call; nil if there is none.
func (t *serverTool) next(arguments json.RawMessage) *toolResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.results {
		if (r.any || !r.given) && (r.arguments == nil || same(r.arguments, arguments)) {
			r.given = true
			return r
		}
	}
	return nil
}

// ServeHTTP answers one message of MCP.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost { // there is no stream of notifications, and no session to end
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var in struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxFile))
	if err != nil || json.Unmarshal(data, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if len(in.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	out := map[string]any{"jsonrpc": "2.0", "id": in.ID}
	if result := s.answer(in.Method, in.Params); result != nil {
		out["result"] = result
	} else {
		out["error"] = map[string]any{"code": -32601, "message": "a conversation's server has tools and nothing else"}
	}
	answer, err := json.Marshal(out)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the client may have gone
}

func (s *server) answer(method string, params json.RawMessage) any {
	switch method {
	case "initialize":
		var p struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(params, &p) // any version will do
		return map[string]any{
			"protocolVersion": p.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": s.name, "version": "0"},
		}
	case "ping":
		return map[string]any{}
	case "tools/list":
		return map[string]any{"tools": s.tools}
	case "tools/call":
		var p struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		_ = json.Unmarshal(params, &p) // then there is no such tool
		return s.call(p.Name, p.Arguments)
	default:
		return nil
	}
}

func (s *server) call(name string, arguments json.RawMessage) any {
	for _, t := range s.tools {
		if t.Name != name {
			continue
		}
		r := t.next(arguments)
		if r == nil {
			s.told.Errorf("the tool %s of server %s has no result for a call with %s", name, s.name, short(arguments))
			r = &toolResult{text: "the conversation has no result for this call", failed: true}
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": r.text}}, "isError": r.failed}
	}
	return nil
}

// unused returns the results without a call.
func (s *server) unused() (left []*toolResult) {
	for _, t := range s.tools {
		left = append(left, t.unused()...)
	}
	return left
}

func (t *serverTool) unused() (left []*toolResult) {
	for _, r := range t.results {
		if !r.any && !r.given {
			left = append(left, r)
		}
	}
	return left
}

// same reports whether two values are the same JSON.
func same(a, b json.RawMessage) bool { return string(state.Canonical(a)) == string(state.Canonical(b)) }
