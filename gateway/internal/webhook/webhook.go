package webhook

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
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/internal/egress"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// Options configures the receiver and the store. Fields without a comment are required, unless URL is empty.
type Options struct {
	URL     string // "" sends nothing
	Secret  string
	Timeout time.Duration
	Retry   time.Duration
	Client  *http.Client // nil means a default client

	Store state.Store
	// Principals means that threads belong to different principals, so that notices name the principal.
	Principals bool
	// Lease is the time after which another replica sends a dead replica's notice.
	Lease time.Duration
	// Draining is done when the replica is about to stop: notices that wait for another attempt are left to others.
	Draining context.Context
	// Attempted is called after each attempt, with its outcome: delivered, failed (it is retried) or expired.
	Attempted func(outcome string)
	Log       *slog.Logger
	// Telemetry records deliveries.
	Telemetry *telemetry.Telemetry
	Now       func() time.Time
	NewID     func() string
}

// At most maxSending notices are sent, and at most maxWaiting wait here, at once; others wait in the store.
const (
	maxSending   = 16
	maxWaiting   = 1000
	longestRetry = 10 * time.Minute
)

func (o *Options) fill() {
	if o.Client == nil {
		o.Client = egress.New()
	}
	client := *o.Client
	client.Transport = telemetry.Transport(client.Transport)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.Client = &client
}

// Check returns an error if address or secret is invalid, without quoting them.
func Check(address, secret string) error {
	if address == "" {
		return nil
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return errors.New("gateway: webhook: its URL is not http:// or https:// and a host")
	}
	if secret == "" {
		return errors.New("gateway: webhook: there is no secret to sign with")
	}
	return nil
}

// A Webhook sends notices of questions to a receiver. Each notice is stored as a run of a hidden thread: the run's
// lease expires when the notice is due again, and the replica that finds it sends it. It is safe for concurrent use.
type Webhook struct {
	o       Options
	ctx     context.Context // of deliveries
	cancel  context.CancelFunc
	sending chan struct{} // has an element for each notice that is being sent
	waiting chan struct{} // has one for each that has a goroutine
	wg      sync.WaitGroup
}

// New returns a webhook. Close it when done.
func New(o Options) *Webhook {
	w := &Webhook{o: o, sending: make(chan struct{}, maxSending), waiting: make(chan struct{}, maxWaiting)}
	w.o.fill()
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Wait returns when no notice has a goroutine here any more.
func (w *Webhook) Wait() { w.wg.Wait() }

// Cancel cancels all deliveries. Other replicas send the notices.
func (w *Webhook) Cancel() { w.cancel() }

// Close ends deliveries and closes the connections to the receiver.
func (w *Webhook) Close() {
	w.cancel()
	w.o.Client.CloseIdleConnections()
}

// Questions are those that a run ended with.
type Questions struct {
	Key    state.Key // of the thread
	Origin uint64    // of the run
	Shown  []agui.Interrupt
	Tokens []state.Token
	Clock  calls.Clock
	Trace  string // traceparent of the run
}

// A Notice is a message to the receiver about questions, as the store has it.
type Notice struct {
	// Key and Origin name the run that waits.
	Key    state.Key       `json:"key"`
	Origin uint64          `json:"origin"`
	Until  time.Time       `json:"until"`
	IDs    []string        `json:"ids"` // of the interrupts
	Body   json.RawMessage `json:"body"`
	Trace  string          `json:"trace,omitempty"` // traceparent of the run

	id      string
	lease   *state.Lease // nil if the store does not have it
	attempt int
	clock   calls.Clock
}

// NewNotice returns the notice of a run's questions; nil if there is no receiver.
func (w *Webhook) NewNotice(q Questions) *Notice {
	if w.o.URL == "" {
		return nil
	}
	content := map[string]any{"thread": q.Key.ID, "agent": q.Key.Agent, "interrupts": q.Shown}
	if w.o.Principals {
		content["principal"] = q.Key.Principal
	}
	body, err := json.Marshal(content)
	if err != nil {
		w.o.Log.Error("webhook: questions cannot be encoded", "agent", q.Key.Agent, "thread", q.Key.ID, "error", err)
		return nil
	}
	n := &Notice{Key: q.Key, Origin: q.Origin, Body: body, Trace: q.Trace, id: w.o.NewID(), attempt: 1, clock: q.Clock}
	for _, t := range q.Tokens {
		n.IDs = append(n.IDs, t.Interrupt.ID)
		if t.ExpiresAt.After(n.Until) {
			n.Until = t.ExpiresAt
		}
	}
	return n
}

// Start delivers n in a new goroutine.
func (w *Webhook) Start(n *Notice) {
	select {
	case w.waiting <- struct{}{}:
	default: // a replica finds it in the store when its lease has expired
		if n.lease == nil {
			w.o.Log.Error("webhook: lost, there is no room for it", "thread", n.Key.ID, "delivery", n.id)
		}
		return
	}
	w.wg.Go(func() {
		defer func() { <-w.waiting }()
		if err := calls.Protect(func() error { w.deliver(n); return nil }); err != nil {
			calls.WithCause(w.o.Log, err).Error("webhook: panic", "thread", n.Key.ID, "delivery", n.id)
		}
	})
}

// deliver sends n. A notice that the store does not have is sent again until it was taken, or until this replica ends.
func (w *Webhook) deliver(n *Notice) {
	log := w.o.Log.With("agent", n.Key.Agent, "thread", n.Key.ID, "delivery", n.id)
	for {
		err := w.send(n)
		switch {
		case err == nil:
			w.o.Attempted("delivered")
			log.Debug("webhook: delivered", "attempt", n.attempt)
			w.Remove(n)
			return
		case errors.Is(err, state.ErrLeaseLost):
			return // another replica has it
		case w.ctx.Err() != nil:
			w.release(n)
			return
		}
		if n.clock.Now().After(n.Until) {
			w.o.Attempted("expired")
			log.Error("webhook: given up, the questions have expired", "attempts", n.attempt, "error", err)
			w.Remove(n)
			return
		}
		w.o.Attempted("failed")
		pause := w.pause(n.attempt)
		log.Warn("webhook: not delivered", "attempt", n.attempt, "again_after", pause.String(), "error", err)
		if n.lease != nil {
			w.renew(n, pause)
			return
		}
		n.attempt++
		select {
		case <-time.After(pause):
		case <-w.o.Draining.Done():
			w.release(n)
			return
		}
	}
}

// send posts n when fewer than maxSending are being sent, and renews its lease meanwhile.
func (w *Webhook) send(n *Notice) error {
	select {
	case w.sending <- struct{}{}:
		defer func() { <-w.sending }()
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
	if !w.renew(n, w.o.Timeout+w.o.Lease) {
		return state.ErrLeaseLost
	}
	ctx := telemetry.WithThread(telemetry.With(telemetry.WithTraceparent(w.ctx, n.Trace), w.o.Telemetry),
		telemetry.Thread{ID: n.Key.ID})
	ctx, step := telemetry.Begin(ctx, telemetry.Record{Kind: telemetry.KindWebhook, Attempt: n.attempt})
	err := calls.Protect(func() error { return w.post(ctx, n) })
	if err != nil {
		step.Fail("delivery_failed")
	}
	step.End(nil)
	return err
}

// pause returns how long to wait after an attempt.
func (w *Webhook) pause(attempt int) time.Duration {
	return min(w.o.Retry<<min(max(attempt-1, 0), 10), longestRetry)
}

// post sends n once.
func (w *Webhook) post(ctx context.Context, n *Notice) error {
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.o.URL, bytes.NewReader(n.Body))
	if err != nil {
		return errors.New("gateway: webhook: no request can be made of its URL")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "agui-gateway")
	r.Header.Set("X-Gateway-Delivery", n.id)
	r.Header.Set("X-Gateway-Signature", sign(w.o.Secret, w.o.Now(), n.Body))
	response, err := w.o.Client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the URL
		}
		return fmt.Errorf("%s: %w", redact.URL(r.URL), err)
	}
	const enough = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, enough)) // so that the connection can be used again
	err = response.Body.Close()
	if response.StatusCode/100 != 2 {
		return w.refusedError(r.URL, response.StatusCode, body, n)
	}
	return err
}

// refusedError describes a refused delivery for the log: the receiver's response, without secrets.
func (w *Webhook) refusedError(at *url.URL, status int, body []byte, n *Notice) error {
	line := redact.Line(redact.Sentence(body), redact.Secrets(at, w.o.Secret), []string{string(n.Body)})
	if line == "" {
		return fmt.Errorf("gateway: webhook: %s: status %d", redact.URL(at), status)
	}
	return fmt.Errorf("gateway: webhook: %s: status %d: the receiver said %q", redact.URL(at), status, line)
}

// sign returns the value of X-Gateway-Signature.
func sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
