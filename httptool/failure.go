package httptool

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
)

var errSlow = errors.New("httptool: the answer took too long")

// The texts that a model is given of a request without an answer.
const (
	unreachable = "The server of this tool cannot be reached."
	slow        = "The server of this tool took too long."
	lost        = "The connection to the server of this tool was lost."
	unknown     = " Whether it did anything is not known."
)

// requestError returns the error of a request without an answer, or the cause of ctx if the caller ended it.
func (e *endpoint) requestError(ctx context.Context, err error) error {
	text := lost
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow):
		return context.Cause(ctx)
	case egress.NeverSent(err):
		text = unreachable
	case ctx.Err() != nil:
		text = slow
	}
	if text != unreachable && !e.reads() {
		text += unknown
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err // without the URL, which has arguments
	}
	logged := fmt.Errorf("httptool: %s: %s", redact.URL(e.url), redact.Line(err.Error(), e.secrets, nil))
	return &tools.Error{Text: text, Err: logged, Temporary: !errors.Is(err, egress.ErrRefused)}
}
