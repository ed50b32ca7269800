package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/lestrrat-go/jwx/v3/jwa"

	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/exact"
	"github.com/agui-gateway/gateway/internal/redact"
)

// Bounds of what a provider may send.
const (
	maxDiscovery = 64 << 10  // bytes of its document
	maxKeySet    = 256 << 10 // bytes of its keys
	readTime     = 5 * time.Second
)

// ErrOtherIssuer means that the document at the issuer's URL names another issuer, which is not trusted.
var ErrOtherIssuer = errors.New("the document at the issuer's URL is of another issuer")

const discovery = "/.well-known/openid-configuration"

type provider struct {
	issuer  string
	keySet  *url.URL // nil: from the discovery document
	base    *url.URL // of discovery; nil if there is none
	allowed []jwa.SignatureAlgorithm
	client  *http.Client
}

func newProvider(o JWTOptions, allowed []jwa.SignatureAlgorithm) (*provider, error) {
	p := &provider{issuer: o.Issuer, allowed: allowed}
	var err error
	if o.Issuer == "" {
		return nil, errors.New("there is no issuer")
	}
	if o.KeySet != "" {
		if p.keySet, err = parseURL(o.KeySet); err != nil {
			return nil, fmt.Errorf("the key set's URL %w", err)
		}
	} else {
		if p.base, err = parseURL(o.Issuer); err != nil || p.base.RawQuery != "" {
			return nil, errors.New("the issuer is not a URL, so there has to be a key set's")
		}
	}
	if o.Client == nil {
		o.Client = egress.New() // the issuer's document could name any address
	}
	client := *o.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.client = &client
	return p, nil
}

// parseURL reads a URL that keys can be read from. The error does not quote it.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Fragment != "" {
		return nil, errors.New("is not https://host/path or http://host/path")
	}
	return u, nil
}

func (p *provider) name() string {
	if p.base != nil {
		return redact.URL(p.base)
	}
	return redact.URL(p.keySet)
}

// InClear reports whether requests for a provider's keys cross a network without TLS.
func (o JWTOptions) InClear() bool {
	u, err := url.Parse(cmp.Or(o.KeySet, o.Issuer))
	if err != nil || u.Scheme == "https" {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "localhost" && (err != nil || !addr.IsLoopback())
}

// read requests the provider's keys. The error is for the log.
func (p *provider) read(ctx context.Context) ([]publicKey, error) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	keySet := p.keySet
	if p.base != nil {
		var err error
		if keySet, err = p.discover(ctx); err != nil {
			return nil, err
		}
	}
	data, err := p.get(ctx, keySet, maxKeySet)
	if err != nil {
		return nil, err
	}
	return publicKeys(data, p.allowed)
}

// discover reads where the provider's keys are.
func (p *provider) discover(ctx context.Context) (*url.URL, error) {
	at := *p.base
	at.Path, at.RawPath = strings.TrimSuffix(at.Path, "/")+discovery, ""
	data, err := p.get(ctx, &at, maxDiscovery)
	if err != nil {
		return nil, err
	}
	var document struct {
		Issuer string `json:"issuer"`
		KeySet string `json:"jwks_uri"`
	}
	if exact.Unmarshal(data, &document) != nil {
		return nil, errors.New("the issuer's document is not JSON")
	}
	if document.Issuer != p.issuer {
		return nil, ErrOtherIssuer
	}
	keySet, err := parseURL(document.KeySet)
	if err != nil {
		return nil, fmt.Errorf("the jwks_uri of the issuer's document %w", err)
	}
	if p.base.Scheme == "https" && keySet.Scheme != "https" {
		return nil, errors.New("the jwks_uri of the issuer's document is not https, as the issuer is")
	}
	return keySet, nil
}

// get reads a document of at most limit bytes. The error has no more of the URL than the log may.
func (p *provider) get(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be asked", redact.URL(u))
	}
	request.Header.Set("Accept", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the rest is the URL
		}
		return nil, fmt.Errorf("%s: %s", redact.URL(u), redact.Line(err.Error(), nil, nil))
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", redact.URL(u), response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s breaks off", redact.URL(u))
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s answers with more than %d bytes", redact.URL(u), limit)
	}
	return data, nil
}
