package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// A scripted is what one call of the binary, without a terminal, has come to.
type scripted struct {
	code           int
	stdout, stderr string
}

// says runs `gateway chat` with text as its standard input, in a separate home.
func says(t *testing.T, binary, home, text string, args ...string) scripted {
	t.Helper()
	return saysIn(t, []string{"HOME=" + home}, binary, text, args...)
}

func saysIn(t *testing.T, env []string, binary, text string, args ...string) scripted {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"chat"}, args...)...)
	cmd.Env = env
	cmd.Stdin = strings.NewReader(text)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return scripted{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// wants compares code and output, and checks parts of the messages on standard error.
func (s scripted) wants(t *testing.T, code int, stdout string, stderr ...string) {
	t.Helper()
	if s.code != code || s.stdout != stdout {
		t.Errorf("exit code %d, want %d; output\n%s\nwant\n%s\nand beside it\n%s", s.code, code, s.stdout, stdout, s.stderr)
	}
	for _, want := range stderr {
		if !strings.Contains(s.stderr, want) {
			t.Errorf("%q is not told:\n%s", want, s.stderr)
		}
	}
	if len(stderr) == 0 && s.stderr != "" {
		t.Errorf("told is\n%s\nwant nothing", s.stderr)
	}
}

// TestChatInScripts is about what programs get.
func TestChatInScripts(t *testing.T) {
	t.Parallel()
	binary, home := builtGateway(t), t.TempDir()
	team := writeFile(t, "team.yaml", chatTeam)

	t.Run("a question is answered by the next call", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", team)
		here := []string{"-url", p.url, "-agent", "desk", "-thread", "mine"}
		says(t, binary, home, "Hello\n", here...).wants(t, exitQuestion, "Hello there.\n",
			"question int_", "is open: Which airline?", "2  United, price 4", "echo ANSWER | gateway chat -url "+p.url+" -agent desk -thread mine")
		says(t, binary, home, "", here...).wants(t, exitQuestion, "", "is open: Which airline?")
		says(t, binary, home, "Lufthansa", here...).wants(t, exitError, "", "none of the choices 1 to 2", "stays open: Which airline?")
		says(t, binary, home, "2\n", here...).wants(t, exitOK, "You fly with United.\nBooked.\n")
	})
	t.Run("words are an answer where the agent reads them", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", writeFile(t, "team.yaml", typedTeam))
		for i, text := range []string{"the second one", "United, please", "2", "united"} {
			here := []string{"-url", p.url + "/agents/desk", "-thread", fmt.Sprint("words-", i)}
			says(t, binary, home, "Hello\n", here...).wants(t, exitQuestion, "Hello there.\n", "is open: Which airline?")
			says(t, binary, home, "Tell me a joke", here...).wants(t, exitQuestion, "I do not know which of the answers you mean. There are: 1. KLM; 2. United. Please type one of them. The question is still open: Which airline?\n", "is open: Which airline?")
			says(t, binary, home, text+"\n", here...).wants(t, exitOK, "You fly with United.\nBooked.\n")
		}
		here := []string{"-config", writeFile(t, "team.yaml", typedTeam), "-store", "file:" + filepath.Join(t.TempDir(), "t.db"), "-thread", "mine"}
		says(t, binary, home, "Hello\n", here...).wants(t, exitQuestion, "Hello there.\n", "is open: Which airline?")
		says(t, binary, home, "KLM, please", here...).wants(t, exitOK, "You fly with KLM.\nBooked.\n")
	})
	t.Run("several questions are answered at once", func(t *testing.T) {
		t.Parallel()
		model := httptest.NewServer(openaitest.Serve(openaitest.Calls("refund", `{"order":"A-1","euros":40}`, "refund", `{"order":"A-2","euros":1}`), openaitest.Text("Done.")))
		t.Cleanup(model.Close)
		args := []string{"-config", writeFile(t, "team.yaml", approvalTeam), "-model-url", model.URL, "-store", "file:" + filepath.Join(t.TempDir(), "t.db"), "-thread", "mine"}
		asked := says(t, binary, home, "Money back!", args...)
		asked.wants(t, exitQuestion, "", `refund {"order":"A-1","euros":40}; allow or deny`, `{"order":"A-2","euros":1}`)
		ids := regexp.MustCompile(`int_\S+`).FindAllString(asked.stderr, 2)
		says(t, binary, home, "allow", args...).wants(t, exitError, "", "2 questions are open, and there is no answer to "+ids[0])
		says(t, binary, home, fmt.Sprintf(`{%q: {"approved": true}, %q: {"approved": false, "reason": "no"}}`, ids[0], ids[1]), args...).wants(t, exitOK, "Done.\n")
	})
	t.Run("an interrupt stops the run", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", team)
		cmd := exec.CommandContext(t.Context(), binary, "chat", "-url", p.url+"/agents/slow", "-thread", "mine")
		cmd.Stdin = strings.NewReader("Hello")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("one"))); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait() // its code is what counts
		if code := cmd.ProcessState.ExitCode(); code != exitStopped || string(rest) != "\n" {
			t.Errorf("exit code %d, %q, want %d", code, rest, exitStopped)
		}
		if _, body := get(t, http.MethodGet, p.url+"/threads/mine", ""); !strings.Contains(body, `"status":"cancelled"`) {
			t.Errorf("the run goes on: %s", body)
		}
	})
	t.Run("wrong command lines", func(t *testing.T) {
		t.Parallel()
		says(t, binary, home, "").wants(t, exitUsage, "", "there is nothing to say")
		says(t, binary, home, "Hello", "-config", team).wants(t, exitUsage, "", "name one of the agents that are served: desk, form, late, slow")
		says(t, binary, home, "Hello", "-config", team, "-url", "http://127.0.0.1:1").wants(t, exitUsage, "", "not both")
		says(t, binary, home, "Hello", "-header", "X-Key: hush").wants(t, exitUsage, "", "-header is for an agent at a -url")
		says(t, binary, home, "Hello", "-header", "hush").wants(t, exitError, "", "-header (GATEWAY_HEADER): not a header")
		says(t, binary, home, "Hello", "-url", "hush").wants(t, exitError, "", "-url (GATEWAY_URL): not a URL")
		says(t, binary, home, "Hello", "-keep", "maybe").wants(t, exitError, "", "-keep (GATEWAY_KEEP): not one of the choices")
	})
	t.Run("a file that a gateway has", func(t *testing.T) {
		t.Parallel()
		store := "file:" + filepath.Join(t.TempDir(), "threads.db")
		p := serveTeam(t, binary, "-config", team, "-store", store)
		says(t, binary, home, "Hello", "-config", team, "-agent", "desk", "-store", store).wants(t, exitError, "", "-store (GATEWAY_STORE): ")
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
	})
	t.Run("wrong addresses", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", team)
		ask := func(url string, code int, told ...string) {
			t.Helper()
			says(t, binary, home, "Hello", "-url", url).wants(t, code, "", told...)
		}
		ask("http://127.0.0.1:1/agents/desk", exitError, "Nothing answers at http://127.0.0.1:1/agents/desk", "Is the server running")
		ask(p.url+"/agents/dest", exitError, "There is no agent at "+p.url+"/agents/dest (404)", "The gateway there has the agents desk, form, late, slow.")
		ask(p.url, exitError, "The gateway has several agents: desk, form, late, slow", "Name one with -agent NAME")
		says(t, binary, home, "Hello", "-url", p.url+"/agents/desk", "-agent", "form").wants(t, exitError, "", "The URL names an agent already")
		page := func(status int) string {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case status == http.StatusFound:
					http.Redirect(w, r, "/login", status)
				case status == http.StatusUnauthorized && r.Header.Get("X-Key") == "hush":
					w.Header().Set("Content-Type", "application/json")
				default:
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					w.WriteHeader(status)
					_, _ = io.WriteString(w, "<!doctype html><title>\x1b]0;owned\x07</title>")
				}
			}))
			t.Cleanup(s.Close)
			return s.URL + "/agent"
		}
		ask(page(http.StatusOK), exitError, "A web page answers at ", "An agent's URL is such as")
		ask(page(http.StatusNotFound), exitError, "A web page answers at ")
		ask(page(http.StatusFound), exitError, "leads to another place (302)")
		locked := page(http.StatusUnauthorized)
		ask(locked, exitError, "does not let this in (401)", "GATEWAY_HEADER")
		for _, way := range []struct {
			env  []string
			args []string
		}{{nil, []string{"-header", "X-Other: 1", "-header", "X-Key: hush"}}, {[]string{"GATEWAY_HEADER=X-Key: hush"}, nil}} {
			got := saysIn(t, append(way.env, "HOME="+home), binary, "Hello", append(way.args, "-url", locked)...)
			got.wants(t, exitError, "", "sends no stream of events")
			if strings.Contains(got.stderr, "hush") {
				t.Errorf("a secret is told:\n%s", got.stderr)
			}
		}
	})
}

// An older is a server of AG-UI before 1.0, which stores nothing and asks in the dialect of that time. It knows no
// gateway.
type older struct {
	*httptest.Server
	mu   sync.Mutex
	runs []olderInput
}

type olderInput struct {
	ThreadID       string `json:"threadId"`
	RunID          string `json:"runId"`
	Messages       []struct{ Role, Content string }
	State          map[string]any
	ForwardedProps struct {
		Command struct{ Resume, InterruptEvent json.RawMessage }
	}
}

// hostile is text that must not reach a terminal: a title, a cleared screen, the clipboard, a report that is typed as
// an answer, C1, and text that is displayed differently from its content.
const hostile = "\x1b]0;owned\x07 \x1b[2J \x1b]52;c;aHVzaA==\x1b\\ \x1b[6n \u009b31m safe\rsafe \u202etxt.exe\u2066"

func newOlder(t *testing.T) *older {
	t.Helper()
	o := &older{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in olderInput
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.ThreadID == "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		o.mu.Lock()
		o.runs = append(o.runs, in)
		o.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(e map[string]any) {
			data, err := json.Marshal(e)
			if err != nil {
				t.Error(err)
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
		}
		send(map[string]any{"type": "RUN_STARTED", "threadId": in.ThreadID, "runId": in.RunID})
		if resume := in.ForwardedProps.Command.Resume; resume != nil {
			send(map[string]any{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "role": "assistant", "delta": "Room " + string(resume) + " is yours."})
		} else {
			send(map[string]any{"type": "STATE_SNAPSHOT", "snapshot": map[string]any{"seen": hostile}})
			send(map[string]any{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "role": "assistant", "delta": "Hello" + hostile})
			send(map[string]any{"type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "find" + hostile, "delta": `{"q":"` + "\u009b31m" + `"}`})
			send(map[string]any{"type": "TOOL_CALL_RESULT", "messageId": "m3", "toolCallId": "c1", "content": hostile, "role": "tool"})
			value, err := json.Marshal(map[string]any{"message": "Which room?" + hostile, "options": []string{"north" + hostile, "south"}, "agent": hostile})
			if err != nil {
				t.Error(err)
			}
			send(map[string]any{"type": "CUSTOM", "name": "on_interrupt", "value": string(value)})
		}
		send(map[string]any{"type": "RUN_FINISHED", "threadId": in.ThreadID, "runId": in.RunID})
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *older) run(i int) olderInput {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.runs[i]
}

// harmless fails if a terminal was sent anything but text, colours and moves within a line.
func harmless(t *testing.T, raw string) {
	t.Helper()
	if i := strings.IndexFunc(escapes.ReplaceAllString(raw, ""), func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2066'
	}); i >= 0 {
		t.Errorf("the terminal was sent what is no text:\n%q", raw)
	}
	if strings.Contains(strings.ReplaceAll(raw, "\r\n", ""), "safe\rsafe") {
		t.Errorf("text covers other text:\n%q", raw)
	}
}

// TestChatWithOthers is about servers that are no gateway: of before 1.0, without a memory, and hostile.
func TestChatWithOthers(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)

	t.Run("at a terminal", func(t *testing.T) {
		t.Parallel()
		o := newOlder(t)
		w := openWindow(t, 80, nil, binary, "chat", "-url", o.URL+"/agent")
		w.enter("\n> ", "Hello").sees("agent: Hello␛]0;owned␇", "calls find", "Which room?", "2  south").enter("answer> ", "2").sees(`Room "south" is yours.`)
		w.enter("\n> ", "/state").sees("seen").enter("\n> ", "/threads").sees("no list of conversations", "\n> ").types(ctrlC)
		w.ends(exitOK)
		harmless(t, w.raw())
	})
	t.Run("gone on with from what is kept", func(t *testing.T) {
		t.Parallel()
		o, home := newOlder(t), t.TempDir()
		there := []string{"-url", o.URL + "/agent?token=hush", "-thread", "mine"}
		asked := says(t, binary, home, "Hello", there...)
		asked.wants(t, exitQuestion, asked.stdout, "question 1 is open: Which room?")
		harmless(t, asked.stdout+asked.stderr)
		if !strings.HasPrefix(asked.stdout, "Hello␛") {
			t.Errorf("the output is %q", asked.stdout)
		}
		says(t, binary, home, "south", there...).wants(t, exitOK, "Room \"south\" is yours.\n")
		answer := o.run(1)
		if event := answer.ForwardedProps.Command.InterruptEvent; !bytes.Contains(event, []byte("Which room?")) || len(answer.Messages) != 4 || answer.State["seen"] != hostile {
			t.Errorf("the server was asked %+v, want the conversation, the state and the event that asked", answer)
		}
		says(t, binary, home, "Thanks", there...)
		if last := o.run(2); len(last.Messages) != 6 || last.Messages[5].Content != "Thanks" || last.Messages[4].Content != `Room "south" is yours.` {
			t.Errorf("the server was asked %+v, want the whole conversation", last.Messages)
		}
		wantPrivate(t, filepath.Join(home, ".local", "state", "agui-gateway", "chat"))
	})
	t.Run("nothing is kept", func(t *testing.T) {
		t.Parallel()
		o, home := newOlder(t), t.TempDir()
		for range 2 {
			says(t, binary, home, "Hello", "-url", o.URL+"/agent", "-thread", "mine", "-keep", "off")
		}
		if last := o.run(1); len(last.Messages) != 1 {
			t.Errorf("the server was asked %+v, want the new message only", last.Messages)
		}
		if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
			t.Errorf("home has %v, %v, want nothing", entries, err)
		}
	})
}

// wantPrivate wants files below dir that only their owner can read, and that have no secret of the URL.
func wantPrivate(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v, %v", path, info.Mode(), err)
		}
		if entry.IsDir() {
			return nil
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("hush\"")) || bytes.Contains(data, []byte("token=")) {
			t.Errorf("%s has the URL's secret", path)
		}
		return err
	})
	if err != nil || files != 1 {
		t.Errorf("%d files are kept, %v, want one", files, err)
	}
}

// TestChatSettings reads the arguments of `gateway chat`: repeated headers, and the precedence of a URL and a team.
func TestChatSettings(t *testing.T) {
	t.Parallel()
	cmd := commands()[indexOfCommand(t, "chat")]
	c, err := parse(cmd, []string{"-header", "A: 1", "-header", "b:2", "-model-key", "hush", "-url", "http://me:hush@127.0.0.1/x y?token=hush", "-thread", "t"}, environment(map[string]string{"GATEWAY_CONFIG": "x.yaml"}))
	if err != nil || c.chat.header.Get("a") != "1" || c.chat.header.Get("B") != "2" {
		t.Errorf("parse() = %v, %v", c.chat.header, err)
	}
	if got, also := c.continueCommand(); got != "gateway chat -url http://127.0.0.1/x%20y" || also != "-url -header -model-key" {
		t.Errorf("again() = %s, %s, want no secret and no thread", got, also)
	}
	var out bytes.Buffer
	if code := run(context.Background(), []string{"chat", "-h"}, environment(nil), &out, &out); code != exitOK || !strings.Contains(out.String(), "GATEWAY_HEADER") {
		t.Errorf("gateway chat -h = %d\n%s", code, &out)
	}
}

func indexOfCommand(t *testing.T, name string) int {
	t.Helper()
	for i, c := range commands() {
		if c.name == name {
			return i
		}
	}
	t.Fatalf("there is no command %s", name)
	return -1
}
