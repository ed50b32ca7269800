package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A wire is a model's server without a network, so that time is the test's. Each request gets the next answer, the last
// one for ever.
type wire struct {
	answers []answering
	at      []time.Duration // when it was asked
	start   time.Time
}

// An answering is what a server does with a request.
type answering func(*http.Request) (status int, header http.Header, body io.Reader, err error)

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.at = append(w.at, time.Since(w.start))
	next := w.answers[0]
	if len(w.answers) > 1 {
		w.answers = w.answers[1:]
	}
	status, header, body, err := next(r)
	if err != nil {
		return nil, err
	}
	closing, ok := body.(io.ReadCloser)
	if !ok {
		closing = io.NopCloser(body)
	}
	return &http.Response{StatusCode: status, Header: header, Body: closing, Request: r}, nil
}

func (w *wire) model(t *testing.T, o Options) *Model {
	w.start = time.Now()
	o.BaseURL, o.Name, o.HTTP = "http://model.test", "m", &http.Client{Transport: w}
	m, err := New(o)
	must(t, err)
	return m
}

func answer(status int, body string, header ...string) answering {
	return func(*http.Request) (int, http.Header, io.Reader, error) {
		h := http.Header{}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return status, h, strings.NewReader(body), nil
	}
}

// slow sends the lines of a body with a pause before each, and then nothing, but does not end.
func slow(pause time.Duration, lines ...string) answering {
	return func(r *http.Request) (int, http.Header, io.Reader, error) {
		out, in := io.Pipe()
		go func() {
			for _, line := range lines {
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
				}
				if _, err := io.WriteString(in, line+"\n\n"); err != nil {
					return
				}
			}
			<-r.Context().Done()
			in.CloseWithError(r.Context().Err())
		}()
		return 200, http.Header{}, out, nil
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	ok := answer(200, openaitest.Text("ok").Wire())
	refused := func(*http.Request) (int, http.Header, io.Reader, error) {
		return 0, nil, nil, errors.New("connection refused")
	}
	date := func(r *http.Request) (int, http.Header, io.Reader, error) {
		return answer(503, "", "Retry-After", time.Now().Add(10*time.Second).UTC().Format(http.TimeFormat))(r)
	}
	tests := []struct {
		name    string
		answers []answering
		retries int
		least   []time.Duration // when it is asked, at the earliest
		most    []time.Duration
		want    errcode.Code
	}{
		{"jitter", []answering{answer(500, ""), answer(502, "x"), ok}, 0,
			[]time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond}, []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond}, ""},
		{"seconds", []answering{answer(429, "", "Retry-After", "7"), ok}, 0,
			[]time.Duration{0, 7 * time.Second}, []time.Duration{0, 8 * time.Second}, ""},
		{"milliseconds", []answering{answer(429, "", "Retry-After-Ms", "1500", "Retry-After", "7"), ok}, 0,
			[]time.Duration{0, 1500 * time.Millisecond}, []time.Duration{0, 1700 * time.Millisecond}, ""},
		{"a date", []answering{date, ok}, 0, []time.Duration{0, 9 * time.Second}, []time.Duration{0, 11 * time.Second}, ""},
		{"too long", []answering{answer(429, "", "Retry-After", "3600"), ok}, 0,
			[]time.Duration{0}, []time.Duration{0}, errcode.ModelUnavailable},
		{"a connection", []answering{refused, ok}, 0, []time.Duration{0, 0}, []time.Duration{0, time.Second}, ""},
		{"nothing said", []answering{answer(200, `data: {"error":{"code":503}}`+"\n\n"), answer(200, ""), ok}, 0,
			[]time.Duration{0, 0, 0}, []time.Duration{0, time.Second, 2 * time.Second}, ""},
		{"retries used up", []answering{answer(500, "")}, 1, []time.Duration{0, 0}, []time.Duration{0, time.Second}, errcode.ModelUnavailable},
		{"something said", []answering{answer(200, "data: "+openaitest.Delta(`"content":"A"`)+"\n\n"), ok}, 0,
			[]time.Duration{0}, []time.Duration{0}, errcode.ModelResponse},
		{"a request that is wrong", []answering{answer(400, `{"error":{"param":"temperature"}}`), ok}, 0, []time.Duration{0}, []time.Duration{0}, errcode.ModelRequest},
		{"a quota that is used up", []answering{answer(429, `{"error":{"code":"insufficient_quota"}}`), ok}, 0,
			[]time.Duration{0}, []time.Duration{0}, errcode.ModelUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: tt.answers}
				_, err := w.model(t, Options{Retries: tt.retries}).Stream(t.Context(), hello, model.Deltas{})
				equal(t, "code", errcode.Of(err), tt.want)
				if len(w.at) != len(tt.least) {
					t.Fatalf("asked at %v, want %d times", w.at, len(tt.least))
				}
				for i, at := range w.at {
					if at < tt.least[i] || at > tt.most[i] {
						t.Errorf("try %d after %v, want %v to %v", i, at, tt.least[i], tt.most[i])
					}
				}
			})
		})
	}
}

func TestSilentRepliesAreGivenUp(t *testing.T) {
	t.Parallel()
	a := "data: " + openaitest.Delta(`"content":"A"`)
	end := "data: " + openaitest.Finish("stop")
	tests := []struct {
		name   string
		server answering
		took   time.Duration
		text   string
		want   errcode.Code
	}{
		{"slow and steady", slow(50*time.Second, a, a, end), 155 * time.Second, "AA", ""},
		{"comments count as words", slow(50*time.Second, ": PROCESSING", ": PROCESSING", a, end), 205 * time.Second, "A", ""},
		{"silent", slow(time.Second, a, a), 62 * time.Second, "AA", errcode.ModelUnavailable},
		{"silent from the start", slow(0), 60 * time.Second, "", errcode.ModelUnavailable},
		{"left open", slow(time.Second, a, end), 7 * time.Second, "A", ""},
		{"longer than a call may take", slow(31*time.Second, strings.Split(strings.Repeat(a+"\n", 100), "\n")...), 300 * time.Second, strings.Repeat("A", 9), errcode.ModelUnavailable},
		{"not even headers", func(r *http.Request) (int, http.Header, io.Reader, error) {
			<-r.Context().Done()
			return 0, nil, nil, r.Context().Err()
		},
			300 * time.Second, "", errcode.ModelUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &wire{answers: []answering{tt.server}}
				var said strings.Builder
				_, err := w.model(t, Options{Retries: -1, Timeout: 5 * time.Minute}).Stream(t.Context(), hello,
					model.Deltas{Text: func(d string) error { said.WriteString(d); return nil }})
				equal(t, "code", errcode.Of(err), tt.want)
				equal(t, "text", said.String(), tt.text)
				equal(t, "took", time.Since(w.start), tt.took)
			})
		})
	}
}

// TestACallEndsInTime has a server that asks for more time than the call may take. The error has the earlier failure.
func TestACallEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{answers: []answering{answer(429, "", "Retry-After", "7")}}
		_, err := w.model(t, Options{Timeout: 10 * time.Second}).Stream(t.Context(), hello, model.Deltas{})
		equal(t, "code", errcode.Of(err), errcode.ModelUnavailable)
		equal(t, "took", time.Since(w.start), 10*time.Second)
		equal(t, "asked", len(w.at), 2)
		if !strings.Contains(err.Error(), "429") {
			t.Errorf("Stream() = %v, want what the server said", err)
		}
	})
}

// A tracked body knows whether it was closed.
type tracked struct {
	io.Reader
	closed *int
}

func (b tracked) Close() error { *b.closed++; return nil }

func TestBodiesAreClosed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		sink   error
	}{
		"a reply":          {200, openaitest.Text("hi").Wire(), nil},
		"an error status":  {500, `{"error":{}}`, nil},
		"a redirect":       {302, "", nil},
		"an error in it":   {200, `data: {"error":{}}` + "\n\n", nil},
		"a web page":       {200, "<html>", nil},
		"a sink that ends": {200, openaitest.Text("hi").Wire(), errSink},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := 0
			w := &wire{answers: []answering{func(*http.Request) (int, http.Header, io.Reader, error) {
				return tt.status, http.Header{}, tracked{strings.NewReader(tt.body), &closed}, nil
			}}}
			_, _ = w.model(t, Options{Retries: -1}).Stream(t.Context(), hello, model.Deltas{Text: func(string) error { return tt.sink }})
			if closed == 0 {
				t.Error("the body was not closed")
			}
		})
	}
}
