package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWebhookSettings takes a URL and, from the environment, what signs; no error quotes either.
func TestWebhookSettings(t *testing.T) {
	t.Parallel()
	const good = "https://user:s3cret@example.com/hook?key=s3cret"
	secret := map[string]string{webhookSecret: "s3cret"}
	file := writeFile(t, "env", webhookSecret+"=s3cret\n")
	for _, tt := range []struct {
		args []string
		env  map[string]string
		want string
	}{
		{[]string{"-interrupt-webhook", good}, secret, ""},
		{[]string{"-interrupt-webhook", good, "-env-file", file}, nil, ""},
		{nil, map[string]string{"GATEWAY_INTERRUPT_WEBHOOK": good, webhookSecret: "s3cret"}, ""},
		{[]string{"-interrupt-webhook", good}, nil, "set " + webhookSecret},
		{[]string{"-interrupt-webhook", "s3cret.example.com"}, secret, "not a URL"},
		{[]string{"-interrupt-webhook", "file:///s3cret"}, secret, "not a URL"},
	} {
		c, err := parse(serveCommand(), tt.args, environment(tt.env))
		switch {
		case tt.want == "" && (err != nil || c.options.Webhook.URL != good || c.options.Webhook.Secret != "s3cret"):
			t.Errorf("parse(%q) = %v", tt.args, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "-interrupt-webhook") || strings.Contains(err.Error(), "s3cret")):
			t.Errorf("parse(%q) = %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestServeTellsOfQuestions runs a team that asks, and a receiver.
func TestServeTellsOfQuestions(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- r.Header.Get("X-Gateway-Signature") + " " + string(body)
	}))
	defer receiver.Close()
	team := writeFile(t, "team.yaml", "version: 1\nagents:\n  form: { type: script, steps: [ { ask: { key: size, message: \"Which size?\", options: [S, M] } } ] }\n")
	env := writeFile(t, "env", "GATEWAY_INTERRUPT_WEBHOOK="+receiver.URL+"\n"+webhookSecret+"=s3cret\n")
	url, stop := startServer(t, "-config", team, "-env-file", env, "-log-level", "debug")
	if status, body := get(t, http.MethodPost, url+"/agents/form", input("t")); status != http.StatusOK || !strings.Contains(body, `"interrupt"`) {
		t.Errorf("POST /agents/form = %d, %s", status, body)
	}
	told := receive(t, "the receiver is told", got)
	for _, want := range []string{"t=", ",v1=", `"thread":"t"`, `"agent":"form"`, `"message":"Which size?"`} {
		if !strings.Contains(told, want) {
			t.Errorf("told %s, want %s", told, want)
		}
	}
	if code, log := stop(); code != exitOK || strings.Contains(log, "s3cret") || strings.Contains(log, "Which size") {
		t.Errorf("run() = %d, log:\n%s", code, log)
	}
}
