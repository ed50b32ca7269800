package httptool

import (
	"cmp"
	"encoding/json"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/redact"
)

// shortestSecret is the length from which a value is taken for a secret. Shorter ones are words such as "true", which answers cannot do without.
const shortestSecret = 8

// openHeaders are headers whose values say nothing secret, and which answers may well repeat.
var openHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// secretsOf returns the values that are taken out of what is told and logged, the longest first: of headers, of the URL's user, and of its query.
func secretsOf(headers map[string]string, u *url.URL) []string {
	var values []string
	for name, v := range headers {
		if slices.Contains(openHeaders, textproto.CanonicalMIMEHeaderKey(name)) {
			continue
		}
		values = append(values, v)
		if _, credentials, ok := strings.Cut(v, " "); ok { // behind a scheme such as Bearer
			values = append(values, strings.TrimSpace(credentials))
		}
	}
	if password, ok := u.User.Password(); ok {
		values = append(values, password)
	}
	for _, list := range u.Query() {
		values = append(values, list...)
	}
	for _, v := range slices.Clone(values) {
		values = append(values, url.QueryEscape(v), url.PathEscape(v))
		if raw, err := json.Marshal(v); err == nil {
			values = append(values, string(raw[1:len(raw)-1]))
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return len(v) < shortestSecret })
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(values)
}

// masked returns text without secrets.
func (e *endpoint) masked(text string) string {
	for _, s := range e.secrets {
		text = strings.ReplaceAll(text, s, redact.Mark)
	}
	return text
}
