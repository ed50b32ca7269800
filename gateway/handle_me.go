package gateway

import (
	"cmp"
	"net/http"

	"github.com/agui-gateway/gateway/gateway/internal/route"
)

// showMe serves GET /me: the caller's identity. Claims are for agents and are not included.
func (g *Gateway) showMe(w http.ResponseWriter, r *http.Request) error {
	type principal struct {
		ID    string   `json:"id"`
		Roles []string `json:"roles"`
	}
	caller := route.Caller(r)
	route.Answer(w, http.StatusOK, struct {
		Principal principal `json:"principal"`
		Auth      string    `json:"auth"`
	}{principal{caller.ID, append([]string{}, caller.Roles...)}, g.o.auth()})
	return nil
}

// auth returns the method of authentication.
func (o *Options) auth() string {
	if o.Principal == nil {
		return "none"
	}
	return cmp.Or(o.Auth, "custom")
}
