package httptool

import (
	"strings"

	"github.com/agui-gateway/gateway/internal/redact"
)

// masked returns text without secrets.
func (e *endpoint) masked(text string) string {
	for _, s := range e.secrets {
		text = strings.ReplaceAll(text, s, redact.Mark)
	}
	return text
}
