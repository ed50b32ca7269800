package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/edge"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/gateway/internal/webhook"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/failure"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/state"
)

// A Principal is the sender of a request: a person or a program. Agents see the same value.
type Principal = groupchat.Principal

// localPrincipal is the id of the only principal of a gateway without Options.Principal.
const localPrincipal = "local"

// Limits of a principal: its id is in stores' keys and log lines, and all of it is stored with each run.
const (
	maxPrincipal = 512     // bytes of its id
	maxRoles     = 64      // how many roles
	maxRole      = 256     // bytes of one
	maxClaims    = 8 << 10 // bytes of the claims as JSON
)

// checkPrincipal returns the first error in a principal. It quotes nothing: an id may be a misplaced credential.
func checkPrincipal(p Principal) error {
	if problem := edge.CheckName(p.ID, maxPrincipal); problem != "" {
		return errors.New("gateway: the principal's id " + problem)
	}
	// reserved for stored notices and approvals
	if p.ID == webhook.Principal || p.ID == state.ApprovalsKey("").Principal {
		return errors.New("gateway: the principal's id is reserved")
	}
	if len(p.Roles) > maxRoles {
		return fmt.Errorf("gateway: the principal has %d roles, more than %d", len(p.Roles), maxRoles)
	}
	for _, role := range p.Roles {
		if problem := edge.CheckName(role, maxRole); problem != "" {
			return errors.New("gateway: the principal's role " + problem)
		}
	}
	claims, err := encodeClaims(p.Claims)
	switch {
	case err != nil:
		return errors.New("gateway: the principal's claims are not JSON")
	case len(claims) > maxClaims:
		return fmt.Errorf("gateway: the principal's claims have %d bytes as JSON, more than %d", len(claims), maxClaims)
	}
	return nil
}

// encodeClaims returns claims as they are stored, nil if there are none.
func encodeClaims(claims map[string]any) (json.RawMessage, error) {
	if len(claims) == 0 {
		return nil, nil
	}
	return json.Marshal(claims)
}

// callerOf returns the agents' view of the principal of r, in the form that is stored with a run.
func callerOf(r *http.Request) (c state.Caller, err error) {
	p := route.Caller(r)
	c.Roles = p.Roles
	err = calls.Protect(func() error { // claims may have custom marshalers
		c.Claims, err = encodeClaims(p.Claims)
		return err
	})
	return c, err
}

// principalOf returns the principal of a run as agents see it: that of its request, also after a takeover.
func principalOf(key state.Key, c state.Caller) Principal {
	p := Principal{ID: key.Principal, Roles: slices.Clone(c.Roles)}
	if len(c.Claims) > 0 {
		_ = json.Unmarshal(c.Claims, &p.Claims) // callerOf has encoded an object
	}
	return p
}

// principal returns the principal that has sent r. An error has the code unauthorized, forbidden or auth_unavailable.
func (g *Gateway) principal(r *http.Request) (Principal, error) {
	if g.o.Principal == nil {
		return Principal{ID: localPrincipal}, nil
	}
	var p Principal
	err := calls.Protect(func() (err error) {
		if p, err = g.o.Principal(r); err == nil {
			err = checkPrincipal(p) // which may call the marshalers of claims
		}
		return err
	})
	if err == nil {
		return p, nil
	}
	switch errcode.Of(err) {
	case errcode.Unauthorized, errcode.Forbidden, errcode.AuthUnavailable:
		return Principal{}, err
	default:
		return Principal{}, &errcode.Error{Code: errcode.Unauthorized, Err: err}
	}
}

// refusePrincipal answers a request that has no principal, or one that is not allowed in. The cause is logged.
func (g *Gateway) refusePrincipal(w http.ResponseWriter, r *http.Request, err error) {
	if err := g.limits.takeAnonymous(r); err != nil {
		g.writeRateLimited(w, r, err)
		return
	}
	log := g.log(r).With(route.RequestAttrs(r)...).With("code", string(errcode.Of(err)), "error",
		withoutCredentials(err.Error(), r))
	if p, ok := errors.AsType[*failure.Panic](err); ok {
		log.Error("request: refused", "stack", string(p.Stack))
	} else {
		log.Info("request: refused")
	}
	g.writeError(w, r, err)
}

// withoutCredentials masks the credentials of r in text, a reason for refusing r, which may quote them in a log.
func withoutCredentials(text string, r *http.Request) string {
	sent := []string{r.URL.RawQuery}
	var secrets []string
	for name, values := range r.Header {
		if name == "Authorization" || name == "Cookie" || name == "X-Api-Key" {
			secrets = append(secrets, values...)
		} else {
			sent = append(sent, values...)
		}
	}
	return redact.Line(text, secrets, sent)
}
