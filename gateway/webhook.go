package gateway

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/state"
)

// WebhookOptions say who is told when a run starts waiting for people. The zero value tells nobody.
//
// The receiver gets a POST of {"thread", "agent", "interrupts"}, the interrupts as in AG-UI, at least once: each has an id in
// X-Gateway-Delivery, the same whenever it is sent again. X-Gateway-Signature is t=<unix seconds>,v1=<hex HMAC-SHA256 of
// "<t>.<body>" with the secret>. A status of 2xx takes it; after anything else, and after Timeout, it is sent again until
// the last of its questions has expired.
type WebhookOptions struct {
	// URL is where to; what in it may be a secret is never logged.
	URL string
	// Secret signs what is sent. It is required, and never logged.
	Secret string
	// Timeout is how long the receiver may take; 0 means 10 seconds.
	Timeout time.Duration
	// Retry is the pause before the second attempt; each pause is twice the one before, up to 10 minutes. 0 means 10 seconds.
	// Attempts but the first wait for the next look at the store, which is twice per lease.
	Retry time.Duration
	// Client sends it; nil means one of the gateway's own. Redirects are not followed.
	Client *http.Client
}

// webhookSlots is how many notices are being sent at once, webhookQueue how many may wait for that here, or for their next
// attempt if the store did not take them. The others wait in the store.
const (
	webhookSlots = 16
	webhookQueue = 1000
	longestRetry = 10 * time.Minute
)

func (o *WebhookOptions) fill() {
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: webhookSlots}}
	if o.Client != nil {
		client = *o.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.Client = &client
}

// check reports what is wrong, without quoting it.
func (o *WebhookOptions) check() error {
	if o.URL == "" {
		return nil
	}
	if u, err := url.Parse(o.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("gateway: webhook: its URL is not http:// or https:// and a host")
	}
	if o.Secret == "" {
		return errors.New("gateway: webhook: there is no secret to sign with")
	}
	return nil
}

// A webhook tells somebody of questions. What is to be told is kept in the store, as a run of a thread of its own that
// nobody sees: its lease ends when it is to be told again, and whichever replica finds it then goes on.
type webhook struct {
	g      *Gateway
	o      WebhookOptions
	ctx    context.Context // of deliveries
	cancel context.CancelFunc
	slots  chan struct{}
	queue  chan struct{}
	wg     sync.WaitGroup
}

func newWebhook(g *Gateway) *webhook {
	w := &webhook{g: g, o: g.o.Webhook, slots: make(chan struct{}, webhookSlots), queue: make(chan struct{}, webhookQueue)}
	w.o.fill()
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// A notice is what is to be told, as the store keeps it.
type notice struct {
	// Key and Origin name the run that waits.
	Key    state.Key       `json:"key"`
	Origin uint64          `json:"origin"`
	Until  time.Time       `json:"until"`
	IDs    []string        `json:"ids"` // of the interrupts
	Body   json.RawMessage `json:"body"`

	id      string
	lease   *state.Lease // nil if the store does not have it
	attempt int
	clock   calls.Clock
}

// newNotice makes the notice of a run's questions; nil if nobody wants one.
func (w *webhook) newNotice(a *attempt, shown []agui.Interrupt, tokens []state.Token) *notice {
	if w.o.URL == "" {
		return nil
	}
	body, err := json.Marshal(map[string]any{"thread": a.lease.Key.ID, "agent": a.lease.Key.Agent, "interrupts": shown})
	if err != nil {
		a.log.Error("webhook: questions cannot be told", "error", err)
		return nil
	}
	n := &notice{Key: a.lease.Key, Origin: a.intent.Origin, Body: body, id: a.g.o.NewID(), attempt: 1, clock: a.clock}
	for _, t := range tokens {
		n.IDs = append(n.IDs, t.Interrupt.ID)
		if t.ExpiresAt.After(n.Until) {
			n.Until = t.ExpiresAt
		}
	}
	return n
}

// start sends n in a goroutine of its own.
func (w *webhook) start(n *notice) {
	select {
	case w.queue <- struct{}{}:
	default: // it is found in the store when its lease is over
		if n.lease == nil {
			w.g.o.Log.Error("webhook: lost, there is no room for it", "thread", n.Key.ID, "delivery", n.id)
		}
		return
	}
	w.wg.Go(func() {
		defer func() { <-w.queue }()
		if err := calls.Protect(func() error { w.deliver(n); return nil }); err != nil {
			calls.WithCause(w.g.o.Log, err).Error("webhook: panic", "thread", n.Key.ID, "delivery", n.id)
		}
	})
}

// deliver sends n. What the store does not have is sent until it arrives, or until this replica ends.
func (w *webhook) deliver(n *notice) {
	log := w.g.o.Log.With("agent", n.Key.Agent, "thread", n.Key.ID, "delivery", n.id)
	for {
		err := w.send(n)
		switch {
		case err == nil:
			log.Debug("webhook: delivered", "attempt", n.attempt)
			w.remove(n)
			return
		case errors.Is(err, state.ErrLeaseLost):
			return // it is another replica's
		case w.ctx.Err() != nil:
			w.release(n)
			return
		}
		if n.clock.Now().After(n.Until) {
			log.Error("webhook: given up, the questions have expired", "attempts", n.attempt, "error", err)
			w.remove(n)
			return
		}
		pause := w.pause(n.attempt)
		log.Warn("webhook: not delivered", "attempt", n.attempt, "again_after", pause.String(), "error", err)
		if n.lease != nil {
			w.renew(n, pause)
			return
		}
		n.attempt++
		select {
		case <-time.After(pause):
		case <-w.g.taking.Done():
			w.release(n)
			return
		}
	}
}

// send posts n once it has a slot, and the lease for the time that takes. Whoever waits for another attempt has no slot.
func (w *webhook) send(n *notice) error {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
	if !w.renew(n, w.o.Timeout+w.g.o.Lease) {
		return state.ErrLeaseLost
	}
	return calls.Protect(func() error { return w.post(n) })
}

// pause is how long to wait after an attempt.
func (w *webhook) pause(attempt int) time.Duration {
	return min(w.o.Retry<<min(max(attempt-1, 0), 10), longestRetry)
}

// post sends n once.
func (w *webhook) post(n *notice) error {
	ctx, cancel := context.WithTimeout(w.ctx, w.o.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.o.URL, bytes.NewReader(n.Body))
	if err != nil {
		return errors.New("gateway: webhook: no request can be made of its URL")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "agui-gateway")
	r.Header.Set("X-Gateway-Delivery", n.id)
	r.Header.Set("X-Gateway-Signature", sign(w.o.Secret, w.g.o.Now(), n.Body))
	response, err := w.o.Client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL
		}
		return fmt.Errorf("%s: %w", redact.URL(r.URL), err)
	}
	const enough = 64 << 10
	said, _ := io.ReadAll(io.LimitReader(response.Body, enough)) // so that the connection can be used again
	err = response.Body.Close()
	if response.StatusCode/100 != 2 {
		return w.refusedError(r.URL, response.StatusCode, said, n)
	}
	return err
}

// refusedError is why n was not taken, for the log: what the receiver said, without secrets and what it was told.
func (w *webhook) refusedError(at *url.URL, status int, said []byte, n *notice) error {
	secrets := []string{w.o.Secret, at.RawQuery}
	if password, ok := at.User.Password(); ok {
		secrets = append(secrets, password)
	}
	line := redact.Line(redact.Sentence(said), secrets, []string{string(n.Body)})
	if line == "" {
		return fmt.Errorf("gateway: webhook: %s: status %d", redact.URL(at), status)
	}
	return fmt.Errorf("gateway: webhook: %s: status %d: the receiver said %q", redact.URL(at), status, line)
}

// sign is the value of X-Gateway-Signature.
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
