package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/errcode"
)

// keyHeader is the header of a key for clients that cannot set Authorization.
const keyHeader = "X-Api-Key"

// maxCredential is the greatest length of a key or token in bytes. Many servers accept at most 8 KiB of headers.
const maxCredential = 16 << 10

// The causes of refused credentials. Their texts quote none.
var (
	errNoCredential = errors.New("the request has no credentials")
	errMalformed    = errors.New("the Authorization header is not Bearer and one credential")
	errSeveral      = errors.New("the request has several credentials")
	errTooLong      = fmt.Errorf("the credential has more than %d bytes", maxCredential)
)

// unauthorized returns a refusal with 401, or 503 if the credential cannot be checked now. The cause is for the log.
func unauthorized(cause error) error {
	code := errcode.Unauthorized
	if errors.Is(cause, errNoKeys) || errors.Is(cause, errSetClosed) {
		code = errcode.AuthUnavailable
	}
	return &errcode.Error{Code: code, Err: fmt.Errorf("auth: %w", cause)}
}

func bearer(h http.Header) (string, error) {
	switch values := h.Values("Authorization"); len(values) {
	case 0:
		return "", errNoCredential
	case 1:
		return parseBearer(values[0])
	default:
		return "", errSeveral
	}
}

// parseBearer parses an Authorization header: the scheme in any case, spaces, and a credential as in RFC 6750.
func parseBearer(value string) (string, error) {
	if len(value) > maxCredential+len("Bearer ") {
		return "", errTooLong
	}
	scheme, rest, ok := strings.Cut(value, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", errMalformed
	}
	credential := strings.TrimLeft(rest, " ")
	if !isToken68(credential) {
		return "", errMalformed
	}
	return credential, nil
}

// isToken68 reports whether text has the form of a credential: letters, digits and -._~+/, followed by any number of =.
func isToken68(text string) bool {
	text = strings.TrimRight(text, "=")
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return false
		default:
			return !strings.ContainsRune("-._~+/", r)
		}
	})
}

// key returns the credential in X-API-Key or Authorization: Bearer. Beside X-API-Key, other schemes are ignored.
func key(h http.Header) (string, error) {
	values := h.Values(keyHeader)
	if len(values) == 0 {
		return bearer(h)
	}
	for _, value := range h.Values("Authorization") {
		if scheme, _, _ := strings.Cut(value, " "); strings.EqualFold(scheme, "Bearer") {
			return "", errSeveral
		}
	}
	switch {
	case len(values) > 1:
		return "", errSeveral
	case len(values[0]) > maxCredential:
		return "", errTooLong
	case values[0] == "":
		return "", errNoCredential
	}
	return values[0], nil
}
