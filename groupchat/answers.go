package groupchat

import (
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
)

// An answer is what an agent said last. A turn that ended with that of a [Concurrent] has several, one for each
// participant.
type answer struct {
	name, path string
	fans       []fanMark
	agent      Agent // the participant of a fan; nil for the last words of a turn without one
	named      bool  // its name goes before it where it is joined with others
	text       string
}

// A fanMark says in a message's mark that a participant of a fan said it.
type fanMark struct {
	At   string `json:"at"`   // the path of the fan; empty for the root
	Turn string `json:"turn"` // the id of the participant's turn
}

// fansOf adds the fans of the tree a, by their paths, to fans.
func fansOf(a Agent, at string, above []Agent, fans map[string]*Concurrent) {
	a = unwrap(a)
	parts := partsOf(a)
	if parts == nil || slices.Contains(above, a) {
		return
	}
	if f, ok := a.(*Concurrent); ok {
		fans[at] = f
	}
	above = append(slices.Clip(above), a)
	for _, p := range parts {
		fansOf(p.Agent, joinPath(at, p.Name), above, fans)
	}
}

// answers are the last words among messages that match, those of the agent at a path: one answer, or, if a fan at that
// path or below it said them, one for each of its participants in their order.
func (x *execution) answers(messages []Message, at string, match func(Message) bool) []answer {
	i := len(messages) - 1
	for i >= 0 && (messages[i].Role != agui.RoleAssistant || messages[i].Content.IsZero() || !match(messages[i])) {
		i--
	}
	if i < 0 {
		return nil
	}
	last := messages[i]
	marks := markOf(last).Fans
	level := slices.IndexFunc(marks,
		func(m fanMark) bool { return at == "" || m.At == at || strings.HasPrefix(m.At, at+".") })
	fans := x.knownFans()
	if level < 0 || fans[marks[level].At] == nil {
		return []answer{{name: last.Name, path: x.speaker(last), text: last.Content.Text()}}
	}
	var all []answer
	fan := marks[level].At
	turn := marks[level].Turn[:strings.LastIndexByte(marks[level].Turn, '/')+1]
	for _, p := range fans[fan].Participants {
		own := fanMark{At: fan, Turn: turn + p.Name}
		list := x.answers(messages, joinPath(fan, p.Name),
			func(m Message) bool { return match(m) && slices.Contains(markOf(m).Fans, own) })
		if len(list) == 1 && list[0].agent == nil {
			list[0].by(p.Name, fan, p.Agent, append(marks[:level:level], own))
		}
		for j := range list {
			list[j].named = list[j].named || fans[fan].Named
		}
		all = append(all, list...)
	}
	return all
}

// by makes a the answer of a participant of the fan at a path.
func (a *answer) by(name, fan string, agent Agent, fans []fanMark) {
	a.name, a.path, a.agent, a.fans = name, joinPath(fan, name), agent, fans
}

func joined(list []answer) string {
	var texts []string
	for _, a := range list {
		switch {
		case strings.TrimSpace(a.text) == "":
		case a.named:
			texts = append(texts, a.name+": "+a.text)
		default:
			texts = append(texts, a.text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func anyMessage(Message) bool { return true }

// fanMarks name the turns of participants of fans that t is part of, the outermost first.
func (t *Turn) fanMarks() []fanMark {
	var marks []fanMark
	for at := t; at != nil; at = at.up {
		if at.fan != nil {
			marks = append(marks, *at.fan)
		}
	}
	slices.Reverse(marks)
	return marks
}

// sayAnswers adds the answers of agent, which ran in a private conversation, to the conversation r with w: one message,
// or one for each participant of a fan, under its name. Each is added once per turn and key.
func (t *Turn) sayAnswers(r *run.Run, w run.Writer, agent Agent, key string, list []answer) error {
	for _, a := range list {
		o, by, key := run.TextOptions{Name: t.name(), Metadata: t.marked()}, innerHooks(agent), key
		if a.agent != nil {
			o = run.TextOptions{Name: a.name, Metadata: t.markedAs(a.name, a.path, a.fans)}
			by, key = append(slices.Clip(by), innerHooks(a.agent)...), key+"/"+a.path
		}
		if err := t.done(key, func() error { return t.sayLast(r, w, by, o, a.text) }); err != nil {
			return err
		}
	}
	return nil
}
