package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// A hostileCase is what a client sends that means no good, or does not know what it does.
type hostileCase struct {
	name string
	// sent are the bytes of the connection, in pieces.
	sent []string
	// halfClose says that the client closes its side behind them; otherwise it waits for the answer.
	halfClose bool
	// silent says that the server may close the connection without an answer.
	silent bool
}

// hostilePrincipal is who sends the cases. Another principal has threads with the canary, which no answer may hold.
const (
	hostilePrincipal = "eve"
	canary           = "canary-7f3a19"
)

// What a case may cost: the longest time for an answer, the bytes of an error, and the bytes of log.
const (
	hostileTime = patience
	errorRoom   = 4 << 10
	logRoom     = 4 << 10
)

// TestHostileInput sends every case on a separate connection, and a valid request after each. The expected responses
// are in testdata/hostile.txt, which -update writes. Forbidden for all cases are: a failure of the server, a hang,
// another principal's words, a long error, a flood of the log, a leaked goroutine. It runs alone, because it counts
// goroutines.
func TestHostileInput(t *testing.T) { //nolint:paralleltest // see above
	var log lines
	w := newWorld(t, byHeader, func(o *gateway.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Limits = gateway.Limits{Rate: -1, Body: 64 << 10, Depth: 16, Messages: 20, Values: 4000, PatchOps: 20, State: 32 << 10, Thread: 128 << 10, Event: 256 << 10}
	})
	for _, thread := range []string{"mine", "hers", "__proto__"} { // both have threads of these names
		for _, who := range []string{hostilePrincipal, "ada"} {
			said := "Hello."
			if who == "ada" {
				said = canary
			}
			w.call("POST", "/agents/ask", input(thread, "r1", []string{"u1:" + said}, `"state":`+quote2(map[string]string{"said": said})), "X-User", who)
			w.call("PATCH", "/threads/"+thread, `{"title":`+quote(said)+`}`, "X-User", who)
		}
	}
	w.call("POST", "/agents/ask", input("only-hers", "r1", []string{"u1:" + canary}), "X-User", "ada")
	hers := func() (all string) {
		for _, thread := range []string{"mine", "hers", "__proto__", "only-hers"} {
			all += w.document(thread, "ada")
		}
		return all
	}
	before := hers()
	if n := strings.Count(before, canary); n < 10 {
		t.Fatalf("the canary is in her threads %d times; this test has lost its way", n)
	}
	cases := hostileCases()
	if len(cases) < 400 {
		t.Fatalf("there are %d cases, want 400 at least", len(cases))
	}
	expected, answered := expectedAnswers(t), make([]string, 0, len(cases))
	address := strings.TrimPrefix(w.url, "http://")
	good := request("GET", "/threads/mine", "")
	want := answerOf(t, address, hostileCase{sent: []string{good}})
	w.client.CloseIdleConnections()
	goroutines := runtime.NumGoroutine()
	for _, c := range cases {
		_, sizeBefore := log.size()
		got := answerOf(t, address, c)
		_, size := log.size()
		short := got.short()
		answered = append(answered, c.name+": "+short)
		if !updating() && expected[c.name] != short && (!c.silent || got.status > 0) {
			t.Errorf("%s: answered %s, want %q\n%.300s", c.name, short, expected[c.name], got.body)
		}
		switch {
		case got.hung:
			t.Errorf("%s: neither answered nor closed", c.name)
		case got.status >= 500 && !slices.Contains([]int{http.StatusNotImplemented, http.StatusServiceUnavailable, http.StatusHTTPVersionNotSupported, http.StatusLoopDetected}, got.status):
			t.Errorf("%s: answered %s\n%.300s", c.name, short, got.body)
		case got.status == 0 && !c.silent:
			t.Errorf("%s: not answered", c.name)
		case strings.HasPrefix(c.name, "coding ") && got.header.Get("Accept-Encoding") != "identity":
			t.Errorf("%s: is not told which codings there are", c.name)
		case got.status >= 400 && len(got.body) > errorRoom:
			t.Errorf("%s: the error has %d bytes", c.name, len(got.body))
		}
		if strings.Contains(got.body, canary) {
			t.Errorf("%s: the answer has what somebody else said", c.name)
		}
		if size-sizeBefore > logRoom {
			t.Errorf("%s: %d bytes of log", c.name, size-sizeBefore)
		}
		if after := answerOf(t, address, hostileCase{sent: []string{good}}); after.status != http.StatusOK || after.body != want.body {
			t.Fatalf("%s: a good request after it is answered with %s %s", c.name, after.short(), after.body)
		}
	}
	if updating() {
		writeAnswers(t, answered)
	}
	if len(expected) != len(cases) && !updating() {
		t.Errorf("%d answers are expected of %d cases", len(expected), len(cases))
	}
	if strings.Contains(log.text(), "panic") || strings.Contains(log.text(), canary) {
		t.Error("the log has a panic, or somebody's words")
	}
	if after := hers(); after != before {
		t.Errorf("her threads are\n%s\nthey were\n%s", after, before)
	}
	w.client.CloseIdleConnections()
	eventuallyFewer(t, goroutines)
	t.Logf("%d cases", len(cases))
}

// eventuallyFewer waits until no more than n goroutines are left.
func eventuallyFewer(t *testing.T, n int) {
	t.Helper()
	deadline := time.Now().Add(hostileTime)
	for runtime.NumGoroutine() > n {
		if time.Now().After(deadline) {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%d goroutines are left, there were %d\n%s", runtime.NumGoroutine(), n, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

// An answered is the response on a connection.
type answered struct {
	status int // of the last answer; 0 means that there was none
	count  int // of answers
	body   string
	header http.Header
	hung   bool
}

// short is the answer in one line: its status, and its code, or how its stream ended.
func (a answered) short() string {
	if a.status == 0 {
		return "closed"
	}
	line := strconv.Itoa(a.status)
	if a.count > 1 {
		line = strconv.Itoa(a.count) + " answers, " + line
	}
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		events := strings.Split(strings.TrimSpace(a.body), "\n")
		var last struct{ Type, Code string }
		for _, e := range events {
			if data, ok := strings.CutPrefix(e, "data: "); ok {
				last.Code = ""
				_ = json.Unmarshal([]byte(data), &last)
			}
		}
		return strings.TrimSpace(line + " stream " + last.Type + " " + last.Code)
	}
	var failure struct {
		Code  string
		Error json.RawMessage
	}
	var inner struct{ Code string }
	if json.Unmarshal([]byte(a.body), &failure) == nil {
		_ = json.Unmarshal(failure.Error, &inner)
	}
	return strings.TrimSpace(line + " " + failure.Code + inner.Code)
}

// answerOf sends a case and reads all that comes back.
func answerOf(t *testing.T, address string, c hostileCase) (a answered) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(hostileTime)); err != nil {
		t.Fatal(err)
	}
	go func() { // a server may answer before it has read everything, and then read nothing more
		for _, piece := range c.sent {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
		if c.halfClose {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	var all bytes.Buffer
	_, err = io.Copy(&all, conn)
	a.hung = os.IsTimeout(err)
	from := bufio.NewReader(&all)
	for {
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			return a
		}
		body, _ := io.ReadAll(response.Body) // a stream may be cut
		_ = response.Body.Close()
		if response.StatusCode == http.StatusContinue {
			continue
		}
		a.status, a.body, a.header = response.StatusCode, string(body), response.Header
		a.count++
	}
}

// request returns the bytes of a request of hostilePrincipal. lines replace or follow the usual ones: one without a
// value removes its header.
func request(method, target, body string, lines ...string) string {
	headers := []string{"Host: 127.0.0.1", "X-User: " + hostilePrincipal, "Connection: close", "X-Request-Id: test"}
	if method == http.MethodPost || method == http.MethodPatch {
		headers = append(headers, "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(body)))
	}
	own := func(line string) string {
		name, _, _ := strings.Cut(line, ":")
		return strings.ToLower(name)
	}
	headers = slices.DeleteFunc(headers, func(h string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return own(l) == own(h) })
	})
	for _, l := range lines {
		if !strings.HasSuffix(l, ":-") {
			headers = append(headers, l)
		}
	}
	return method + " " + target + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n" + body
}

// hostileCases are all cases, each with a unique name.
func hostileCases() (all []hostileCase) {
	for _, group := range []struct {
		name  string
		cases []hostileCase
	}{
		{"body", hostileBodies()}, {"member", hostileMembers()}, {"message", hostileMessages()}, {"id", hostileIDs()}, {"path", hostilePaths()},
		{"query", hostileQueries()}, {"header", hostileHeaders()}, {"coding", hostileCodings()}, {"patch", hostilePatches()}, {"wire", hostileWires()},
	} {
		for _, c := range group.cases {
			c.name = group.name + " " + c.name
			if slices.ContainsFunc(all, func(o hostileCase) bool { return o.name == c.name }) {
				panic(fmt.Sprintf("two cases are called %q", c.name))
			}
			all = append(all, c)
		}
	}
	return all
}

// answersFile has a line for each case: its name and what it is answered with.
var answersFile = filepath.Join("testdata", "hostile.txt")

// expectedAnswers reads answersFile.
func expectedAnswers(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(answersFile)
	if err != nil && !updating() {
		t.Fatal(err)
	}
	expected := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if at := strings.LastIndex(line, ": "); at >= 0 {
			expected[line[:at]] = strings.TrimSpace(line[at+2:])
		}
	}
	return expected
}

func writeAnswers(t *testing.T, answered []string) {
	t.Helper()
	if err := os.WriteFile(answersFile, []byte(strings.Join(answered, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// quote2 returns v as JSON.
func quote2(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// A client that closes its side of the connection looks like one that is gone. If it still reads, its response is no
// success.
func TestWhoHangsUpIsNotToldOfSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("echo", input("t", "r", []string{"u1:Hi"}))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range [][3]string{{"GET", "/threads/t", ""}, {"PATCH", "/threads/t", `{"title":"x"}`}, {"DELETE", "/threads/t", ""}, {"POST", "/threads/t/fork", `{"messageId":"u1"}`}} {
		r := httptest.NewRequestWithContext(gone, c[0], c[1], strings.NewReader(c[2]))
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		w.g.ServeHTTP(answer, r)
		if answer.Code != http.StatusRequestTimeout {
			t.Errorf("%s %s = %d %s, want 408", c[0], c[1], answer.Code, answer.Body)
		}
	}
}
