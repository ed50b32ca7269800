package modeltest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model"
)

// A Reply is what a [Model] says to one request. The zero value says nothing.
type Reply struct {
	Text, Reasoning, Refusal string
	Calls                    []model.Call
	Finish                   string // why it ends; empty means "stop", or "tool_calls" if it calls tools
	Usage                    agui.TokenUsage
	Cost                     *float64
	// Error, if set, is the code with which the call fails after the text has been handed on, such as
	// model_unavailable.
	Error errcode.Code
	// For is who the reply is for: the name of a participant, which is also for those within its turn, or a path; the
	// thread's agent where it speaks itself; "supervisor" for a manager. Empty is for anybody.
	For string
	// Fits, if set, decides which requests the reply is for.
	Fits func(model.Request) bool
	// Label is the place of the reply in a script, for messages.
	Label string
	// Times is how often it is given; 0 means once, and less than 0 any number of times, never included.
	Times int

	given int
}

// Text is a reply that says text.
func Text(text string) Reply { return Reply{Text: text} }

// Calls is a reply that calls tools: their names and arguments, which are JSON, by turns.
func Calls(list ...string) Reply {
	var r Reply
	for i := 0; i+1 < len(list); i += 2 {
		r.Calls = append(r.Calls, model.Call{Name: list[i], Arguments: list[i+1]})
	}
	return r
}

// Fails is a call of a model that fails with a code.
func Fails(code errcode.Code) Reply { return Reply{Error: code} }

// To returns r for a speaker alone, see Reply.For.
func (r Reply) To(speaker string) Reply {
	r.For = speaker
	return r
}

// When returns r for requests that have text in what the model has not answered yet: in a message behind its last
// words.
func (r Reply) When(text string) Reply {
	r.Fits = func(q model.Request) bool {
		return Unanswered(q, func(m model.Message) bool { return strings.Contains(m.Text, text) })
	}
	return r
}

// Unanswered reports whether is holds for a message of q behind the last that the model itself said.
func Unanswered(q model.Request, is func(model.Message) bool) bool {
	for _, m := range slices.Backward(q.Messages) {
		if m.Role == agui.RoleAssistant {
			return false
		}
		if is(m) {
			return true
		}
	}
	return false
}

// Always returns r for any number of requests, none included.
func (r Reply) Always() Reply {
	r.Times = -1
	return r
}

// open reports whether the reply is for q, which speaker asks, and may be given once more.
func (r *Reply) open(speaker string, q model.Request) bool {
	if r.Times >= 0 && r.given >= max(r.Times, 1) {
		return false
	}
	by := r.For == "" || r.For == speaker || slices.ContainsFunc(strings.Split(speaker, "."), func(turn string) bool {
		name, _, _ := strings.Cut(turn, "@") // "writer@2" is the second turn of writer
		return name == r.For || turn == r.For
	})
	return by && (r.Fits == nil || r.Fits(q))
}

// missing is how often the reply has still to be given.
func (r *Reply) missing() int {
	if r.Times < 0 {
		return 0
	}
	return max(r.Times, 1) - r.given
}

// say hands the reply on, the text word by word, and returns it.
func (r *Reply) say(on model.Deltas) (model.Reply, error) {
	reply := model.Reply{Text: r.Text, Reasoning: r.Reasoning, Refusal: r.Refusal, Calls: r.Calls, Finish: r.Finish,
		Usage: r.Usage, Cost: r.Cost}
	for _, part := range []struct {
		text string
		to   func(string) error
	}{{r.Reasoning, on.Reasoning}, {r.Words(), on.Text}} {
		for _, word := range strings.SplitAfter(part.text, " ") {
			if word == "" || part.to == nil {
				continue
			}
			if err := part.to(word); err != nil {
				return reply, err
			}
		}
	}
	if r.Error != "" {
		return reply, &errcode.Error{Code: r.Error, Err: errors.New("as the script says")}
	}
	for i, c := range r.Calls {
		if on.Call == nil {
			break
		}
		if err := on.Call(i, c.Name, c.Arguments); err != nil {
			return reply, err
		}
	}
	if reply.Finish == "" {
		reply.Finish = "stop"
		if len(r.Calls) > 0 {
			reply.Finish = "tool_calls"
		}
	}
	return reply, nil
}

// Words is the text, or the refusal.
func (r *Reply) Words() string { return r.Text + r.Refusal }

// String is the reply in short.
func (r *Reply) String() string {
	var words []string
	if r.Error != "" {
		words = append(words, "the error "+string(r.Error))
	}
	if text := r.Words(); text != "" {
		words = append(words, fmt.Sprintf("%q", text))
	}
	for _, c := range r.Calls {
		words = append(words, fmt.Sprintf("the call %s%s", c.Name, c.Arguments))
	}
	if r.For != "" {
		words = append(words, "for "+r.For)
	}
	return strings.Join(words, " ")
}

// Diff compares two texts line by line: lines of want alone begin with "-", those of got alone with "+". Lines that
// both have far from any difference are left out. It costs the product of the lengths of what differs.
func Diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var head, tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, a[0]), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append(tail, a[len(a)-1]), a[:len(a)-1], b[:len(b)-1]
	}
	var lines []string
	const near = 2
	for _, l := range head[max(0, len(head)-near):] {
		lines = append(lines, "  "+l)
	}
	lines = append(lines, changed(a, b)...)
	for i := len(tail) - 1; i >= max(0, len(tail)-near); i-- {
		lines = append(lines, "  "+tail[i])
	}
	return strings.Join(lines, "\n")
}

// changed are the lines of a and b along their longest common subsequence.
func changed(a, b []string) []string {
	const most = 2000 // lines of each side that are compared with each other
	if len(a) > most || len(b) > most {
		return append(marked("- ", a), marked("+ ", b)...)
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var lines []string
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	return append(append(lines, marked("- ", a[i:])...), marked("+ ", b[j:])...)
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = mark + l
	}
	return out
}
