package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agui-gateway/gateway/internal/redact"
	otelexport "github.com/agui-gateway/gateway/telemetry/export"
)

// The sources of values.
const (
	sourceFlag        = "flag"
	sourceFile        = "file"
	sourceEnvironment = "environment"
	sourceDefault     = "default"
)

type origin struct {
	Source   string `json:"source"`
	Variable string `json:"variable,omitempty"` // that had it, in the environment or a file
}

// An effectiveValue is the effective value of a setting, or of a variable without one.
type effectiveValue struct {
	Setting string `json:"setting,omitempty"` // the flag's name; empty for a variable that no flag is for
	Value   string `json:"value"`             // empty is none
	Ignored bool   `json:"ignored,omitempty"` // it has no effect
	origin
}

// value returns the effective value of a setting, and its source.
func (c *config) value(s setting, flagValues map[string]string) (string, origin) {
	if value := flagValues[s.flag]; value != "" {
		return value, origin{Source: sourceFlag}
	}
	for _, name := range s.environment() {
		if value, _ := c.env(name); value != "" {
			return value, c.origin(name)
		}
	}
	return s.def, origin{Source: sourceDefault}
}

func (c *config) origin(name string) origin {
	if _, ok := c.envFile[name]; ok {
		return origin{sourceFile, name}
	}
	return origin{sourceEnvironment, name}
}

// showConfig prints a server's effective settings and variables, and why it would not start with them.
func showConfig(_ context.Context, c *config, stdout, _ io.Writer) error {
	var shown struct {
		Settings  []effectiveValue `json:"settings"`
		Variables []effectiveValue `json:"variables"`
	}
	for _, e := range c.effective {
		e.Value = mask(e.Setting, e.Value)
		shown.Settings = append(shown.Settings, e)
	}
	shown.Variables = c.variables()
	_, err := otelexport.Read(c.env)
	refused := errors.Join(c.explicit(), c.checkTLS(), c.admin.check(), err)
	if c.json {
		out := json.NewEncoder(stdout)
		out.SetIndent("", "  ")
		return errors.Join(out.Encode(shown), refused)
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, e := range slices.Concat(shown.Settings, shown.Variables) {
		if _, err := fmt.Fprintln(w, e); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), refused)
}

// String returns a line of a table: the setting or variable, its value and its source.
func (e effectiveValue) String() string {
	name, source := "-"+e.Setting, e.Source
	if e.Setting == "" {
		name = e.Variable
	} else if e.Variable != "" {
		source += " " + e.Variable
	}
	if e.Ignored {
		source += ", changes nothing"
	}
	return name + "\t" + cmp.Or(e.Value, "–") + "\t" + source
}

// variables are those that are set and have no flag.
func (c *config) variables() []effectiveValue {
	list := []effectiveValue{}
	for _, v := range append(otelexport.Variables(),
		otelexport.Variable{Name: webhookSecret, Secret: true, Honoured: true}) {
		value, _ := c.env(v.Name)
		if value == "" {
			continue
		}
		if value = maskURLs(value); v.Secret {
			value = redact.Mark
		}
		list = append(list, effectiveValue{Value: value, origin: c.origin(v.Name), Ignored: !v.Honoured})
	}
	return list
}

// mask returns a setting's value in a form that may be printed.
func mask(flag, value string) string {
	switch {
	case value == "":
		return ""
	case flag == "model-key":
		return redact.Mark
	case flag == "interrupt-webhook": // receivers have secrets in the path
		if u, err := url.Parse(value); err == nil {
			return u.Scheme + "://" + u.Host + "/" + redact.Mark
		}
		return redact.Mark
	default:
		return maskURLs(value)
	}
}

// longSegment is the length in bytes from which a path segment of a URL may be a key.
const longSegment = 16

// maskURLs masks user information, queries and long path segments of URLs, also those with several hosts.
func maskURLs(value string) string {
	scheme, rest, ok := strings.Cut(value, "://")
	if !ok || scheme == "file" {
		return value
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = redact.Mark + rest[i:]
	}
	rest, _, fragment := strings.Cut(rest, "#")
	rest, _, query := strings.Cut(rest, "?")
	segments := strings.Split(rest, "/")
	for i, s := range segments {
		if i > 0 && len(s) >= longSegment {
			segments[i] = redact.Mark
		}
	}
	rest = strings.Join(segments, "/")
	if query || fragment {
		rest += "?" + redact.Mark
	}
	return scheme + "://" + rest
}
