package redact

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// openHeaders are headers without secrets in their values, which answers may repeat.
var openHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// HeaderSecrets is [Secrets] of the values of headers, except those that never hold secrets.
func HeaderSecrets(u *url.URL, headers ...http.Header) []string {
	var values []string
	for _, h := range headers {
		for name, list := range h {
			if !slices.Contains(openHeaders, http.CanonicalHeaderKey(name)) {
				values = append(values, list...)
			}
		}
	}
	return Secrets(u, values...)
}

// Secrets returns the values that are masked in what another server says, the longest first: values, which are those of
// headers and of an environment, also without a scheme such as Bearer, and the password and the query of u, which may
// be nil. Each value is also returned in its URL and JSON encodings. Values of less than four bytes and common words
// are no secrets.
func Secrets(u *url.URL, values ...string) []string {
	var all []string
	for _, v := range values {
		_, credentials, _ := strings.Cut(v, " ")
		all = append(all, v, strings.TrimSpace(credentials))
	}
	if u != nil {
		password, _ := u.User.Password()
		all = append(all, password, u.RawQuery)
		for _, list := range u.Query() {
			all = append(all, list...)
		}
	}
	for _, v := range slices.Clone(all) {
		all = append(all, url.QueryEscape(v), url.PathEscape(v))
		if raw, err := json.Marshal(v); err == nil {
			all = append(all, string(raw[1:len(raw)-1]))
		}
	}
	all = slices.DeleteFunc(all, func(v string) bool {
		return len(v) < shortestSecret || slices.Contains([]string{"true", "false", "null"}, v)
	})
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}
