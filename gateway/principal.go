package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/redact"
)

// A Principal is who has sent a request: a person, or a program.
type Principal struct {
	// ID is a part of the key of the principal's threads, so it has to stay the same for as long as they are kept. Ids are compared byte by
	// byte. An id has 1 to 512 bytes of UTF-8 without control characters; ".webhook" is reserved. It is written to the server log.
	ID string
}

// localPrincipal is the id of everybody's principal if the options say nothing of principals.
const localPrincipal = "local"

// maxPrincipal is how many bytes the id of a principal may have: it is in the keys of stores and in lines of the server log.
const maxPrincipal = 512

// check returns what is wrong with the principal. It does not quote the id, which may be a credential that was mistaken for one.
func (p Principal) check() error {
	switch {
	case p.ID == "":
		return errors.New("gateway: the principal's id is empty")
	case len(p.ID) > maxPrincipal:
		return fmt.Errorf("gateway: the principal's id has %d bytes, more than %d", len(p.ID), maxPrincipal)
	case !utf8.ValidString(p.ID): // as JSON, two such ids could be the same
		return errors.New("gateway: the principal's id is not valid UTF-8")
	case strings.ContainsFunc(p.ID, unicode.IsControl):
		return errors.New("gateway: the principal's id has control characters")
	case p.ID == webhook.Principal: // has the notices that wait in the store
		return errors.New("gateway: the principal's id is reserved")
	}
	return nil
}

// principal returns the id of the principal that has sent r. An error has the code unauthorized or forbidden.
func (g *Gateway) principal(r *http.Request) (string, error) {
	if g.o.Principal == nil {
		return localPrincipal, nil
	}
	var p Principal
	err := calls.Protect(func() (err error) {
		p, err = g.o.Principal(r)
		return err
	})
	if err == nil {
		err = p.check()
	}
	if err == nil {
		return p.ID, nil
	}
	if code := errcode.Of(err); code == errcode.Unauthorized || code == errcode.Forbidden {
		return "", err
	}
	return "", &errcode.Error{Code: errcode.Unauthorized, Err: err}
}

// refusePrincipal answers a request that has no principal, or one that is not allowed in. The cause is logged.
func (g *Gateway) refusePrincipal(w http.ResponseWriter, r *http.Request, err error) {
	log := g.log(r).With("method", route.Logged(r.Method), "path", route.Logged(r.URL.Path), "code", string(errcode.Of(err)),
		"error", withoutCredentials(err.Error(), r))
	if p, ok := errors.AsType[*groupchat.PanicError](err); ok {
		log.Error("request: refused", "stack", string(p.Stack))
	} else {
		log.Info("request: refused")
	}
	g.writeError(w, r, err)
}

// withoutCredentials returns what may be logged of a text that says why r was refused, because it may quote what r was sent with.
func withoutCredentials(text string, r *http.Request) string {
	told := []string{r.URL.RawQuery}
	var secrets []string
	for name, values := range r.Header {
		if name == "Authorization" || name == "Cookie" {
			secrets = append(secrets, values...)
		} else {
			told = append(told, values...)
		}
	}
	return redact.Line(text, secrets, told)
}
