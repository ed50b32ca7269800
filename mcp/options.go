package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/egress"
)

// Options describe a server. Name and either Command or URL are required.
type Options struct {
	// Name is the server's in logs and errors.
	Name string

	// Command is a program that speaks over stdin and stdout, Args its arguments, Dir where it runs; empty means here.
	Command string
	Args    []string
	Dir     string
	// Env are variables of its environment, besides a few that programs need to run, such as PATH and HOME. Never
	// logged.
	Env map[string]string

	// URL is the endpoint of a server that speaks streamable HTTP.
	URL string
	// Headers go with each request to the endpoint only. They are never logged.
	Headers map[string]string
	// Header returns further headers for the requests of one call, for example a token of its principal. It is called
	// for each request, with the zero call for requests without a call, such as listing the tools. Its error fails the
	// request.
	Header func(ctx context.Context, c groupchat.ToolCall) (http.Header, error)
	// HTTP makes the requests; nil means a separate client, which follows redirects on one host only, and connects to
	// no link-local address and none of a cloud's metadata.
	HTTP *http.Client

	// ConnectTimeout is how long it may take to connect and to list the tools; 0 means 10 seconds.
	ConnectTimeout time.Duration
	// KeepAlive is after how long without a call the server is asked whether it is still there. One that does not
	// answer is connected to, or started, anew when it is needed. 0 means 1 minute; negative never asks.
	KeepAlive time.Duration
	// CallTimeout is how long a call may take; 0 leaves that to the agent.
	CallTimeout time.Duration
	// MaxResult is how many bytes of a result are kept; 0 means 512 KiB, enough for small images.
	MaxResult int
	// MaxTools is how many tools of the server are known; 0 means 128.
	MaxTools int
	// Log gets records of connections, and at level debug what a program writes to stderr. Nil means slog.Default.
	Log *slog.Logger
	// Version is the client's version for the server.
	Version string

	backoff      time.Duration // the pause before the second try to connect
	probeTimeout time.Duration // how long a server may take to answer a probe
	questionWait time.Duration // how long a question waits for its call to be known
}

// SourceOptions choose which of a server's tools an agent gets. The zero value means all of them, under their own
// names.
type SourceOptions struct {
	// Only are the names of the tools, as the server knows them; nil means all.
	Only []string
	// Prefix goes before each name, so that tools of two servers cannot have the same one.
	Prefix string
	// Approve says whether a person must approve of each call; the zero value leaves that to the agent, and asks about
	// tools that may do harm, unless the agent says otherwise: those without the server's hint that they only read or
	// only add.
	Approve tools.Approval
	// Required fails turns with tool_failed if the server cannot be reached or has not all tools of Only. Otherwise the
	// model gets a note that tools are missing.
	Required bool
	// Retry limits repetitions of calls without an answer, of tools that may be repeated.
	Retry tools.Retry
}

func (o *Options) fill() {
	setDefault := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	setDefault(&o.ConnectTimeout, 10*time.Second)
	setDefault(&o.questionWait, questionWait)
	setDefault(&o.probeTimeout, 10*time.Second)
	setDefault(&o.backoff, time.Second)
	o.KeepAlive = cmp.Or(o.KeepAlive, time.Minute) // negative never asks
	o.MaxResult = cmp.Or(max(o.MaxResult, 0), 512<<10)
	o.MaxTools = cmp.Or(max(o.MaxTools, 0), 128)
	o.Version = cmp.Or(o.Version, "0")
	o.Log = cmp.Or(o.Log, slog.Default())
	if o.HTTP == nil {
		o.HTTP = egress.New()
	}
}

// check reports every mistake, joined. It quotes nothing that may be secret.
func (o *Options) check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcp: server %q: "+format, append([]any{o.Name}, args...)...))
	}
	if o.Name == "" {
		bad("has no name")
	}
	if (o.Command == "") == (o.URL == "") {
		bad("wants one of a command and a URL")
	}
	if o.URL != "" {
		if u, err := url.Parse(o.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			bad("its URL is not http:// or https:// and a host")
		}
		if len(o.Args)+len(o.Env) > 0 || o.Dir != "" {
			bad("arguments, environment and directory are a command's")
		}
	}
	if o.Command != "" && (len(o.Headers) > 0 || o.Header != nil) {
		bad("headers are for a URL")
	}
	for name := range o.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			bad("%q is no name of a variable", name)
		}
	}
	for name, value := range o.Headers {
		if name == "" || strings.ContainsAny(name, " :\r\n\x00") || strings.ContainsAny(value, "\r\n\x00") {
			bad("header %q cannot be sent", name)
		}
	}
	return errors.Join(errs...)
}
