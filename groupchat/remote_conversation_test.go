package groupchat

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
)

// An upstream is a server that answers each run with the next of its streams, and remembers what it was asked.
type upstream struct {
	*httptest.Server
	mu      sync.Mutex
	streams []string
	asked   []string // bodies
	header  []http.Header
	// answer, if set, is given the request instead.
	answer func(w http.ResponseWriter, r *http.Request, body string)
}

func newUpstream(t testing.TB, streams ...string) *upstream {
	t.Helper()
	u := &upstream{streams: streams}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		u.mu.Lock()
		u.asked = append(u.asked, string(body))
		u.header = append(u.header, r.Header.Clone())
		next := ""
		if u.answer == nil && len(u.streams) > 0 {
			next, u.streams = u.streams[0], u.streams[1:]
		}
		answer := u.answer
		u.mu.Unlock()
		if answer != nil {
			answer(w, r, string(body))
			return
		}
		sse(w, next)
	}))
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

// sse writes lines, each an event, as a stream.
func sse(w http.ResponseWriter, lines string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			_, _ = io.WriteString(w, "data: "+line+"\n\n")
		}
	}
	_ = http.NewResponseController(w).Flush()
}

// requests are the bodies since it was asked last.
func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	asked := u.asked
	u.asked = nil
	return asked
}

func remote(t testing.TB, o RemoteOptions) *Remote {
	t.Helper()
	r, err := NewRemote(o)
	must(t, err)
	return r
}

// TestRemoteConversations plays testdata/remote: the setup of a remote agent, then by turns what its server answers the
// coming requests with, what a client sends, the requests the server got, and the events the client gets. The streams
// have the shapes that the sources of the servers have which the files are named after; they are not recordings.
func TestRemoteConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/remote/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			playRemote(t, file)
		})
	}
}

func playRemote(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	u := newUpstream(t)
	var r *rig
	var out *stream
	for i, section := range archive.Files {
		var got string
		switch section.Name {
		case "remote":
			r = remoteRig(t, u, section.Data)
			continue
		case "stream":
			u.streams = append(u.streams, string(section.Data))
			continue
		case "input":
			out = send(r, strings.Split(strings.TrimSpace(string(section.Data)), "\n"))
			continue
		case "requests":
			got = strings.Join(u.requests(), "\n") + "\n"
		case "events":
			for _, e := range out.events {
				got += line(e) + "\n"
			}
		case "state":
			got = string(r.state) + "\n"
		default:
			t.Fatalf("%s: unknown section %q", file, section.Name)
		}
		if !*update {
			equal(t, fmt.Sprintf("section %d, %s", i, section.Name), strings.Split(got, "\n"), strings.Split(string(section.Data), "\n"))
		}
		archive.Files[i].Data = []byte(got)
	}
	if *update {
		must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
}

// remoteRig is a thread with a root agent, or an only participant, at u.
func remoteRig(t *testing.T, u *upstream, setup []byte) *rig {
	var o struct {
		Name, Path, Dialect string
		Tools               []agui.Tool
		State               json.RawMessage
		Props               json.RawMessage
	}
	must(t, json.Unmarshal(setup, &o))
	var root Agent = remote(t, RemoteOptions{
		URL: u.URL, State: RemoteState{Path: o.Path}, Dialect: RemoteDialect(o.Dialect), Server: client.ServerOther,
	})
	if o.Name != "" {
		root = team(Sequential(), Participant{Name: o.Name, Agent: root})
	}
	r := newRig(t, root)
	r.state = o.State
	r.input = Input{ThreadID: "thread", RunID: "run", Agent: "desk", Principal: Principal{ID: "local"}, Tools: o.Tools, ForwardedProps: o.Props}
	return r
}

var update = flag.Bool("update", false, "rewrite the events of the conversations in testdata")

// send plays one request.
func send(r *rig, lines []string) *stream {
	answers, results := map[string]string{}, map[string]string{}
	for _, l := range lines {
		verb, rest, _ := strings.Cut(l, " ")
		key, value, _ := strings.Cut(rest, " ")
		switch verb {
		case "user":
			return r.say(rest)
		case "answer":
			answers[key] = value
		case "cancel":
			answers[key] = "cancel"
		case "result":
			results[key] = value
		default:
			r.t.Fatalf("unknown input %q", l)
		}
	}
	if len(results) > 0 {
		return r.returns(results)
	}
	return r.answer(answers)
}
