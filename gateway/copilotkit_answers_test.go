package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-gateway/gateway/gateway"
)

// The answers of CopilotKit's runtime word for word, and the form of its errors.
func TestPageAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *gateway.Options) { o.Limits.Body = 4096 })
	const (
		missing = `{"error":"Missing CopilotKitIntelligence configuration. Thread operations require a CopilotKitIntelligence instance to be provided in CopilotRuntime options."}`
		none    = `{"error":"Not found"}`
		method  = `{"error":"Method not allowed"}`
		nobody  = `{"error":"Agent not found","message":"Agent 'nobody' does not exist"}`
	)
	in := pageInput("t", "r", []string{"u1:Hi"})
	call := func(text string) string { return `{"error":"invalid_request","message":"` + text + `"}` }
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		want, allow              string // want begins the body; empty is none
	}{
		{"info by POST", "POST", "/info", "{}", 405, method, "GET"},
		{"info by HEAD", "HEAD", "/info", "", 200, "", ""},
		{"info with a slash", "GET", "/info/", "", 200, `{"version":"1.75.0"`, ""},
		{"run by GET", "GET", "/agent/echo/run", "", 405, method, "POST"},
		{"run, unknown agent", "POST", "/agent/nobody/run", in, 404, nobody, ""},
		{"connect, unknown agent", "POST", "/agent/nobody/connect", in, 404, nobody, ""},
		{"suggest, unknown agent", "POST", "/agent/nobody/suggest", in, 404, nobody, ""},
		{"run, no JSON", "POST", "/agent/echo/run", "{", 400, `{"code":"invalid_input","details":"`, ""},
		{"run, no runId", "POST", "/agent/echo/run", `{"threadId":"t","messages":[],"tools":[],"context":[]}`, 400, `{"code":"invalid_input","details":"The request is malformed. runId: is missing."`, ""},
		{"run, no tools", "POST", "/agent/echo/run", `{"threadId":"t","runId":"r","messages":[],"context":[]}`, 400, `{"code":"invalid_input","details":"The request is malformed. tools: is missing."`, ""},
		{"connect, no context", "POST", "/agent/echo/connect", `{"threadId":"t","runId":"r","messages":[],"tools":[]}`, 400, `{"code":"invalid_input","details":"The request is malformed. context: is missing."`, ""},
		{"run, another version", "POST", "/agent/echo/run", `{"protocolVersion":"2.0","threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}`, 400, `{"code":"unsupported_version"`, ""},
		{"run, too large", "POST", "/agent/echo/run", pageInput("t", "r", []string{"u1:" + strings.Repeat("x", 5000)}), 413, `{"code":"too_large","error":"too_large"`, ""},
		{"run, a dialect nobody speaks", "POST", "/agent/echo/run?interrupts=no", in, 400, `{"code":"invalid_input"`, ""},
		{"percent signs", "POST", "/agent/%6eobody/run", in, 404, nobody, ""},
		{"broken percent signs", "POST", "/agent/%252/run", in, 404, `{"error":"Agent not found"`, ""},
		{"a thread", "GET", "/threads/t", "", 405, method, "PATCH, DELETE"},
		{"rename", "PATCH", "/threads/t", "{}", 422, missing, ""},
		{"delete", "DELETE", "/threads/t", "", 422, missing, ""},
		{"archive", "POST", "/threads/t/archive", "{}", 422, missing, ""},
		{"subscribe", "POST", "/threads/subscribe", "{}", 422, missing, ""},
		{"clear", "POST", "/threads/clear", "{}", 204, "", ""},
		{"clear by GET", "GET", "/threads/clear", "", 405, method, "POST"},
		{"annotate", "POST", "/annotate", "{}", 422, strings.Replace(missing, "Thread operations require", "annotate requires", 1), ""},
		{"transcribe", "POST", "/transcribe", "{}", 503, `{"error":"service_not_configured","message":"Transcription service is not configured","retryable":false}`, ""},
		{"inspector", "GET", "/inspector-metadata", "", 204, "", ""},
		{"memories", "GET", "/memories", "", 404, none, ""},
		{"a memory", "PATCH", "/memories/m", "{}", 404, none, ""},
		{"nothing there", "GET", "/nothing", "", 404, none, ""},
		{"an agent", "GET", "/agent/echo", "", 404, none, ""},
		{"a stop without a thread", "POST", "/agent/echo/stop", "", 404, none, ""},
		{"the base by GET", "GET", "", "", 405, method, "POST"},
		{"the base by DELETE", "DELETE", "/", "", 405, method, "POST"},
		{"call: info", "POST", "/", `{"method":"info"}`, 200, `{"version":"1.75.0"`, ""},
		{"call: unknown", "POST", "", `{"method":"zzz"}`, 400, call("Unsupported method 'zzz'"), ""},
		{"call: a number", "POST", "", `{"method":1}`, 400, call("Unsupported method '1'"), ""},
		{"call: none", "POST", "", `{}`, 400, call("Missing method field"), ""},
		{"call: a list", "POST", "", `[]`, 400, call("Missing method field"), ""},
		{"call: null", "POST", "", `null`, 400, call("Missing method field"), ""},
		{"call: no JSON", "POST", "", `{`, 400, call("Invalid JSON payload"), ""},
		{"call: two values", "POST", "", `{"method":"info"}{}`, 400, call("Invalid JSON payload"), ""},
		{"call: no params", "POST", "", `{"method":"agent/run"}`, 400, call("Missing or invalid parameter 'agentId'"), ""},
		{"call: params of no shape", "POST", "", `{"method":"agent/run","params":3}`, 400, call("Missing or invalid parameter 'agentId'"), ""},
		{"call: white space", "POST", "", `{"method":"agent/run","params":{"agentId":" "}}`, 400, call("Missing or invalid parameter 'agentId'"), ""},
		{"call: no body", "POST", "", `{"method":"agent/run","params":{"agentId":"echo"}}`, 400, call("Missing request body for JSON handler"), ""},
		{"call: an empty body", "POST", "", `{"method":"agent/run","params":{"agentId":"echo"},"body":{}}`, 400, `{"code":"invalid_input"`, ""},
		{"call: unknown agent", "POST", "", `{"method":"agent/run","params":{"agentId":"nobody"},"body":` + in + `}`, 404, nobody, ""},
		{"call: stop, no thread", "POST", "", `{"method":"agent/stop","params":{"agentId":"echo"}}`, 400, call("Missing or invalid parameter 'threadId'"), ""},
		{"call: stop, null", "POST", "", `{"method":"agent/stop","params":{"agentId":"echo","threadId":"t"},"body":null}`, 400, call("Missing request body for JSON handler"), ""},
		{"call: inspector", "POST", "", `{"method":"inspector/metadata"}`, 204, "", ""},
		{"call: learning", "POST", "", `{"method":"inspector/learning"}`, 404, none, ""},
		{"call: transcribe", "POST", "", `{"method":"transcribe","body":{}}`, 503, `{"error":"service_not_configured"`, ""},
		{"call: transcribe nothing", "POST", "", `{"method":"transcribe"}`, 400, call("Missing request body for JSON handler"), ""},
		{"call: threads", "POST", "", `{"method":"resource/request","params":{"path":"/threads?agentId=echo","httpMethod":"get"}}`, 200, `{"nextCursor":null,"threads":[]}`, ""},
		{"call: state", "POST", "", `{"method":"resource/request","params":{"path":"/threads/t/state","httpMethod":"GET"}}`, 200, `{"state":null}`, ""},
		{"call: rename", "POST", "", `{"method":"resource/request","params":{"path":"/threads/t","httpMethod":"PATCH"},"body":{}}`, 422, missing, ""},
		{"call: threads by POST", "POST", "", `{"method":"resource/request","params":{"path":"/threads","httpMethod":"POST"}}`, 405, method, "GET"},
		{"call: no resource", "POST", "", `{"method":"resource/request","params":{"path":"/info","httpMethod":"GET"}}`, 404, none, ""},
		{"call: a run is no resource", "POST", "", `{"method":"resource/request","params":{"path":"/agent/echo/run","httpMethod":"POST"},"body":` + in + `}`, 404, none, ""},
		{"call: elsewhere", "POST", "", `{"method":"resource/request","params":{"path":"//example.org/threads","httpMethod":"GET"}}`, 400, call("Resource path must be Runtime-relative"), ""},
		{"call: no path", "POST", "", `{"method":"resource/request","params":{"httpMethod":"GET"}}`, 400, call("Missing or invalid parameter 'path'"), ""},
		{"call: no verb", "POST", "", `{"method":"resource/request","params":{"path":"/threads"}}`, 400, call("Missing or invalid parameter 'httpMethod'"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := w.request(t.Context(), test.method, pages+test.path, test.body)
			defer response.Body.Close()
			body := new(bytes.Buffer)
			if _, err := body.ReadFrom(response.Body); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.status || !strings.HasPrefix(body.String(), test.want) || test.want == "" && body.String() != "" {
				t.Errorf("= %d %s, want %d %s", response.StatusCode, body, test.status, test.want)
			}
			if got := response.Header.Get("Allow"); got != test.allow {
				t.Errorf("Allow = %q, want %q", got, test.allow)
			}
			if response.Header.Get("X-Request-Id") == "" {
				t.Error("no request id")
			}
		})
	}
}

// A body with another declared type is refused: a form of any page could send it.
func TestPageContentType(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	status, body := w.call("POST", pages+"/agent/echo/run", pageInput("t", "r", nil), "Content-Type", "text/plain")
	if status != 415 || !strings.HasPrefix(body, `{"code":"unsupported_media_type"`) {
		t.Errorf("run = %d %s", status, body)
	}
	status, body = w.call("POST", pages, `{"method":"info"}`, "Content-Type", "text/plain")
	if want := `{"error":"invalid_request","message":"Single-route endpoint expects JSON payloads"}`; status != 415 || strings.TrimSpace(body) != want {
		t.Errorf("call = %d %s", status, body)
	}
	if status, body = w.call("POST", pages+"/agent/echo/stop/t", "{}", "Content-Type", "text/plain"); status != 415 {
		t.Errorf("stop = %d %s", status, body)
	}
	if status, body = w.call("POST", pages+"/agent/echo/stop/t", ""); status != 200 { // as the page sends it
		t.Errorf("a stop without a body = %d %s", status, body)
	}
}

func TestPageInfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = w.g.Drain(ctx) // there is nothing to wait for
	type endpoints struct{ List, Inspect, Mutations, RealtimeMetadata bool }
	for _, ask := range []struct {
		method, path, body string
		single             bool
	}{{"GET", "/info", "", false}, {"POST", "", `{"method":"info"}`, true}} {
		status, body := w.call(ask.method, pages+ask.path, ask.body)
		var info struct {
			Version, Mode   string
			Suggestions     bool
			ThreadEndpoints endpoints
			SingleRoute     *struct {
				ResourceOperations bool
				ThreadEndpoints    endpoints
			}
			Agents map[string]struct {
				Name, Description, ClassName string
				Capabilities                 struct {
					HumanInTheLoop *struct{ Interrupts bool }
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &info); err != nil || status != http.StatusOK {
			t.Fatalf("info = %d %s", status, body)
		}
		if info.Mode != "sse" || !info.Suggestions || len(info.Agents) != len(agents(nil)) {
			t.Errorf("info = %s", body)
		}
		if d := info.Agents["desk"]; d.Name != "desk" || d.Description != "A desk" || d.ClassName == "" || !d.Capabilities.HumanInTheLoop.Interrupts {
			t.Errorf("desk = %+v", d)
		}
		offered := endpoints{List: true, Inspect: true}
		if ask.single {
			if info.SingleRoute == nil || !info.SingleRoute.ResourceOperations || info.SingleRoute.ThreadEndpoints != offered || info.ThreadEndpoints != (endpoints{}) {
				t.Errorf("single route: %s", body)
			}
		} else if info.SingleRoute != nil || info.ThreadEndpoints != offered {
			t.Errorf("rest: %s", body)
		}
	}
}

func TestPageOrigins(t *testing.T) {
	t.Parallel()
	const asked = "authorization,content-type,x-tenant"
	for _, test := range []struct {
		name                     string
		origins                  []string
		origin, allowed, trusted string
	}{
		{"this machine", nil, "http://localhost:5173", "http://localhost:5173", "true"},
		{"another", nil, "https://example.org", "", ""},
		{"exact", []string{"https://example.org"}, "https://example.org", "https://example.org", "true"},
		{"any", []string{"*"}, "https://example.org", "https://example.org", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *gateway.Options) { o.Origins = test.origins })
			for _, path := range []string{"/info", "", "/agent/echo/run", "/agent/echo/stop/t", "/nothing"} {
				r := w.request(t.Context(), "OPTIONS", pages+path, "", "Origin", test.origin,
					"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", asked)
				_ = r.Body.Close() // a preflight has none
				h := r.Header
				if r.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != test.allowed || h.Get("Access-Control-Allow-Credentials") != test.trusted {
					t.Errorf("%s: %d %v", path, r.StatusCode, h)
				}
				if test.allowed != "" && (h.Get("Access-Control-Allow-Headers") != asked || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST")) {
					t.Errorf("%s: allows %v", path, h)
				}
			}
			r := w.request(t.Context(), "GET", pages+"/info", "", "Origin", test.origin)
			_ = r.Body.Close() // its headers are what counts
			if got := r.Header.Get("Access-Control-Allow-Origin"); got != test.allowed {
				t.Errorf("info is for %q, want %q", got, test.allowed)
			}
		})
	}
}
