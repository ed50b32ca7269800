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

// Where a value comes from.
const (
	sourceFlag        = "flag"
	sourceFile        = "file"
	sourceEnvironment = "environment"
	sourceDefault     = "default"
)

// An origin is where a value comes from.
type origin struct {
	Source   string `json:"source"`
	Variable string `json:"variable,omitempty"` // that had it, in the environment or a file
}

// An effective is what a setting, or a variable that is none, comes to.
type effective struct {
	Setting string `json:"setting,omitempty"` // the flag's name; empty for a variable that no flag is for
	Value   string `json:"value"`             // empty is none
	from    origin
	Ignored bool `json:"ignored,omitempty"` // it changes nothing
}

// MarshalJSON writes where the value comes from beside it.
func (e effective) MarshalJSON() ([]byte, error) {
	type plain effective
	return json.Marshal(struct {
		plain
		origin
	}{plain(e), e.from})
}

// value returns what a setting comes to, and where that comes from.
func (c *config) value(s setting, given map[string]string) (string, origin) {
	if value := given[s.flag]; value != "" {
		return value, origin{Source: sourceFlag}
	}
	for _, name := range s.environment() {
		if value, _ := c.env(name); value != "" {
			return value, c.origin(name)
		}
	}
	return s.def, origin{Source: sourceDefault}
}

// origin is where a variable comes from that is set.
func (c *config) origin(name string) origin {
	if _, ok := c.envFile[name]; ok {
		return origin{sourceFile, name}
	}
	return origin{sourceEnvironment, name}
}

// showConfig prints what the settings of a server come to, and the variables that it would read besides. It prints them also if a server
// would not start with them, and then says why.
func showConfig(_ context.Context, c *config, stdout, _ io.Writer) error {
	var shown struct {
		Settings  []effective `json:"settings"`
		Variables []effective `json:"variables"`
	}
	for _, e := range c.effective {
		e.Value = masked(e.Setting, e.Value)
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

// String is a line of a table: the setting or variable, its value and where that comes from.
func (e effective) String() string {
	name, source := "-"+e.Setting, e.from.Source
	if e.Setting == "" {
		name = e.from.Variable
	} else if e.from.Variable != "" {
		source += " " + e.from.Variable
	}
	if e.Ignored {
		source += ", changes nothing"
	}
	return name + "\t" + cmp.Or(e.Value, "–") + "\t" + source
}

// variables are those that are set and have no flag.
func (c *config) variables() []effective {
	list := []effective{}
	for _, v := range append(otelexport.Variables(), otelexport.Variable{Name: webhookSecret, Secret: true, Honoured: true}) {
		value, _ := c.env(v.Name)
		if value == "" {
			continue
		}
		if value = maskURLs(value); v.Secret {
			value = redact.Mark
		}
		list = append(list, effective{Value: value, from: c.origin(v.Name), Ignored: !v.Honoured})
	}
	return list
}

// masked is a setting's value as it may be shown.
func masked(flag, value string) string {
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

// longSegment is from how many bytes on a segment of a URL's path may be a key.
const longSegment = 16

// maskURLs masks what a URL may hold of secrets: who asks, the query, and segments of the path that are long. Some URLs have several hosts,
// which net/url cannot read.
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
