package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
)

// causeOf returns an error's text as one printable line, without a final point.
func causeOf(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errTime) {
		return "no answer came in time"
	}
	return strings.TrimRight(redact.Line(err.Error(), nil, nil), ". ")
}

// allowMend is the advice for a refused address.
const allowMend = "If the address is meant, name it in -allow-addresses (GATEWAY_ALLOW_ADDRESSES); see SECURITY.md " +
	"before."

// refusedAddress reports whether err is about an address that the gateway never connects to.
func refusedAddress(err error) bool { return errors.Is(err, egress.ErrRefused) }
