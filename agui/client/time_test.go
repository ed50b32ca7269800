package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// A transport answers requests in a bubble, without a network.
type transport func(r *http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// piped answers r with a stream that write writes.
func piped(r *http.Request, write func(w io.Writer)) *http.Response {
	body, w := io.Pipe()
	go func() {
		write(w)
		<-r.Context().Done()
		_ = w.CloseWithError(context.Cause(r.Context()))
	}()
	header := http.Header{"Content-Type": {"text/event-stream"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: body, Request: r}
}

func sendEvent(w io.Writer, event string) {
	_, _ = io.WriteString(w, "data: "+event+"\n\n")
}

const (
	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

// A client that has finished a run is not delayed by a server that does not answer the stop.
func TestAStopThatHangsKeepsNobody(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(cancel context.CancelFunc) bool{
		"cancelled": func(cancel context.CancelFunc) bool { cancel(); return true },
		"broken":    func(context.CancelFunc) bool { return false },
	} {
		synctest.Test(t, func(t *testing.T) {
			stops := 0
			c := newClient(t, client.Options{
				URL: "http://example.com/agents/a", Server: client.ServerGateway,
				HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/stop") {
						stops++
						<-r.Context().Done() // it hangs
						return nil, r.Context().Err()
					}
					return piped(r, func(w io.Writer) { sendEvent(w, runStarted) }), nil
				})},
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			began := time.Now()
			for _, err := range c.Run(ctx, client.Request{Input: agui.RunAgentInput{ThreadID: "t", RunID: "r"}}) {
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", name, err)
				}
				if !leave(cancel) {
					break
				}
			}
			if took := time.Since(began); took > 500*time.Millisecond {
				t.Errorf("%s: Run() returned after %v", name, took)
			}
			synctest.Wait()
			if stops != 1 {
				t.Errorf("%s: %d stops", name, stops)
			}
			time.Sleep(time.Minute) // until the stop is given up
		})
	}
}

// A server that keeps sending pings after the end of its run is left after a time limit.
func TestAStreamThatIsKeptOpenEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, client.Options{
			URL: "http://example.com/a",
			HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				return piped(r, func(w io.Writer) {
					sendEvent(w, runStarted)
					sendEvent(w, runFinished)
					for r.Context().Err() == nil {
						time.Sleep(400 * time.Millisecond)
						_, _ = io.WriteString(w, ": ping\n\n")
					}
				}), nil
			})},
		})
		began := time.Now()
		for _, err := range c.Run(t.Context(), client.Request{}) {
			if err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("Run() returned after %v", took)
		}
	})
}

// A server may take up to that time to say that another run follows, which then has all its time.
func TestARunThatFollowsHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, client.Options{
			URL: "http://example.com/a",
			HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				return piped(r, func(w io.Writer) {
					for range 2 {
						sendEvent(w, runStarted)
						time.Sleep(time.Minute)
						sendEvent(w, runFinished)
						time.Sleep(900 * time.Millisecond)
					}
				}), nil
			})},
		})
		n := 0
		for _, err := range c.Run(t.Context(), client.Request{}) {
			if err != nil {
				t.Error(err)
			}
			n++
		}
		if n != 4 {
			t.Errorf("%d events, want those of both runs", n)
		}
	})
}

// The events of a run are read once. To read them again would be to run it again.
func TestARunIsAskedForOnce(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, streaming(runStarted+"\n"+runFinished))
	events := newClient(t, client.Options{URL: u.URL}).Run(t.Context(), client.Request{})
	for _, err := range events {
		if err != nil {
			t.Error(err)
		}
	}
	var again error
	for e, err := range events {
		if e != nil {
			t.Errorf("it was read again: %s", agui.TypeOf(e))
		}
		again = errors.Join(again, err)
	}
	if again == nil {
		t.Error("no error")
	}
	if n := len(u.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}
