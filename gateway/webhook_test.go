package gateway_test

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
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/memstore"
	"github.com/agui-gateway/gateway/state/redisstore/redistest"
)

const hookSecret = "hush-hush-secret"

// A delivery is what a receiver got.
type delivery struct {
	id            string
	thread, agent string
	principal     string
	interrupts    []agui.Interrupt
}

// A receiver takes notices. Answer, if set, is asked for the status of each attempt, from 1.
type receiver struct {
	*httptest.Server
	t      *testing.T
	client *http.Client // that reaches it; nil is any
	got    chan delivery
	answer func(attempt int, r *http.Request) int

	mu       sync.Mutex
	attempts int
}

func newReceiver(t *testing.T, answer func(attempt int, r *http.Request) int) *receiver {
	t.Helper()
	return startReceiver(t, httptest.NewServer, answer)
}

// newBubbleReceiver is newReceiver in a bubble of synctest.
func newBubbleReceiver(t *testing.T, answer func(attempt int, r *http.Request) int) *receiver {
	t.Helper()
	l := newPipes()
	r := startReceiver(t, l.serve, answer)
	r.client = &http.Client{Transport: &http.Transport{DialContext: l.dial}}
	return r
}

func startReceiver(t *testing.T, serve func(http.Handler) *httptest.Server, answer func(attempt int, r *http.Request) int) *receiver {
	t.Helper()
	r := &receiver{t: t, got: make(chan delivery, 100), answer: answer}
	r.Server = serve(r)
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // it was cut off
	}
	r.mu.Lock()
	r.attempts++
	attempt := r.attempts
	r.mu.Unlock()
	if err := checkSignature(q.Header.Get("X-Gateway-Signature"), body); err != nil {
		r.t.Error(err)
	}
	if status := r.answer; status != nil {
		if s := status(attempt, q); s != http.StatusOK {
			http.Error(w, "no", s)
			return
		}
	}
	var d struct {
		Thread, Agent string
		Principal     string
		Interrupts    []agui.Interrupt
	}
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	if err := in.Decode(&d); err != nil {
		r.t.Errorf("body %s: %v", body, err)
	}
	r.got <- delivery{q.Header.Get("X-Gateway-Delivery"), d.Thread, d.Agent, d.Principal, d.Interrupts}
}

func checkSignature(header string, body []byte) error {
	at, v1, ok := strings.Cut(strings.TrimPrefix(header, "t="), ",v1=")
	if _, err := strconv.ParseInt(at, 10, 64); err != nil || !ok {
		return fmt.Errorf("signature = %q", header)
	}
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(append([]byte(at+"."), body...))
	if v1 != hex.EncodeToString(mac.Sum(nil)) {
		return fmt.Errorf("signature %q does not fit", header)
	}
	return nil
}

// withReceiver configures r as the receiver of a gateway.
func withReceiver(r *receiver, change ...func(*gateway.Options)) func(*gateway.Options) {
	return func(o *gateway.Options) {
		o.Now, o.NewID, o.Lease = time.Now, nil, time.Second
		o.Webhook = gateway.WebhookOptions{
			URL: r.URL + "/hook?key=" + hookSecret, Secret: hookSecret, Timeout: 5 * time.Second, Retry: time.Millisecond, Client: r.client,
		}
		for _, f := range change {
			f(o)
		}
	}
}

func ids(list []agui.Interrupt) string {
	var all []string
	for _, i := range list {
		all = append(all, i.ID)
	}
	return strings.Join(all, " ")
}

// TestWebhookTellsOfQuestions, signed, once, with what the client is shown, and without a word in the log.
func TestWebhookTellsOfQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookTellsOfQuestions)
}

func webhookTellsOfQuestions(t *testing.T) {
	r := newBubbleReceiver(t, nil)
	var mu sync.Mutex
	var log bytes.Buffer
	w := newBubbleWorld(t, withReceiver(r), func(o *gateway.Options) {
		o.Log = slog.New(slog.NewTextHandler(locked{&mu, &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	if w.post("echo", input("quiet", "r", []string{"u1:hi"})).finished().Outcome.Type != agui.OutcomeSuccess {
		t.Fatal("no success")
	}
	end := w.post("both", input("t", "r", []string{"u1:hi"})).finished()
	d := <-r.got
	if d.thread != "t" || d.agent != "both" || d.id == "" || ids(d.interrupts) != ids(end.Outcome.Interrupts) || len(d.interrupts) != 2 {
		t.Errorf("delivery = %+v, want the interrupts %s", d, ids(end.Outcome.Interrupts))
	}
	if d.interrupts[0].ExpiresAt == "" || d.interrupts[0].Message != end.Outcome.Interrupts[0].Message {
		t.Errorf("interrupt = %+v", d.interrupts[0])
	}
	if status, body := w.call(http.MethodGet, "/threads", ""); status != http.StatusOK || strings.Contains(body, "webhook") {
		t.Errorf("GET /threads = %s", body)
	}
	eventually(t, "it is delivered", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(log.String(), "webhook: delivered")
	})
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), hookSecret) || strings.Contains(log.String(), end.Outcome.Interrupts[0].Message) {
		t.Errorf("the log tells too much:\n%s", &log)
	}
	select {
	case d := <-r.got:
		t.Errorf("one more: %+v", d)
	default:
	}
}

// Two principals may have threads of one id: a notice names the principal. With only one principal it does not.
func TestWebhookTellsWhoseTheThreadIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookTellsWhoseTheThreadIs)
}

func webhookTellsWhoseTheThreadIs(t *testing.T) {
	r := newBubbleReceiver(t, nil)
	w := newBubbleWorld(t, withReceiver(r), byHeader)
	got := map[string]bool{}
	for _, user := range []string{"ada", "eve"} {
		if status, body := w.call(http.MethodPost, "/agents/both", input("t", "r", []string{"u1:hi"}), "X-User", user); status != http.StatusOK {
			t.Fatalf("%s: %d %s", user, status, body)
		}
		d := <-r.got
		got[d.principal] = d.thread == "t"
	}
	if !got["ada"] || !got["eve"] {
		t.Errorf("the notices are of %v, want ada and eve", got)
	}
	r = newBubbleReceiver(t, nil)
	newBubbleWorld(t, withReceiver(r)).post("both", input("t", "r", []string{"u1:hi"}))
	if d := <-r.got; d.principal != "" {
		t.Errorf("without principals a notice names %q", d.principal)
	}
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// TestWebhookTriesAgain after refusals, redirects, and lost responses, under the same id, even if the question has been
// answered by then.
func TestWebhookTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookTriesAgain)
}

func webhookTriesAgain(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	r := newBubbleReceiver(t, func(attempt int, q *http.Request) int {
		mu.Lock()
		seen[q.Header.Get("X-Gateway-Delivery")] = true
		mu.Unlock()
		switch attempt {
		case 1:
			return http.StatusInternalServerError
		case 2:
			<-q.Context().Done()
			return http.StatusOK
		case 3:
			return http.StatusFound
		default:
			return http.StatusOK
		}
	})
	w := newBubbleWorld(t, withReceiver(r, func(o *gateway.Options) { o.Webhook.Timeout = 50 * time.Millisecond }))
	end := w.post("ask", input("t", "r", []string{"u1:hi"})).finished()
	w.post("ask", input("t", "r2", nil, `"resume":[{"interruptId":`+quote(end.Outcome.Interrupts[0].ID)+`,"status":"cancelled"}]`))
	d := <-r.got
	mu.Lock()
	defer mu.Unlock()
	if d.thread != "t" || ids(d.interrupts) != ids(end.Outcome.Interrupts) || len(seen) != 1 {
		t.Errorf("delivery = %+v, under %d ids", d, len(seen))
	}
}

// TestWebhookIsNotInTheWay of runs, nor of the gateway's end.
func TestWebhookIsNotInTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookIsNotInTheWay)
}

func webhookIsNotInTheWay(t *testing.T) {
	asked := make(chan struct{}, 100)
	r := newBubbleReceiver(t, func(_ int, q *http.Request) int {
		asked <- struct{}{}
		<-q.Context().Done()
		return http.StatusOK
	})
	w := newBubbleWorld(t, withReceiver(r, func(o *gateway.Options) { o.Webhook.Timeout = time.Hour }))
	for n := range 40 {
		if w.post("ask", input("t"+strconv.Itoa(n), "r", []string{"u1:hi"})).finished().Outcome.Type != agui.OutcomeInterrupt {
			t.Fatal("it does not ask")
		}
	}
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := w.g.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Drain() = %v, it did not wait for what is under way", err)
	}
}

// TestWebhookOutlivesItsReplica: what one could not deliver another does, from the store.
func TestWebhookOutlivesItsReplica(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookOutlivesItsReplica)
}

func webhookOutlivesItsReplica(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	deaf := newBubbleReceiver(t, func(int, *http.Request) int { return http.StatusServiceUnavailable })
	a := newBubbleWorld(t, withReceiver(deaf, func(o *gateway.Options) { o.Store, o.Shared, o.Webhook.Retry = shared, true, time.Hour }))
	end := a.post("ask", input("t", "r", []string{"u1:hi"})).finished()
	if err := a.g.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := newBubbleReceiver(t, nil)
	newBubbleWorld(t, withReceiver(r, func(o *gateway.Options) { o.Store, o.Shared = late{shared}, true }))
	if d := <-r.got; ids(d.interrupts) != ids(end.Outcome.Interrupts) {
		t.Errorf("delivery = %+v", d)
	}
}

// late is a store in which every lease is over.
type late struct{ state.Store }

func (s late) Overdue(ctx context.Context, limit int) ([]state.Key, error) {
	page, err := s.List(ctx, state.Query{Principal: ".webhook", Limit: limit})
	var keys []state.Key
	for _, t := range page.Threads {
		keys = append(keys, t.Key)
	}
	return keys, err
}

func (s late) Take(ctx context.Context, key state.Key, o state.LeaseOptions) (*state.Begun, error) {
	t, _, err := s.Load(ctx, key)
	if err == nil && t.Live != nil {
		err = s.Release(ctx, &state.Lease{Key: key, Attempt: t.Live.Attempt, Fence: t.Live.Fence})
	}
	if err != nil {
		return nil, err
	}
	return s.Store.Take(ctx, key, o)
}

// dying dies when it is to keep that a run waits.
type dying struct{ *mortal }

func (d dying) Commit(ctx context.Context, l *state.Lease, c state.Commit) (*state.Thread, error) {
	if c.End != nil && c.End.Status == state.RunInterrupt {
		close(d.dead)
	}
	return d.mortal.Commit(ctx, l, c)
}

// TestWebhookTellsWhatHappened: a replica that died before its questions were stored has asked none.
func TestWebhookTellsWhatHappened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookTellsWhatHappened)
}

func webhookTellsWhatHappened(t *testing.T) {
	shared := closeLast(t, memstore.New(memstore.Options{}))
	r := newBubbleReceiver(t, nil)
	quick := func(store state.Store) func(*gateway.Options) {
		return withReceiver(r, func(o *gateway.Options) {
			o.Store, o.Shared, o.Webhook.Timeout = store, true, time.Second
			o.Agents = map[string]groupchat.Agent{"ask": groupchat.AgentFunc(asksSize)}
			o.Agent = nil
		})
	}
	door := dying{newMortal(shared)}
	defer close(door.buried)
	a, b := newBubbleWorld(t, quick(door)), newBubbleWorld(t, quick(shared))
	run := a.begin(http.MethodPost, "/agents/ask?disconnect=detach", input("t", "r", []string{"u1:hi"}))
	defer run.hangUp()
	<-door.dead
	d := <-r.got
	doc := b.idle("t")
	if len(doc.Interrupts) != 1 || ids(d.interrupts) != ids(doc.Interrupts) {
		t.Errorf("told of %s, asked is %s", ids(d.interrupts), ids(doc.Interrupts))
	}
	eventually(t, "nothing is left to tell", func() bool {
		page, err := shared.List(t.Context(), state.Query{Principal: ".webhook"})
		return err == nil && len(page.Threads) == 0
	})
	if n := len(r.got); n != 0 {
		t.Errorf("%d more deliveries", n)
	}
}

// forgetful keeps no notices.
type forgetful struct{ state.Store }

func (f forgetful) Begin(ctx context.Context, r *state.Request, o state.LeaseOptions) (*state.Begun, error) {
	if r.Key.Agent == ".webhook" {
		return nil, errors.New("away")
	}
	return f.Store.Begin(ctx, r, o)
}

// TestWebhookWithoutTheStore is notified by the replica that asked, while it lives.
func TestWebhookWithoutTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, webhookWithoutTheStore)
}

func webhookWithoutTheStore(t *testing.T) {
	r := newBubbleReceiver(t, func(attempt int, _ *http.Request) int {
		if attempt < 3 {
			return http.StatusBadGateway
		}
		return http.StatusOK
	})
	store := closeLast(t, memstore.New(memstore.Options{}))
	w := newBubbleWorld(t, withReceiver(r, func(o *gateway.Options) { o.Store = forgetful{store} }))
	w.post("ask", input("t", "r", []string{"u1:hi"}))
	if d := <-r.got; d.thread != "t" {
		t.Errorf("delivery = %+v", d)
	}
}

// TestWebhookOverRedis: what the replica that asked could not deliver the other one does.
func TestWebhookOverRedis(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	down := true
	r := newReceiver(t, func(attempt int, _ *http.Request) int {
		mu.Lock()
		defer mu.Unlock()
		if down || attempt%2 == 1 {
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	hook := gateway.WebhookOptions{URL: r.URL, Secret: hookSecret, Timeout: 5 * time.Second, Retry: time.Millisecond}
	a, b := twins(t, redistest.Start(t).URL(), func(o *gateway.Options) { o.Webhook, o.Lease = hook, 3*time.Second })
	asked := map[string]string{}
	for n := range 5 {
		thread := "t" + strconv.Itoa(n)
		asked[thread] = ids(a.post("ask", input(thread, "r", []string{"u1:hi"})).interrupts())
	}
	drained, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.g.Drain(drained); !errors.Is(err, context.Canceled) && err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	down = false
	mu.Unlock()
	for len(asked) > 0 {
		d := receive(t, "all are told of", r.got)
		if want, ok := asked[d.thread]; ok && ids(d.interrupts) != want {
			t.Errorf("of %s is told %s, want %s", d.thread, ids(d.interrupts), want)
		}
		delete(asked, d.thread)
	}
	if status, body := b.call(http.MethodGet, "/threads", ""); status != http.StatusOK || strings.Count(body, `"id"`) != 5 {
		t.Errorf("GET /threads = %d %s", status, body)
	}
}
