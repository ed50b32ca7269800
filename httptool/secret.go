package httptool

import (
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/redact"
)

// openHeaders are headers without secrets in their values, which answers may repeat.
var openHeaders = []string{"Accept", "Accept-Language", "Content-Type", "User-Agent"}

// secretsOf returns the values that are masked in results and in the log.
func secretsOf(headers map[string]string, u *url.URL) []string {
	var values []string
	for name, v := range headers {
		if slices.Contains(openHeaders, textproto.CanonicalMIMEHeaderKey(name)) {
			continue
		}
		values = append(values, v)
	}
	return redact.Secrets(u, values...)
}

func (e *endpoint) masked(text string) string {
	for _, s := range e.secrets {
		text = strings.ReplaceAll(text, s, redact.Mark)
	}
	return text
}
