package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/agui-gateway/gateway/model/openai/openaitest"
)

// chatTeam greets, asks with choices and with a form, and takes its time.
const chatTeam = `version: 1
agents:
  desk:
    type: groupchat
    manager: { type: sequential }
    participants:
      - { name: greeter, type: script, steps: [ { say: Hello there. }, { ask: { key: air, message: Which airline?, options: [ { name: KLM, price: 3 }, { name: United, price: 4 } ] } }, { say: "You fly with ${answers.air.name}." }, { set: { path: /airline, value: "${answers.air.name}" } } ] }
      - { name: booker, type: script, steps: [ { say: Booked. } ] }
  form:
    type: script
    steps:
      - ask:
          key: who
          message: Who travels?
          schema:
            type: object
            required: [ name, age, seat ]
            properties:
              name: { type: string, minLength: 2 }
              age: { type: integer, maximum: 120 }
              seat: { enum: [ aisle, window ] }
              meals: { type: array, items: { type: string } }
              vegan: { type: boolean }
              home: { type: object, required: [ city ], properties: { city: { type: string } } }
      - { set: { path: /who, value: "${answers.who}" } }
      - { say: "Thank you, ${answers.who.name}." }
  late: { type: script, steps: [ { say: Wait. }, { sleep: 1s }, { ask: { key: x, message: Which?, options: [ red, blue ] } }, { say: "${answers.x} it is." } ] }
  slow: { type: script, steps: [ { say: one }, { sleep: 1h }, { say: two } ] }
`

// typedTeam has the first agent of chatTeam, which reads messages as answers.
const typedTeam = `version: 1
agents:
  desk:
    type: groupchat
    typed_answers: on
    manager: { type: sequential }
    participants:
      - { name: greeter, type: script, steps: [ { say: Hello there. }, { ask: { key: air, message: Which airline?, options: [ { name: KLM, price: 3 }, { name: United, price: 4 } ] } }, { say: "You fly with ${answers.air.name}." } ] }
      - { name: booker, type: script, steps: [ { say: Booked. } ] }
`

// oddTeam asks for anything, fails, and speaks twice.
const oddTeam = `version: 1
agents:
  open: { type: script, steps: [ { ask: { key: a, message: What now? } }, { say: "You said ${answers.a}." } ] }
  bad: { type: script, steps: [ { say: Trying. }, { fail: { code: sold_out, message: Sorry. } } ] }
  twice: { type: script, steps: [ { say: one }, { sleep: 2s }, { say: two } ] }
`

// approvalTeam calls a tool that a person has to approve of.
const approvalTeam = `version: 1
agents:
  desk:
    type: llm
    instructions: Help.
    approve: always
    remember: [ thread ]
    tools:
      - name: refund
        description: Gives money back.
        parameters: { type: object, required: [ order, euros ], properties: { order: { type: string }, euros: { type: integer, maximum: 100 } } }
        steps: [ { set: { path: /refunded, value: "${arguments.euros}" } } ]
        result: "${arguments.euros} euros were given back"
`

func TestChatAtATerminal(t *testing.T) {
	t.Parallel()
	binary := builtGateway(t)
	team := writeFile(t, "team.yaml", chatTeam)

	t.Run("a conversation with a gateway is gone on with", func(t *testing.T) {
		t.Parallel()
		store := "file:" + filepath.Join(t.TempDir(), "threads.db")
		p := serveTeam(t, binary, "-config", team, "-store", store)
		w := openWindow(t, 80, nil, binary, "chat", "-url", p.url, "-agent", "desk")
		w.enter("\n> ", "Hello").sees("greeter: Hello there.", "Which airline?", "1  KLM, price 3", "2  United, price 4")
		w.interrupt("answer> ").sees("left open", "\n> ").types(ctrlC).sees("Go on with: gateway chat -url " + p.url + " -agent desk -thread ")
		w.ends(exitOK)
		thread := regexp.MustCompile(`-thread (\S+)`).FindStringSubmatch(w.text())[1]

		// The gateway ends, too: the rest of the conversation is in its file.
		p.signal(t, syscall.SIGTERM)
		p.wantExit(t, 0)
		p = serveTeam(t, binary, "-config", team, "-store", store)
		w = openWindow(t, 80, nil, binary, "chat", "-url", p.url+"/agents/desk", "-thread", thread)
		w.sees("you: Hello", "greeter: Hello there.", "Which airline?")
		w.enter("answer> ", "3").sees("there are the choices 1 to 2")
		w.enter("answer> ", "united").sees("greeter: You fly with United.", "booker: Booked.", "the state has changed")
		w.enter("\n> ", "/state").sees(`"airline": "United"`)
		w.enter("\n> ", "/threads").sees("idle  " + thread + "  Hello")
		w.enter("\n> ", "/quit").sees("Go on with: ")
		w.ends(exitOK)
	})
	t.Run("a team of this process is gone on with", func(t *testing.T) {
		t.Parallel()
		args := []string{"chat", "-config", team, "-agent", "desk", "-store", "file:" + filepath.Join(t.TempDir(), "threads.db")}
		w := openWindow(t, 80, []string{"NO_COLOR=1"}, binary, args...)
		w.enter("\n> ", `two \`).enter(". ", "lines").enter("answer> ", "1").sees("greeter: You fly with KLM.", "booker: Booked.", "\n> ").types(ctrlC).sees("-thread ")
		w.ends(exitOK)
		if regexp.MustCompile("\x1b\\[[0-9;]*m").MatchString(w.raw()) {
			t.Errorf("NO_COLOR is set, and there are colours:\n%q", w.raw())
		}
		thread := regexp.MustCompile(`-thread (\S+)`).FindStringSubmatch(w.text())[1]
		w = openWindow(t, 80, nil, binary, append(args, "-thread", thread)...)
		w.sees("you: two \nlines", "greeter: You fly with KLM.", "booker: Booked.").enter("\n> ", "Again").sees("Which airline?").interrupt("answer> ").sees("left open", "\n> ").types(ctrlC)
		w.ends(exitOK)
		if !strings.Contains(w.raw(), "\x1b[1;36mbooker: \x1b[0m") {
			t.Errorf("there are no colours:\n%q", w.raw())
		}
	})
	t.Run("words are an answer where the agent reads them", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", writeFile(t, "team.yaml", typedTeam))
		w.enter("\n> ", "Hello").sees("Which airline?").enter("answer> ", "Tell me a joke").sees("There are: 1. KLM; 2. United.", "Which airline?")
		w.enter("answer> ", "the second one").sees("greeter: You fly with United.", "booker: Booked.", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("a call with other arguments", func(t *testing.T) {
		t.Parallel()
		model := httptest.NewServer(openaitest.Serve(openaitest.Calls("refund", `{"order":"A-1","euros":40}`), openaitest.Text("It is done.")))
		t.Cleanup(model.Close)
		w := openWindow(t, 100, []string{"OPENAI_BASE_URL=" + model.URL}, binary, "chat", "-config", writeFile(t, "team.yaml", approvalTeam))
		w.enter("\n> ", "Money back!").sees(`desk calls refund {"order":"A-1","euros":40}`, "refund: Gives money back.", `order = "A-1"`, "euros = 40", "c allow for this conversation")
		w.enter("decision> ", "e").sees("order (string)", "order> A-1").types("\r")
		w.sees("euros (integer)", "euros> 40").types(clearLine+"2000\r").sees("maximum", "euros> ").types(clearLine + "20\r")
		w.sees("euros = 20   (changed)", "a allow the edited call", "decision> ").types("a: half is enough\r")
		w.sees("refund (edited, half is enough): 20 euros were given back", "desk: It is done.")
		w.enter("\n> ", "/state").sees(`"refunded": 20`, "\n> ").types(ctrlC).sees("This conversation ends here")
		w.ends(exitOK)
	})
	t.Run("a call that is declined", func(t *testing.T) {
		t.Parallel()
		model := httptest.NewServer(openaitest.Serve(openaitest.Calls("refund", `{"order":"A-1","euros":40}`, "refund", `{"order":"A-2","euros":1}`), openaitest.Text("As you like.")))
		t.Cleanup(model.Close)
		w := openWindow(t, 100, []string{"OPENAI_BASE_URL=" + model.URL}, binary, "chat", "-config", writeFile(t, "team.yaml", approvalTeam))
		w.enter("\n> ", "Money back!").sees("(1 of 2)").enter("decision> ", "maybe").sees("none of the decisions")
		w.enter("decision> ", "d").enter("why not> ", "not this customer").sees("(2 of 2)", `order = "A-2"`).enter("decision> ", "c")
		w.sees("refund (declined): not approved", "not this customer", "refund (approved): 1 euros were given back", "desk: As you like.", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("a form", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", team, "-agent", "form")
		w.enter("\n> ", "Book").sees("Who travels?", "name (string)").enter("name> ", "A").sees("minLength").enter("name> ", "Ada")
		w.sees("age (integer)").enter("age> ", "old").sees("no JSON").enter("age> ", "130").sees("maximum").enter("age> ", "42")
		w.sees("1  aisle", "2  window").enter("seat> ", "window").sees("meals (array, optional)").enter("meals> ", `["soup", "tea"]`)
		w.sees("vegan (boolean, optional)").enter("vegan> ", "y").sees("home (object, optional)").enter("home?> ", "")
		w.sees("Thank you, Ada.").enter("\n> ", "/state").sees("\n> ").types(ctrlC)
		w.ends(exitOK)
		var state map[string]any
		shown := w.text()
		shown = shown[strings.LastIndex(shown, "/state\n")+len("/state\n"):]
		if err := json.NewDecoder(strings.NewReader(shown)).Decode(&state); err != nil {
			t.Fatalf("%v in\n%s", err, shown)
		}
		got, err := json.Marshal(state["who"])
		if want := `{"age":42,"meals":["soup","tea"],"name":"Ada","seat":"window","vegan":true}`; err != nil || string(got) != want {
			t.Errorf("the answer was %s, %v, want %s", got, err, want)
		}
	})
	t.Run("Ctrl-C stops a run", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", team)
		w := openWindow(t, 80, nil, binary, "chat", "-url", p.url+"/agents/slow", "-thread", "mine")
		w.enter("\n> ", "Hello").sees("slow: one").types(ctrlC).sees("stopped")
		w.enter("\n> ", "And now?").sees("slow: one").types(ctrlC).sees("stopped", "\n> ")
		if status, body := get(t, http.MethodGet, p.url+"/threads/mine", ""); status != http.StatusOK || !strings.Contains(body, `"status":"idle"`) || strings.Count(body, `"status":"cancelled"`) != 2 {
			t.Errorf("GET /threads/mine = %d, %s, want two runs that were stopped", status, body)
		}
		w.types(ctrlC).sees("Go on with: ")
		w.ends(exitOK)
	})
	t.Run("anything is an answer, and a message is none", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", writeFile(t, "team.yaml", oddTeam), "-agent", "open")
		w.enter("\n> ", "Hello").sees("What now?").interrupt("answer> ").sees("left open").enter("\n> ", "Hm?").sees("(interrupt_pending)", "What now?")
		w.enter("answer> ", "nothing, thanks").sees("open: You said nothing, thanks.", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("what has failed is tried again", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", writeFile(t, "team.yaml", oddTeam), "-agent", "bad")
		w.enter("\n> ", "Hello").sees("The run failed: Sorry. (sold_out)").enter("\n> ", "/retry").sees("bad: Trying.", "The run failed")
		w.enter("\n> ", "/dance").sees("There is no such command").enter("\n> ", "/new").sees("a new conversation", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("a run that goes on is followed", func(t *testing.T) {
		t.Parallel()
		p := serveTeam(t, binary, "-config", writeFile(t, "team.yaml", oddTeam), "-disconnect", "detach")
		p.post(t, "twice")
		w := openWindow(t, 80, nil, binary, "chat", "-url", p.url+"/agents/twice", "-thread", "t")
		w.sees("you: Hello", "a run is going on", "twice: one", "twice: two", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("what is typed before a question does not answer it", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", team, "-agent", "late")
		w.enter("\n> ", "Hello").sees("late: Wait.").types("1\r1\r").sees("Which?").enter("answer> ", "2").sees("late: blue it is.", "\n> ").types(ctrlC)
		w.ends(exitOK)
	})
	t.Run("a narrow window", func(t *testing.T) {
		t.Parallel()
		for _, columns := range []uint16{24, 8} {
			w := openWindow(t, columns, nil, binary, "chat", "-config", team, "-agent", "desk")
			w.enter("> ", "A long line that does not fit into the window").sees("Hello there.").enter("answer> ", "2").sees("You fly with United.").sees("> ").types(ctrlC)
			w.sees("This conversation").ends(exitOK)
		}
	})
	t.Run("SIGTERM leaves the terminal as it was", func(t *testing.T) {
		t.Parallel()
		w := openWindow(t, 80, nil, binary, "chat", "-config", team, "-agent", "desk")
		w.sees("\n> ")
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		w.ends(exitError)
		mode := exec.CommandContext(t.Context(), "stty", "-a")
		mode.Stdin = w.file
		if out, err := mode.CombinedOutput(); err != nil || !strings.Contains(string(out), " echo ") || !strings.Contains(string(out), " icanon ") {
			t.Errorf("stty -a: %v\n%s\nwant echo and icanon", err, out)
		}
	})
}
