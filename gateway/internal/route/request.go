package route

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/agui-gateway/gateway/agui"
)

type (
	requestIDKey struct{}
	principalKey struct{}
)

// WithIdentity returns r with its id and the principal who asks.
func WithIdentity(r *http.Request, id, principal string) *http.Request {
	ctx := context.WithValue(r.Context(), requestIDKey{}, id)
	return r.WithContext(context.WithValue(ctx, principalKey{}, principal))
}

// RequestID is the id of a request, its caller's or ours.
func RequestID(r *http.Request) string { return fromContext(r.Context(), requestIDKey{}) }

// Principal is who asks; every key, token and thread carries it.
func Principal(r *http.Request) string { return fromContext(r.Context(), principalKey{}) }

func fromContext(ctx context.Context, key any) string {
	s, _ := ctx.Value(key).(string)
	return s
}

// Limit reads ?limit=: 1 to most (0: no maximum), def if it is absent.
func Limit(q url.Values, def, most int) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, InvalidQuery("limit", "must be a whole number from 1 on")
	}
	if most > 0 {
		n = min(n, most)
	}
	return n, nil
}

// InvalidQuery is the error of a query parameter that has a problem.
func InvalidQuery(name, problem string) error {
	return &agui.Error{Code: agui.CodeInvalidInput, Err: &agui.FieldError{Path: name, Problem: problem}}
}
