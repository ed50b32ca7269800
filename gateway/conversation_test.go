package gateway_test

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/gateway"
)

// The tests of this directory are two packages and share the flag.
func init() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "rewrite what testdata expects")
	}
}

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// The conversations of testdata have the form: prose, then one section per step, each followed by the expected results
// in a section want.
//
//	-- METHOD PATH [Header=Value…] --         a request, its whole answer; the body may have several lines
//	-- open NAME until TYPE METHOD PATH … --  a stream, read up to an event of that type
//	-- rest NAME --                           the rest of that stream, to its end
//	-- hang up NAME --                        its connection closes
//	-- release --                             an agent that waits continues
//	-- idle THREAD --                         nothing runs on the thread any more
//	-- move DURATION --                       the clock is moved
//	-- drain --                               the gateway is given no more time
//
// In requests INT1, INT2, … are the ids of the questions, and CALL1, CALL2, … those of the frontend calls, in the order
// in which they were first seen. Streams are shown as they were sent, an id and an event a line. All of them must obey
// the order rules.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { converse(t, file) })
		})
	}
}

func converse(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &conversation{world: newBubbleWorld(t, quick), streams: map[string]*reader{}, names: map[string]string{}}
	var out []txtar.File
	for i, section := range archive.Files {
		if section.Name == "want" {
			continue
		}
		body := placeholder.ReplaceAllStringFunc(string(bytes.TrimSpace(section.Data)), func(name string) string { return c.names[name] })
		got, shows := c.play(section.Name, body)
		c.learn(got)
		out = append(out, section)
		want, expects := "", i+1 < len(archive.Files) && archive.Files[i+1].Name == "want"
		if expects {
			want = string(archive.Files[i+1].Data)
		}
		if !shows {
			if expects {
				t.Errorf("%s shows nothing that could be wanted", section.Name)
			}
			continue
		}
		out = append(out, txtar.File{Name: "want", Data: []byte(got)})
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" && !updating() {
			t.Errorf("%s (-want +got):\n%s", section.Name, diff)
		}
	}
	if !updating() {
		return
	}
	archive.Files = out
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// quick makes a gateway's graces short.
func quick(o *gateway.Options) {
	o.HangUpGrace, o.StopGrace = soon, soon
	o.Limits.Event, o.Limits.State = 2048, 1024
	o.RunTimeout = patience
	o.Agent["deaf"] = gateway.AgentOptions{RunTimeout: 500 * time.Millisecond}
}

// A conversation is one file being played.
type conversation struct {
	*world
	streams map[string]*reader
	names   map[string]string // placeholder → id
}

var (
	placeholder = regexp.MustCompile(`\b(INT|CALL)[0-9]\b`)
	minted      = regexp.MustCompile(`\b(int|call)_id[0-9]+`)
)

// learn gives the ids in an answer their placeholders.
func (c *conversation) learn(got string) {
	for _, id := range minted.FindAllString(got, -1) {
		kind, _, _ := strings.Cut(id, "_")
		known := 0
		for name, other := range c.names {
			if other == id {
				known = -1
				break
			}
			if strings.HasPrefix(name, strings.ToUpper(kind)) {
				known++
			}
		}
		if known >= 0 {
			c.names[strings.ToUpper(kind)+strconv.Itoa(known+1)] = id
		}
	}
}

// play runs a section and returns its result, and whether there is one to show.
func (c *conversation) play(name, body string) (string, bool) {
	c.t.Helper()
	words := strings.Fields(name)
	switch {
	case words[0] == "open" && len(words) >= 6 && words[2] == "until":
		r := c.send(words[4:], body)
		c.streams[words[1]] = r
		r.until(agui.EventType(words[3]))
		return r.lines(0), true
	case words[0] == "rest":
		r := c.streams[words[1]]
		seen := len(r.records)
		r.rest()
		return r.lines(seen), true
	case words[0] == "hang" && words[1] == "up":
		c.streams[words[2]].hangUp()
		return "", false
	case words[0] == "release":
		c.release()
		return "", false
	case words[0] == "idle":
		c.idle(words[1])
		return "", false
	case words[0] == "move":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			c.t.Fatal(err)
		}
		c.clock.Move(d)
		return "", false
	case words[0] == "drain":
		ctx, cancel := context.WithCancel(c.t.Context())
		cancel()
		if err := c.g.Drain(ctx); err == nil {
			c.t.Error("Drain() without time = nil, want an error")
		}
		return "", false
	default:
		return c.whole(words, body), true
	}
}

// send sends a request that is answered by a stream.
func (c *conversation) send(words []string, body string) *reader {
	c.t.Helper()
	header := []string{}
	for _, h := range words[2:] {
		name, value, _ := strings.Cut(h, "=")
		header = append(header, name, value)
	}
	return c.open(words[0], words[1], body, header...)
}

// whole sends a request and shows all of its answer.
func (c *conversation) whole(words []string, body string) string {
	c.t.Helper()
	header := []string{}
	for _, h := range words[2:] {
		name, value, _ := strings.Cut(h, "=")
		header = append(header, name, value)
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), c.patience)
	defer cancel()
	response := c.request(ctx, words[0], words[1], body, header...)
	defer response.Body.Close()
	if response.Header.Get("Content-Type") == "text/event-stream" {
		if words[0] == http.MethodGet {
			body = ""
		}
		r := newReader(c.t, response, cancel, body)
		r.patience = c.patience
		defer r.hangUp()
		r.rest()
		return r.lines(0)
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(response.Body); err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(strconv.Itoa(response.StatusCode)+" "+data.String()) + "\n"
}
