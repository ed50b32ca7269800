package faultsim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/agui-gateway/gateway/agui"
)

// A register is a member of the state of a thread that several people read and change at once.
type register struct {
	*histories

	thread string
}

// A change is the input of a call: a read, or a patch with a test of the old value.
type change struct {
	read     bool
	from, to string
}

// A seen is the output of a call.
type seen struct {
	value   string // that was read
	applied bool   // of a patch
	unknown bool   // the answer was lost, or did not say
}

// anything is the value of a register after its store lost changes: any earlier one.
const anything = "?"

// registers is the sequential specification.
var registers = porcupine.Model{
	Init: func() any { return "0" },
	Step: func(state, input, output any) (bool, any) {
		if _, lost := input.(loss); lost {
			return true, anything
		}
		now, c, o := state.(string), input.(change), output.(seen)
		switch {
		case c.read && o.unknown:
			return true, now
		case c.read:
			return now == anything || now == o.value, o.value
		case o.unknown && now == c.from:
			return true, c.to
		case o.unknown:
			return true, now
		case o.applied:
			return now == anything || now == c.from, c.to
		}
		return now == anything || now != c.from, now
	},
}

// begin makes the thread. Faults have not begun.
func (g *register) begin() {
	c := g.w.client("register", "desk", g.thread)
	message := agui.Message{ID: "u", Role: agui.RoleUser, Content: agui.TextContent("talk register")}
	c.post(&agui.RunAgentInput{RunID: "run", Messages: []agui.Message{message}}, "?disconnect=detach")
	const first = `[{"op":"add","path":"/c","value":"0"}]`
	if status, body := c.whole(http.MethodPatch, c.state(), first, "Content-Type", "application/json-patch+json"); status != http.StatusOK {
		g.w.problem("%s: the first patch: %d %s", g.thread, status, body)
	}
}

// state is the path of the thread's state.
func (c *client) state() string { return "/threads/" + c.thread + "/state?agent=" + c.agent }

// use reads and patches until faults are over.
func (g *register) use(id int) {
	c := g.w.client(fmt.Sprintf("register%d", id), "desk", g.thread)
	last := "0"
	for n := 0; !g.w.over() && n < 40; n++ {
		r := g.w.dice.next(c.name)
		time.Sleep(between(r, 0, 2*time.Second))
		if chance(r, 50) {
			value, ok := g.call(id, change{read: true}, func() seen { return c.readRegister() })
			if ok {
				last = value
			}
			continue
		}
		to := fmt.Sprintf("%d-%d", id, n)
		if _, ok := g.call(id, change{from: last, to: to}, func() seen { return c.patchRegister(last, to) }); ok {
			last = to
		}
	}
}

// call makes a call and records it. A call with an unknown outcome may take effect at any later time.
func (g *register) call(id int, in change, do func() seen) (value string, ok bool) {
	began := g.w.tick()
	out := do()
	end := g.w.tick()
	if out.unknown {
		end = math.MaxInt64
	}
	g.addUntil(g.thread, id, began, end, in, out)
	return out.value, !out.unknown && (in.read || out.applied)
}

func (c *client) readRegister() seen {
	status, body := c.whole(http.MethodGet, c.state(), "")
	var doc struct{ C string }
	if status != http.StatusOK || json.Unmarshal(body, &doc) != nil {
		return seen{unknown: true}
	}
	return seen{value: doc.C}
}

func (c *client) patchRegister(from, to string) seen {
	patch := `[{"op":"test","path":"/c","value":"` + from + `"},{"op":"add","path":"/c","value":"` + to + `"}]`
	status, body := c.whole(http.MethodPatch, c.state(), patch, "Content-Type", "application/json-patch+json")
	switch {
	case status == http.StatusOK:
		return seen{applied: true}
	case strings.Contains(string(body), `"patch_failed"`):
		return seen{}
	}
	return seen{unknown: true}
}

// whole makes a request and reads its whole answer; the status is 0 if there is none.
func (c *client) whole(method, path, body string, header ...string) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	response, err := c.request(ctx, method, path, body, header...)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, data
}
