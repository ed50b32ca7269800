package httptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/telemetry"
)

// Options describe a tool. Name and URL are required.
type Options struct {
	// Name, Description and Parameters are those of [groupchat.Tool]. Parameters has a property for each argument that
	// URL, Query and Body name.
	Name        string
	Description string
	Parameters  json.RawMessage

	// URL is where requests go, with http or https. A {name} in its path is filled in with that argument, escaped; the
	// argument has to be one that Parameters requires. Its query is sent with each request. Its user and its query are
	// never logged.
	URL string
	// Method is GET, HEAD, POST, PUT, PATCH or DELETE; empty means GET.
	Method string
	// Headers go with each request. They are never logged, and removed from results.
	Headers map[string]string

	// Query are the arguments that go into the query, under their own names: a list as one parameter for each element,
	// an object as JSON. Nil means all that are not in the path, for methods without a body.
	Query []string
	// Body are the arguments that are the members of a JSON body. Nil means all that are neither in the path nor in
	// Query, for methods with a body: POST, PUT and PATCH. Without such arguments the body is an empty object.
	Body []string
	// Idempotent says that a request may be made again, because the endpoint knows repeated ones by their
	// Idempotency-Key, or because repeating it does no harm. GET and HEAD always may.
	Idempotent bool
	// Retry limits repetitions of requests without an answer, if they may be repeated.
	Retry tools.Retry

	// Timeout is how long a request may take in all; 0 means 30 seconds.
	Timeout time.Duration
	// MaxBytes is how large an answer may be, decompressed; 0 means 64 KiB. The most is 4 MiB.
	MaxBytes int
	// Select is a JSON Pointer to the result in a JSON answer; empty selects all of it.
	Select string

	// HTTP makes the requests, and keeps none of its rules about redirects; nil means a client of the tool's own, which
	// connects to no link-local address and none of a cloud's metadata.
	HTTP *http.Client
}

// The bounds of [Options].
const (
	defaultTimeout  = 30 * time.Second
	defaultMaxBytes = 64 << 10
	mostMaxBytes    = 4 << 20
)

// New makes a tool. The error names every mistake of the options, joined, and quotes nothing that may be secret. The
// tool is safe for concurrent use.
func New(o Options) (groupchat.Tool, error) {
	o.Method = cmp.Or(o.Method, http.MethodGet)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultMaxBytes)
	e := &endpoint{o: o}
	if err := e.check(); err != nil {
		return groupchat.Tool{}, err
	}
	header := http.Header{}
	for name, value := range o.Headers {
		header.Add(name, value)
	}
	e.secrets = redact.HeaderSecrets(e.url, header)
	e.client = clientOf(o.HTTP)
	t := groupchat.Tool{
		Name: o.Name, Description: o.Description, Parameters: o.Parameters,
		Call: e.call, Timeout: o.Timeout, MaxResult: max(o.MaxBytes, leastResult), Retry: o.Retry,
		Destructive: !e.reads(), Origin: e.origin(),
	}
	if !e.repeatable() {
		t.Repeat = tools.RepeatNever
	}
	return t, t.Validate()
}

// origin identifies the endpoint, as whom it is asked, and where in a request the arguments go.
func (e *endpoint) origin() string {
	parts := append([]string{e.o.Method, e.o.URL, strconv.Itoa(len(e.o.Query))}, e.o.Query...)
	parts = append(append(parts, strconv.Itoa(len(e.o.Body))), e.o.Body...)
	for _, name := range slices.Sorted(maps.Keys(e.o.Headers)) {
		parts = append(parts, name, e.o.Headers[name])
	}
	return tools.Origin(parts...)
}

// leastResult is the minimum limit of a result: the text for an answer without a body is longer than a small limit.
const leastResult = 1 << 10

type endpoint struct {
	o       Options
	url     *url.URL
	path    []piece // of the path, escaped
	inPath  []string
	secrets []string
	client  *http.Client
}

func (e *endpoint) reads() bool { return e.o.Method == http.MethodGet || e.o.Method == http.MethodHead }

func (e *endpoint) repeatable() bool { return e.reads() || e.o.Idempotent }

// hasBody reports whether arguments go into a body by default.
func (e *endpoint) hasBody() bool {
	return e.o.Method == http.MethodPost || e.o.Method == http.MethodPut || e.o.Method == http.MethodPatch
}

// clientOf returns a client that makes requests as given does, follows no redirect, and tells endpoints of the trace
// that they are part of.
func clientOf(given *http.Client) *http.Client {
	if given == nil {
		given = egress.New()
	}
	c := *given
	c.Jar = nil
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Transport = telemetry.Transport(c.Transport)
	return &c
}

func (e *endpoint) call(ctx context.Context, c groupchat.ToolCall) (tools.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.o.Timeout, errSlow)
	defer cancel()
	r, err := e.request(ctx, c)
	if err != nil {
		return tools.Result{}, err
	}
	response, err := e.client.Do(r)
	if err != nil {
		return tools.Result{}, e.requestError(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := e.answer(response)
	if err == nil {
		return tools.Text(text), nil
	}
	if _, told := errors.AsType[*tools.Error](err); !told {
		err = e.requestError(ctx, err)
	}
	return tools.Result{}, err
}
