package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/suggest"
	"github.com/agui-gateway/gateway/model"
)

// Who waits as long as Retry-After says is served, and who waits a second less is not.
func TestRetryAfterIsTrue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits    func(*gateway.Options)
		path      string
		served    int // requests before the first that is refused
		moved     time.Duration
		wantAfter int
	}{
		"requests": {func(o *gateway.Options) { o.Limits.Rate, o.Limits.RateBurst = 1, 2 }, "echo", 2, 0, 1},
		"tokens": {func(o *gateway.Options) { o.Limits.TokensPerPrincipal, o.TokenWindow = 11, 90*time.Second }, "spends", 1,
			30*time.Second + 500*time.Millisecond, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, spending(t), asAda, test.limits)
			try := func(run int) (status int, after string) {
				response := w.request(t.Context(), http.MethodPost, "/agents/"+test.path, input("t"+strconv.Itoa(run), "r", []string{"u1:Hi"}))
				if response.StatusCode == http.StatusOK {
					r := newReader(t, response, func() {}, "")
					r.rest()
				}
				response.Body.Close()
				return response.StatusCode, response.Header.Get("Retry-After")
			}
			for i := range test.served {
				if status, _ := try(i); status != http.StatusOK {
					t.Fatalf("request %d = %d", i, status)
				}
			}
			w.clock.Move(test.moved)
			status, said := try(100)
			after, err := strconv.Atoi(said)
			if status != http.StatusTooManyRequests || err != nil || after != test.wantAfter {
				t.Fatalf("beyond the limit = %d, Retry-After %q, want 429 and %d", status, said, test.wantAfter)
			}
			w.clock.Move(time.Duration(after-1) * time.Second)
			if status, _ := try(101); status != http.StatusTooManyRequests {
				t.Errorf("a second too early = %d, want 429", status)
			}
			w.clock.Move(time.Second)
			if status, _ := try(102); status != http.StatusOK {
				t.Errorf("after Retry-After = %d, want 200", status)
			}
		})
	}
}

// A principal's requests are its own, and CopilotKit's page finds out that it can use the gateway even then.
func TestOnePrincipalsRequestsAreNotAnothers(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	w := newWorld(t, problemAttrs(&log), byHeader, func(o *gateway.Options) { o.Limits.Rate, o.Limits.RateBurst = 1, 2 })
	as := func(user, method, path, body string) (int, string) {
		return w.call(method, path, body, "X-User", user)
	}
	for range 50 {
		as("ada", http.MethodGet, "/threads", "")
	}
	for path, want := range map[string]string{
		"/agents/echo":                    `{"error":{"code":"rate_limited","message":"Too many requests; try again later.","requestId":"test"}}`,
		"/api/copilotkit/agent/echo/run":  `{"code":"rate_limited","error":"rate_limited","message":"Too many requests; try again later.","requestId":"test"}`,
		"/api/copilotkit":                 `{"code":"rate_limited","error":"rate_limited","message":"Too many requests; try again later.","requestId":"test"}`,
		"/threads/none/resume":            `{"error":{"code":"rate_limited","message":"Too many requests; try again later.","requestId":"test"}}`,
		"/api/copilotkit/threads/clear/x": `{"code":"rate_limited","error":"rate_limited","message":"Too many requests; try again later.","requestId":"test"}`,
	} {
		if status, body := as("ada", http.MethodPost, path, "{"); status != http.StatusTooManyRequests || strings.TrimSpace(body) != want {
			t.Errorf("POST %s = %d %s, want 429 %s", path, status, body, want)
		}
	}
	if status, _ := as("ada", http.MethodGet, "/api/copilotkit/info", ""); status != http.StatusOK {
		t.Errorf("GET info = %d, want 200", status)
	}
	if status, _ := as("bob", http.MethodGet, "/threads", ""); status != http.StatusOK {
		t.Errorf("another's request = %d, want 200", status)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines in the log, want one for all that was refused in a second:\n%s", n, &log)
	}
}

// A flood of wrong credentials is cut by address, and callers with valid ones are not affected.
func TestWrongCredentialsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	w := newWorld(t, problemAttrs(&log), byHeader, func(o *gateway.Options) {
		o.Limits.Rate, o.Limits.RateBurst = 1, 3
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	from := func(address, user string) int {
		status, _ := w.call(http.MethodGet, "/api/copilotkit/info", "", "X-Forwarded-For", address, "X-User", user)
		return status
	}
	for i := range 100 {
		want := http.StatusUnauthorized
		if i >= 3 {
			want = http.StatusTooManyRequests
		}
		address := "2001:db8::" + strconv.Itoa(i+1) // another of one network each time
		if got := from(address, ""); got != want {
			t.Fatalf("wrong credentials %d = %d, want %d", i, got, want)
		}
	}
	if got := from("2001:db8::1", "ada"); got != http.StatusOK {
		t.Errorf("right credentials from the same address = %d, want 200", got)
	}
	if got := from("2001:db8:0:1::1", ""); got != http.StatusUnauthorized {
		t.Errorf("wrong credentials from another network = %d, want 401", got)
	}
	if n := strings.Count(log.String(), "\n"); n != 3+1+1 {
		t.Errorf("%d lines in the log, want those of four requests and one for all others:\n%s", n, &log)
	}
	w.clock.Move(time.Second)
	if first, second := from("2001:db8::1", ""), from("2001:db8::2", ""); first != http.StatusUnauthorized || second != http.StatusTooManyRequests {
		t.Errorf("a second later = %d and %d, want 401 and 429", first, second)
	}
	if !strings.Contains(log.String(), `"skipped":96`) {
		t.Errorf("the log does not say how many were refused:\n%s", &log)
	}
}

// A principal with as many runs as it may have can do everything that begins none, and others are not concerned.
func TestAPrincipalWithTooManyRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byHeader, func(o *gateway.Options) { o.Limits.RunsPerPrincipal = 2 })
	open := func(user, agent, body string) *reader {
		return w.open(http.MethodPost, "/agents/"+agent, body, "X-User", user)
	}
	open("ada", "slow-queue", input("t", "r1", []string{"u1:Hi"})).until(agui.TypeCustom)
	waiter := open("ada", "slow-queue", input("t", "r2", []string{"u1:Hi", "u2:More"})) // it counts
	eventually(t, "a request waits", func() bool {
		return open("ada", "silent", input("other", "r", []string{"u1:Hi"})).response.StatusCode == http.StatusTooManyRequests
	})
	for name, body := range map[string]string{
		"another that would wait": input("t", "r3", []string{"u1:Hi", "u3:More"}),
		"another thread":          input("other", "r", []string{"u1:Hi"}),
	} {
		response := open("ada", "slow-queue", body).response
		if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "1" {
			t.Errorf("%s = %d, Retry-After %q, want 429 and 1", name, response.StatusCode, response.Header.Get("Retry-After"))
		}
	}
	open("ada", "slow-queue", input("t", "r4", []string{"u1:Hi"})).until(agui.TypeTextMessageContent) // it joins
	bobs := open("bob", "slow", input("t", "r", []string{"u1:Hi"}))
	bobs.until(agui.TypeCustom)
	w.release()
	w.release()
	waiter.until(agui.TypeCustom)
	w.release()
	waiter.rest()
	bobs.rest()
	eventually(t, "there is room for a run again", func() bool {
		return open("ada", "silent", input("other", "r", []string{"u1:Hi"})).response.StatusCode == http.StatusOK
	})
}

// A request that supersedes a run of its principal takes the place of that run, also where it was counted before.
func TestASupersedingRunHasThePlaceOfTheOther(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 2, 3} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asAda, func(o *gateway.Options) { o.Limits.RunsPerPrincipal = most })
			for i := range 5 {
				messages := []string{"u1:Hi", "m" + strconv.Itoa(i) + ":More"}
				w.open(http.MethodPost, "/agents/slow-supersede", input("t", "r"+strconv.Itoa(i), messages)).until(agui.TypeCustom)
			}
			w.release()
			w.idle("t")
			start := func(thread string) int {
				return w.open(http.MethodPost, "/agents/slow", input(thread, "r", []string{"u1:Hi"})).response.StatusCode
			}
			for i := range most {
				eventually(t, "place "+strconv.Itoa(i)+" is free", func() bool { return start("t"+strconv.Itoa(i)) == http.StatusOK })
			}
			if got := start("beyond"); got != http.StatusTooManyRequests {
				t.Errorf("one more run = %d, want 429", got)
			}
		})
	}
}

// A run that has spent its principal's tokens ends after the turn that did, and keeps what the turn has done.
func TestARunEndsWhenItsTokensAreSpent(t *testing.T) {
	t.Parallel()
	m := newThinker(t)
	team := &groupchat.Chat{Manager: groupchat.Sequential(), Participants: []groupchat.Participant{
		{Name: "one", Agent: &groupchat.LLM{Model: m.model}}, {Name: "two", Agent: &groupchat.LLM{Model: m.model}}, {Name: "three", Agent: &groupchat.LLM{Model: m.model}},
	}}
	for most, want := range map[int64]struct {
		said int
		code string
	}{36: {3, ""}, 35: {3, "rate_limited"}, 24: {3, "rate_limited"}, 23: {2, "rate_limited"}, 1: {1, "rate_limited"}} {
		t.Run(strconv.FormatInt(most, 10), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, asAda, func(o *gateway.Options) {
				o.Agents["team"] = team
				o.Limits.TokensPerPrincipal = most
			})
			r := w.post("team", input("t", "r", []string{"u1:Hi"}))
			code := ""
			if e, failed := r.last().(*agui.RunError); failed {
				code = e.Code
			}
			said := len(w.thread("t").Messages) - 1
			if code != want.code || said != want.said {
				t.Errorf("with %d tokens it ends with %q after %d messages, want %q after %d", most, code, said, want.code, want.said)
			}
			if most == 1 {
				if status, body := w.call(http.MethodPost, "/agents/echo", input("t2", "r", []string{"u1:Hi"})); status != http.StatusTooManyRequests {
					t.Errorf("the next run = %d %s, want 429", status, body)
				}
				if status, _ := w.call(http.MethodGet, "/threads/t", ""); status != http.StatusOK {
					t.Errorf("the thread = %d, want 200", status)
				}
			}
		})
	}
}

// Suggestions are made under the limits of runs, because agents ask their models for them.
func TestSuggestionsCountAsRuns(t *testing.T) {
	t.Parallel()
	type call struct {
		done   chan struct{} // the page has its answer
		status int
		body   string
	}
	start := func(t *testing.T, change func(*gateway.Options)) (w *world, suggest func() *call, asked chan struct{}) {
		asked = make(chan struct{}, 10)
		w = newWorld(t, asAda, func(o *gateway.Options) {
			change(o)
			o.Agents["advised"] = &groupchat.Chat{
				Manager: groupchat.Sequential(), Participants: []groupchat.Participant{{Name: "a", Agent: groupchat.AgentFunc(echoes)}},
				Suggester: groupchat.SuggesterFunc(func(ctx context.Context, _ groupchat.Situation) ([]groupchat.Suggestion, error) {
					asked <- struct{}{}
					select {
					case <-w.gate:
						return []groupchat.Suggestion{{Title: "A", Message: "a"}}, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}),
			}
		})
		return w, func() *call {
			c := &call{done: make(chan struct{})}
			go func() {
				defer close(c.done)
				c.status, c.body = w.call(http.MethodPost, "/api/copilotkit/agent/advised/suggest", suggestFor("s", "3"))
			}()
			return c
		}, asked
	}
	for name, test := range map[string]struct {
		change func(*gateway.Options)
		status int
	}{
		"of all":         {func(o *gateway.Options) { o.Limits.Runs = 1 }, http.StatusServiceUnavailable},
		"of a principal": {func(o *gateway.Options) { o.Limits.RunsPerPrincipal = 1 }, http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, suggest, asked := start(t, test.change)
			first := suggest()
			receive(t, "the suggester is asked", asked)
			second := suggest()
			receive(t, "the second has an answer", second.done)
			if status, _ := w.call(http.MethodPost, "/agents/echo", input("t", "r", []string{"u1:Hi"})); status != test.status || second.status != test.status {
				t.Errorf("a run beside it = %d, and more suggestions = %d, want %d", status, second.status, test.status)
			}
			if status, _ := w.call(http.MethodPost, "/api/copilotkit/agent/echo/suggest", suggestFor("s", "3")); status != http.StatusOK {
				t.Errorf("suggestions of an agent that makes none = %d, want 200", status)
			}
			w.release()
			if receive(t, "the first has an answer", first.done); first.status != http.StatusOK || !strings.Contains(first.body, `\"title\":\"A\"`) {
				t.Errorf("the suggestions = %d %s", first.status, first.body)
			}
			third := suggest()
			receive(t, "there is room again", asked)
			w.release()
			receive(t, "the third has an answer", third.done)
		})
	}
	for name, patient := range map[string]bool{"a drain waits": true, "a drain is over": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, suggest, asked := start(t, func(*gateway.Options) {})
			first := suggest()
			receive(t, "the suggester is asked", asked)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			drained := make(chan error, 1)
			go func() { drained <- w.g.Drain(ctx) }()
			eventually(t, "it drains", func() bool {
				status, _ := w.call(http.MethodGet, "/readyz", "")
				return status != http.StatusOK
			})
			second := suggest()
			if receive(t, "the second has an answer", second.done); second.status != http.StatusServiceUnavailable || !strings.Contains(second.body, "draining") {
				t.Errorf("suggestions while draining = %d %s, want 503 draining", second.status, second.body)
			}
			select {
			case err := <-drained:
				t.Errorf("the drain did not wait for suggestions: %v", err)
			default:
			}
			if patient {
				w.release()
			} else {
				cancel()
			}
			err := receive(t, "the gateway has drained", drained)
			if receive(t, "the first has an answer", first.done); (err == nil) != patient || first.status != http.StatusOK || strings.Contains(first.body, "copilotkitSuggest") != patient {
				t.Errorf("Drain() = %v, and the suggestions %d %s", err, first.status, first.body)
			}
		})
	}
}

// An announced body takes nothing: stalled bodies leave room for others. An owner with its full share of bodies gets no
// more, and others do.
func TestAStalledBodyTakesWhatHasArrived(t *testing.T) {
	t.Parallel()
	const room = 64 * firstRead
	w := newWorld(t, byHeader, func(o *gateway.Options) { o.Limits.Body, o.Limits.Bodies = room/8, room })
	for range 4 { // a quarter of the reserve for the first bytes
		hold(w, room/8, http.Header{"X-User": {"eve"}})
	}
	if code := endedAs(w, "eve", input("t", "r", []string{"u1:Hi"})); code != "rate_limited" {
		t.Errorf("a body beyond the share = %s, want rate_limited", code)
	}
	if code := endedAs(w, "bob", input("t", "r", []string{"u1:" + strings.Repeat("x", room/8-300)})); code != "ok" {
		t.Errorf("another's, as large as can be = %s, want ok", code)
	}
}

// firstRead is how many bytes a body has before more of it has come.
const firstRead = 4 << 10

// endedAs is ended for a user.
func endedAs(w *world, user, body string) string {
	w.t.Helper()
	response := w.request(w.t.Context(), http.MethodPost, "/agents/silent", body, "X-User", user)
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return "ok"
	}
	var f errorBody
	if err := json.NewDecoder(response.Body).Decode(&f); err != nil {
		w.t.Fatal(err)
	}
	return f.Error.Code
}

// TestSuggestionsSpendTokens holds the models that are asked for suggestions to the tokens of the principal.
func TestSuggestionsSpendTokens(t *testing.T) {
	t.Parallel()
	n, calls := int64(60), 0
	asked := model.Func(func(context.Context, model.Request, model.Deltas) (model.Reply, error) {
		calls++
		return model.Reply{Text: `{"suggestions":[{"title":"A","message":"a"}]}`, Usage: agui.TokenUsage{Provider: "p", Model: "m", TotalTokens: &n}}, nil
	})
	w := newWorld(t, asAda, func(o *gateway.Options) {
		o.Limits.TokensPerPrincipal = 100
		o.Agents["advised"] = groupchat.WithSuggestions(groupchat.AgentFunc(echoes), suggest.New(suggest.Options{Model: asked}))
	})
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		status, body := w.call(http.MethodPost, "/api/copilotkit/agent/advised/suggest", suggestFor("s", "3"))
		if status != want || (status == http.StatusOK) != strings.Contains(body, "copilotkitSuggest") {
			t.Errorf("request %d is answered %d: %s", i, status, body)
		}
	}
	if calls != 2 {
		t.Errorf("the model is asked %d times", calls)
	}
}
