package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/cmd/gateway/internal/doctor"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/gateway/auth"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/internal/egress"
	otelexport "github.com/agui-gateway/gateway/telemetry/export"
	"github.com/agui-gateway/gateway/travel"
)

// settingsChecks check the settings: errors that would prevent a start, and probable mistakes.
func (c *config) settingsChecks(team *teamfile.Team) []doctor.Check {
	var found []doctor.Check
	wrong := func(err error, mend string) {
		if err != nil {
			found = append(found, doctor.Known("settings", doctor.Wrong, err, mend))
		}
	}
	const asItSays = "Do as it says."
	exposed := !loopback(c.addr)
	wrong(c.explicit(), asItSays)
	wrong(c.checkTLS(), asItSays)
	wrong(c.admin.check(), asItSays)
	if c.storeLimit != 0 && c.redis != "" {
		wrong(errLimitOfRedis, asItSays)
	}
	if c.storeWait > 0 && c.redis == "" {
		wrong(errWaitOfOthers, asItSays)
	}
	wrong(c.tryService(team), "Correct what it names.")
	sending, err := otelexport.Read(c.env)
	wrong(err, "Correct the variable; docs/telemetry.md has those that there are.")
	var collectors []doctor.Check
	if err == nil {
		for _, name := range sending.Ignored() {
			found = append(found, doctor.Known("settings", doctor.Warning,
				errors.New("the variable "+name+" is set, and changes nothing"),
				"Remove it; docs/telemetry.md has the variables that do."))
		}
		for _, at := range sending.Collectors() {
			collectors = append(collectors, doctor.Collector(at))
		}
	}
	for _, w := range c.warnings(exposed) {
		found = append(found, doctor.Known("settings", doctor.Warning, errors.New(w[0]), w[1]))
	}
	if len(found) == 0 {
		found = append(found, doctor.Known("settings", doctor.OK, errors.New("they fit together"), ""))
	}
	return append(found, collectors...)
}

// tryService creates the configured service and closes it without serving.
func (c *config) tryService(team *teamfile.Team) error {
	o := c.options
	o.Agents, o.Agent = map[string]groupchat.Agent{"travel": travel.New(travel.Options{})}, nil
	if team != nil {
		o.Agents, o.Agent = team.Agents, team.Options
	}
	if c.auth.mode != authNone {
		o.Principal = func(*http.Request) (gateway.Principal, error) { return gateway.Principal{}, nil }
		o.Auth = c.auth.mode
	}
	g, err := gateway.New(o)
	if err != nil {
		return err
	}
	return g.Close()
}

// warnings returns probable mistakes in the settings, each with advice.
func (c *config) warnings(exposed bool) [][2]string {
	var list [][2]string
	doubt := func(when bool, says, mend string) {
		if when {
			list = append(list, [2]string{says, mend})
		}
	}
	noAuth := c.auth.mode == authNone
	doubt(exposed && noAuth && c.auth.explicit(),
		"there is no authentication (-auth none), and others can reach "+c.addr,
		"Set -auth keys, jwt or header, unless whoever reaches this address may use everything.")
	doubt(exposed && !noAuth && c.tlsCert == "" && len(c.options.TrustedProxies) == 0 && c.auth.mode != authHeader,
		"others can reach "+c.addr+", and keys and tokens travel there in clear",
		"Set -tls-cert and -tls-key, or name the proxy that speaks TLS before the gateway in -trusted-proxies.")
	doubt(noAuth && slices.Contains(c.options.Origins, "*"),
		"pages of any origin may call (-cors-origins *), and there is no authentication",
		"Name the origins of your pages, or set -auth.")
	doubt(c.auth.mode == authJWT && c.auth.jwt.InClear(),
		"the keys for tokens are read without TLS: an attacker in the network can sign tokens",
		"Write the issuer's URL with https://.")
	doubt(c.content == "on", "prompts, answers and arguments are in spans (-telemetry-content on)",
		"Remove it where people other than developers are served.")
	for _, flag := range []string{"max-runs-per-principal", "max-readers-per-principal", "max-tokens-per-principal",
		"token-window", "max-stored-per-principal"} {
		doubt(noAuth && slices.Contains(c.auth.setFlags, flag),
			"-"+flag+" is set, and without -auth there are no principals that it could hold for",
			"Set -auth, or remove it.")
	}
	return list
}

// callerChecks returns the checks of authentication and of the webhook.
func (c *config) callerChecks() []doctor.Check {
	var checks []doctor.Check
	client := c.http
	if client == nil {
		client = egress.New()
	}
	switch c.auth.mode {
	case authKeys:
		checks = append(checks, doctor.Keys(c.auth.keysFile))
	case authJWT:
		o := c.auth.jwt
		o.Log, o.Client = c.options.Log, client
		tokens, err := auth.NewJWT(o)
		if err != nil {
			return append(checks, doctor.Known("issuer", doctor.Wrong, err, "Correct -jwt-issuer, or set -jwks-url."))
		}
		at := cmp.Or(o.KeySet, o.Issuer)
		checks = append(checks, doctor.Issuer{URL: at, Where: withoutQuery(at), Client: client, Lease: c.options.Lease,
			Keys: tokens.Check}.Check())
	}
	if at := c.options.Webhook.URL; at != "" {
		checks = append(checks, doctor.Webhook(at, client))
	}
	if c.tlsCert != "" && c.tlsKey != "" {
		checks = append(checks, doctor.Certificate(c.tlsCert, c.tlsKey, c.options.Hosts))
	}
	return append(checks, doctor.Proxies(map[string][]netip.Prefix{"-trusted-proxies": c.options.TrustedProxies,
		"-auth-proxies": c.auth.header.Proxies}))
}

// withoutQuery returns a URL in a form that may be printed.
func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its URL"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// machineChecks are those of the machine.
func (c *config) machineChecks() []doctor.Check {
	checks := []doctor.Check{
		doctor.Disk{What: "temporary files", Dir: os.TempDir()}.Check(),
		doctor.Descriptors(c.maxConns, nil),
		doctor.Port("-addr", c.addr, c.answersAt(c.scheme()+probeAddress(c.addr))),
	}
	if c.admin.addr != "" {
		checks = append(checks,
			doctor.Port("-admin-addr", c.admin.addr, c.answersAt("http://"+probeAddress(c.admin.addr))))
	}
	if c.file != "" {
		checks = append(checks, doctor.Disk{What: "threads", Dir: filepath.Dir(c.file)}.Check())
	}
	if c.audit != "" && c.audit != "-" {
		checks = append(checks, doctor.Disk{What: "the audit log", Dir: filepath.Dir(c.audit)}.Check(),
			doctor.Appended("The audit log", c.audit))
	}
	shares := []doctor.Share{{Flag: "-max-bodies", Bytes: c.options.Limits.Bodies},
		{Flag: "-max-answers", Bytes: c.options.Limits.Answers}}
	if c.file == "" && c.redis == "" {
		shares = append(shares, doctor.Share{Flag: "-store-limit", Bytes: cmp.Or(c.storeLimit, memoryLimit)})
	}
	return append(checks, doctor.MemoryLimit(shares, os.DirFS("/")))
}

// answersAt returns a function that reports whether a gateway answers at a URL of this machine.
func (c *config) answersAt(base string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		ctx, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		response, err := askThis(ctx, http.MethodGet, base+"/healthz")
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }() // read as far as needed
		body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		return err == nil && strings.Contains(string(body), `"status":"ok"`)
	}
}
