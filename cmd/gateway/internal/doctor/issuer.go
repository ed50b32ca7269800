package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/agui-gateway/gateway/gateway/auth"
)

// An Issuer signs the tokens of callers.
type Issuer struct {
	URL    string // the issuer, or its key set if it has no discovery document
	Where  string // the same, without secrets
	Client *http.Client
	Lease  time.Duration
	Keys   func(ctx context.Context) (int, error) // reads its keys
}

// Check returns the check of an issuer.
func (i Issuer) Check() Check {
	return check("issuer", "", func(ctx context.Context, c Check) []Finding {
		keys, err := i.Keys(ctx)
		switch {
		case errors.Is(err, auth.ErrOtherIssuer):
			return c.wrong("The document at "+i.Where+" names another issuer, so tokens of either are refused.",
				"Write -jwt-issuer (GATEWAY_JWT_ISSUER) exactly as `issuer` is in that document, often with or "+
					"without a / at its end.")
		case err != nil && refusedAddress(err):
			return c.wrong("The issuer is at an address that the gateway never connects to.", allowMend)
		case err != nil && ctx.Err() != nil:
			return c.wrong("The issuer at "+i.Where+" does not answer in time.",
				"Check whether a firewall drops requests to it.")
		case err != nil:
			return c.wrong("The keys of the issuer cannot be read: "+causeOf(err)+".",
				"Correct -jwt-issuer (GATEWAY_JWT_ISSUER); below it is /.well-known/openid-configuration. An issuer "+
					"without that document needs -jwks-url.")
		case keys == 0:
			return c.wrong("The issuer at "+i.Where+
				" has no key for the algorithms that are allowed, so every token is refused.",
				"Set -jwt-algorithms (GATEWAY_JWT_ALGORITHMS) to those by which it signs.")
		}
		found := c.ok(fmt.Sprintf("The document at %s is its own, and %d keys can be read.", i.Where, keys))
		if f, ok := i.clock(ctx); ok {
			found = append(found, f)
		}
		return found
	})
}

// clock compares this machine's clock with the Date of the issuer's response, in whole seconds.
func (i Issuer) clock(ctx context.Context) (Finding, bool) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, i.URL, nil)
	if err != nil {
		return Finding{}, false
	}
	sent := time.Now()
	response, err := i.Client.Do(request)
	if err != nil {
		return Finding{}, false
	}
	_ = response.Body.Close() // it has none
	serverTime, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return Finding{}, false
	}
	took := time.Since(sent)
	return clockFinding("the issuer", serverTime.Sub(sent.Add(took/2)), took+time.Second, i.Lease), true
}

// Webhook returns the check of a receiver of questions. It sends HEAD: any response shows that it is available.
func Webhook(address string, given *http.Client) Check {
	return check("webhook", "", func(ctx context.Context, c Check) []Finding {
		request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
		if err != nil {
			return c.wrong("The receiver's URL cannot be asked.",
				"Correct -interrupt-webhook (GATEWAY_INTERRUPT_WEBHOOK).")
		}
		host := request.URL.Host
		client := *given
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		response, err := client.Do(request)
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the rest is the URL
		}
		switch {
		case err != nil && refusedAddress(err):
			return c.wrong(host+" is an address that the gateway never connects to.", allowMend)
		case err != nil:
			return c.wrong(host+" cannot be reached: "+causeOf(err)+".",
				"Start the receiver, or correct -interrupt-webhook (GATEWAY_INTERRUPT_WEBHOOK); look at firewalls "+
					"and at its certificate.")
		}
		_ = response.Body.Close() // it has none
		if response.StatusCode == http.StatusNotFound {
			return c.warning(host+" answers, and says that nothing is at the path (404).",
				"Correct the path in -interrupt-webhook, unless the receiver answers so to everything but POST.")
		}
		return c.ok(fmt.Sprintf("%s answers (%d); nothing was posted.", host, response.StatusCode))
	})
}
