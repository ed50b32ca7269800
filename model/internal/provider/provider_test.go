package provider_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A plain model has a server with another API: the request is the last message, each line of the answer is a piece of
// the reply, and the line "." ends it.
type plain struct {
	client *provider.Client
	url    string
}

func (p plain) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	reply, err := p.client.Call(ctx, &r, on, func(ctx context.Context, t *provider.Try) error {
		body := strings.NewReader(r.Messages[len(r.Messages)-1].Text)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, body)
		if err != nil {
			return err
		}
		response, err := t.Send(request, refusal)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if lines.Text() == "." {
				t.Finish("stop")
				break
			}
			if err := t.Text(surrogate.Text(lines.Text())); err != nil {
				return err
			}
		}
		if err := lines.Err(); err != nil {
			return err
		}
		return t.End()
	})
	return *reply, err
}

func refusal(response *http.Response, body []byte) error {
	f := provider.StatusFault(response)
	f.Kind, f.Words = provider.KindOfStatus(f.Status), string(body)
	return f
}

// TestAnotherProvider has a model with another API, which gets limits, retries, codes and clean errors from this
// package.
func TestAnotherProvider(t *testing.T) {
	t.Parallel()
	const key, prompt = "key-0123456789abcdef", "a prompt that nobody else may read"
	status := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, tt := range map[string]struct {
		answers []http.HandlerFunc
		heard   string
		asked   int
		want    errcode.Code
	}{
		"a reply":                  {[]http.HandlerFunc{status(200, "Hel\nlo\n.\n")}, "Hel|lo|", 1, ""},
		"busy at first":            {[]http.HandlerFunc{status(503, ""), status(200, "Hi\n.\n")}, "Hi|", 2, ""},
		"always busy":              {[]http.HandlerFunc{status(429, "")}, "", 3, errcode.ModelUnavailable},
		"a wrong key":              {[]http.HandlerFunc{status(401, "no key "+key+" for "+prompt)}, "", 1, errcode.ModelAuth},
		"a redirect":               {[]http.HandlerFunc{status(307, "")}, "", 1, errcode.ModelRequest},
		"broken off before a word": {[]http.HandlerFunc{status(200, ""), status(200, "Hi\n.\n")}, "Hi|", 2, ""},
		"broken off after one":     {[]http.HandlerFunc{status(200, "Hel\n"), status(200, "Hi\n.\n")}, "Hel|", 1, errcode.ModelResponse},
		"too large, compressed":    {[]http.HandlerFunc{bomb}, "", 1, errcode.ModelResponse},
		"too large":                {[]http.HandlerFunc{status(200, strings.Repeat("x\n", 1000))}, "", 1, errcode.ModelResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tt.answers[min(int(asked.Add(1)), len(tt.answers))-1](w, r)
			}))
			t.Cleanup(server.Close)
			client, err := provider.NewClient(provider.Options{Provider: "p", Model: "m", Limits: provider.Limits{MaxReply: 100}, Secrets: []string{key}})
			if err != nil {
				t.Fatal(err)
			}
			var heard strings.Builder
			request := model.Request{Messages: []model.Message{{Role: agui.RoleUser, Text: prompt}}}
			reply, err := plain{client, server.URL}.Stream(t.Context(), request, model.Deltas{
				Text: func(delta string) error { heard.WriteString(delta + "|"); return nil },
			})
			var got errcode.Code
			if err != nil {
				got = errcode.Of(err)
			}
			if n := int(asked.Load()); got != tt.want || n != tt.asked {
				t.Errorf("Stream() = %v after %d requests, want code %q after %d", err, n, tt.want, tt.asked)
			}
			if !strings.HasPrefix(name, "too large") && heard.String() != tt.heard {
				t.Errorf("heard %q, want %q", heard.String(), tt.heard)
			}
			if err == nil && reply.Text != strings.ReplaceAll(tt.heard, "|", "") {
				t.Errorf("reply = %q", reply.Text)
			}
			if diff := cmp.Diff(agui.TokenUsage{Provider: "p", Model: "m"}, reply.Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if text := fmt.Sprint(err); strings.Contains(text, key) || strings.Contains(text, prompt) {
				t.Errorf("the error tells: %s", text)
			}
		})
	}
}

// bomb answers with words without end, of which a thousand are a byte.
func bomb(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept-Encoding") != "gzip" {
		http.Error(w, "compression is not asked for", http.StatusNotAcceptable)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	for words := []byte(strings.Repeat("x\n", 1<<20)); r.Context().Err() == nil; {
		if _, err := z.Write(words); err != nil {
			return
		}
	}
}
