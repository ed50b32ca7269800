package httptool

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/state/document"
)

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete}

// ownHeaders are those that requests have from here, or from the client: a value of somebody else's would undo a limit,
// or say something untrue.
var ownHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "Te", "Trailer",
	"Accept-Encoding", "Idempotency-Key", "Traceparent", "Tracestate"}

// check reports every mistake, joined, and reads the URL.
func (e *endpoint) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("httptool: "+format, args...)) }
	o := &e.o
	if !slices.Contains(methods, o.Method) {
		bad("the method is none of %s", strings.Join(methods, ", "))
	}
	if o.Timeout < 0 || o.MaxBytes < 0 || o.MaxBytes > mostMaxBytes {
		bad("a limit is negative, or of more than %d bytes", mostMaxBytes)
	}
	for name, value := range o.Headers {
		switch {
		case !fieldName(name):
			bad("a header's name has to be letters, digits and -")
		case slices.Contains(ownHeaders, textproto.CanonicalMIMEHeaderKey(name)):
			bad("the header %s is not to be chosen", name)
		case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			bad("the value of the header %s has a line break or another control character", name)
		}
	}
	if document.CheckPointer(o.Select) != nil {
		bad("select is no JSON Pointer")
	}
	if o.Retry.Times > 0 && !e.repeatable() {
		bad("requests of the method %s are not made again unless they are idempotent", o.Method)
	}
	if o.Body != nil && (e.reads() || o.Method == http.MethodDelete) {
		bad("requests of the method %s have no body", o.Method)
	}
	if err := e.readURL(); err != nil {
		bad("%w", err)
	}
	e.checkArguments(bad)
	return errors.Join(errs...)
}

// fieldName reports whether s is the name of a header (a token of RFC 9110).
func fieldName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') &&
			!strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// readURL reads the URL and the places of arguments in its path.
func (e *endpoint) readURL() error {
	u, err := url.Parse(e.o.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("the URL is not http:// or https:// and a host")
	case strings.ContainsAny(u.Host, "{}"):
		return errors.New("an argument cannot be in the host of the URL")
	case u.Fragment != "" || strings.HasSuffix(e.o.URL, "#"):
		return errors.New("the URL has a fragment, which is not sent")
	case strings.ContainsAny(u.RawQuery, "{}"):
		return errors.New("an argument cannot be in the query of the URL; name it in Query")
	}
	if _, err := url.ParseQuery(u.RawQuery); err != nil {
		return errors.New("the query of the URL cannot be read")
	}
	e.url = u
	e.path, err = piecesOf(u.EscapedPath())
	for _, p := range e.path {
		if p.argument != "" && !slices.Contains(e.inPath, p.argument) {
			e.inPath = append(e.inPath, p.argument)
		}
	}
	return err
}

// checkArguments reports arguments that are named and that calls cannot have, or that have two places.
func (e *endpoint) checkArguments(bad func(format string, args ...any)) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if len(e.o.Parameters) > 0 && json.Unmarshal(e.o.Parameters, &schema) != nil {
		bad("the parameters are no JSON Schema of an object")
		return
	}
	named := slices.Concat(e.inPath, e.o.Query, e.o.Body)
	for i, name := range named {
		if schema.Properties[name] == nil {
			bad("the argument %q is none of the parameters", name)
		}
		if slices.Contains(named[:i], name) {
			bad("the argument %q has two places", name)
		}
	}
	for _, name := range e.inPath {
		if !slices.Contains(schema.Required, name) {
			bad("the argument %q is in the path, so the parameters have to require it", name)
		}
	}
	if e.url == nil {
		return
	}
	fixed := e.url.Query()
	for _, name := range e.o.Query {
		if fixed.Has(name) {
			bad("the argument %q is a parameter of the URL already", name)
		}
	}
}
