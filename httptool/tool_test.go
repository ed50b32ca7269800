package httptool

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/groupchat/tools"
)

// TestOptionsThatCannotBe are refused, and their errors quote no value.
func TestOptionsThatCannotBe(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	valid := Options{Name: "t", URL: "https://api.test/x", Parameters: parameters("id")}
	tests := []struct {
		name string
		with func(o *Options)
		want string
	}{
		{"no name", func(o *Options) { o.Name = "" }, "no name"},
		{"no URL", func(o *Options) { o.URL = "" }, "not http://"},
		{"another scheme", func(o *Options) { o.URL = "file:///etc/passwd" }, "not http://"},
		{"an argument in the host", func(o *Options) { o.URL = "https://{id}.test/" }, "URL"},
		{"an argument for the host", func(o *Options) { o.URL = "https://{id}/x" }, "URL"},
		{"an argument in the query", func(o *Options) { o.URL = "https://api.test/?q={id}" }, "query"},
		{"a fragment", func(o *Options) { o.URL = "https://api.test/#" + secret }, "fragment"},
		{"an open brace", func(o *Options) { o.URL = "https://api.test/{id" }, "names no argument"},
		{"a closing brace", func(o *Options) { o.URL = "https://api.test/id}" }, "without its"},
		{"an unknown argument in the path", func(o *Options) { o.URL = "https://api.test/{other}" }, `"other" is none`},
		{"an optional argument in the path", func(o *Options) { o.URL = "https://api.test/{q}" }, "require"},
		{"an unknown argument in the query", func(o *Options) { o.Query = []string{"other"} }, `"other" is none`},
		{"two places", func(o *Options) { o.URL, o.Query = "https://api.test/{id}", []string{"id"} }, "two places"},
		{"a parameter of the URL", func(o *Options) { o.URL, o.Query = "https://api.test/?q="+secret, []string{"q"} }, "already"},
		{"a method", func(o *Options) { o.Method = "TRACE" }, "method"},
		{"a small method", func(o *Options) { o.Method = "get" }, "method"},
		{"a body of GET", func(o *Options) { o.Body = []string{"q"} }, "no body"},
		{"a line break", func(o *Options) { o.Headers = map[string]string{"X-Key": secret + "\nX-Other: 1"} }, "line break"},
		{"a name of a header", func(o *Options) { o.Headers = map[string]string{"X Key": secret} }, "name"},
		{"a header of ours", func(o *Options) { o.Headers = map[string]string{"host": secret} }, "not to be chosen"},
		{"retries of POST", func(o *Options) { o.Method, o.Retry.Times = "POST", 1 }, "not made again"},
		{"too many retries", func(o *Options) { o.Retry.Times = 11 }, "11 times"},
		{"a negative limit", func(o *Options) { o.Timeout = -1 }, "limit"},
		{"too much", func(o *Options) { o.MaxBytes = 5 << 20 }, "limit"},
		{"a pointer", func(o *Options) { o.Select = "items" }, "JSON Pointer"},
		{"a schema", func(o *Options) { o.Parameters = json.RawMessage(`{"type":7}`) }, "parameters"},
		{"no schema", func(o *Options) { o.Parameters = json.RawMessage(`[`) }, "parameters"},
	}
	if _, err := New(valid); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		o := valid
		tt.with(&o)
		_, err := New(o)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: New() = %v, want %q and nothing secret", tt.name, err, tt.want)
		}
	}
}

// TestWhoIsAskedAboutWhat makes everything but GET and HEAD destructive, and not repeated.
func TestWhoIsAskedAboutWhat(t *testing.T) {
	t.Parallel()
	for _, method := range methods {
		tool := made(t, Options{URL: "https://api.test", Method: method})
		reads := method == "GET" || method == "HEAD"
		if tool.Destructive == reads || (tool.Repeat == tools.RepeatAgain) != reads {
			t.Errorf("%s: Destructive = %v, Repeat = %q", method, tool.Destructive, tool.Repeat)
		}
	}
	tool := made(t, Options{URL: "https://api.test", Method: "POST", Idempotent: true, Retry: tools.Retry{Times: 2}})
	if !tool.Destructive || tool.Repeat != tools.RepeatAgain || tool.Retry.Times != 2 || tool.Timeout != 30*time.Second {
		t.Errorf("an idempotent one is %+v", tool)
	}
}

// TestIdempotencyKeys go to endpoints that know them.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{Method: "POST", Idempotent: true}, "key-1"}, {Options{Method: "DELETE", Idempotent: true}, "key-1"},
		{Options{Method: "POST"}, ""}, {Options{Idempotent: true}, ""},
	} {
		server, base := serve(t, answers(200, "text/plain", "ok"))
		tt.o.URL = base
		if _, err := call(t.Context(), made(t, tt.o), `{}`); err != nil {
			t.Fatal(err)
		}
		if got := server.requests()[0].header.Get("Idempotency-Key"); got != tt.want {
			t.Errorf("%s, idempotent %v: Idempotency-Key = %q, want %q", tt.o.Method, tt.o.Idempotent, got, tt.want)
		}
	}
}

// TestSecretsAreNotTold although a server repeats them: not to the model, and not to the log.
func TestSecretsAreNotTold(t *testing.T) {
	t.Parallel()
	const token, key, password = "tok-1234567890", "query-key-12345", `pass"word123`
	echo := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			user, pass, _ := r.BasicAuth()
			raw, _ := json.Marshal(map[string]any{"message": []string{r.Header.Get("X-Token"), r.Header.Get("X-Auth"), r.URL.String(), user, pass, r.Header.Get("Accept")}})
			_, _ = w.Write(raw)
		}
	}
	for _, status := range []int{200, 400, 500} {
		_, base := serve(t, echo(status))
		with := strings.Replace(base, "http://", `http://me:pass%22word123@`, 1) + "/?key=" + key
		tool := made(t, Options{URL: with, Headers: map[string]string{"X-Token": token, "X-Auth": "Bearer " + token}})
		told, err := call(t.Context(), tool, `{}`)
		logged := ""
		if err != nil {
			logged = err.Error()
		}
		for _, secret := range []string{token, key, password, "word123"} {
			if strings.Contains(told, secret) || strings.Contains(logged, secret) {
				t.Errorf("%d: told %q, logged %q, which has %q", status, told, logged, secret)
			}
		}
		if status == 200 && !strings.Contains(told, "application/json") {
			t.Errorf("told %q, without what is not secret", told)
		}
	}
	tool := made(t, Options{URL: "http://me:" + "pass%22word123" + "@127.0.0.1:1/a?key=" + key, Headers: map[string]string{"X-Token": token}})
	_, err := call(t.Context(), tool, `{"q":"what they asked"}`)
	if err == nil || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "word123") || strings.Contains(err.Error(), "asked") {
		t.Errorf("logged %v", err)
	}
}

// TestAClientOfTheCallersIsNotChanged although redirects are not followed with it, and its cookies are left out.
func TestAClientOfTheCallersIsNotChanged(t *testing.T) {
	t.Parallel()
	_, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "there")
	})
	client := &http.Client{}
	told, err := call(t.Context(), made(t, Options{URL: base + "/a", HTTP: client}), `{}`)
	says(t, told, err, "not followed")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(r)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("Do() = %v, %v, want the redirect followed", response, err)
	}
	_ = response.Body.Close()
}
