package teamtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/teamfile"
	"github.com/agui-gateway/gateway/groupchat/modeltest"
	"github.com/agui-gateway/gateway/model"
)

// A scripted is an entry of models: it replaces a model of the team.
type scripted struct {
	at       *teamfile.Value
	name     string
	replies  []modeltest.Reply
	places   []*teamfile.Value // of the replies
	recorded string            // the path of a file of replies; empty is none
}

func (c *conversation) readModels(v *teamfile.Value) {
	if v != nil && !v.IsMapping() {
		c.modelsOff = v.OneOf("off", "false") != ""
		return
	}
	keys, values := v.Pairs("models")
	for i, key := range keys {
		f := values[i].Fields(fmt.Sprintf("model %q", key.Text()), "model")
		s := &scripted{at: key, name: key.Text()}
		list, recorded := f.Take("replies"), f.Take("recorded")
		f.End()
		if (list == nil) == (recorded == nil) {
			key.Bad("model %q needs one of replies and recorded; "+
				"write `replies: [ { text: … } ]` or `recorded: replies.json`", s.name)
		}
		s.recorded = c.path(recorded)
		for _, item := range list.List("replies") {
			s.replies, s.places = append(s.replies, readReply(item)), append(s.places, item)
		}
		c.models = append(c.models, s)
	}
}

// readReply reads a reply: a text, or a mapping.
func readReply(v *teamfile.Value) modeltest.Reply {
	line, column := v.Place()
	if !v.IsMapping() {
		return modeltest.Reply{Text: v.Text(), Label: label(line, column)}
	}
	f := v.Fields("a reply", "reply")
	r := modeltest.Reply{
		Text: f.Take("text").Text(), Reasoning: f.Take("reasoning").Text(), Refusal: f.Take("refusal").Text(),
		Error: errcode.Code(f.Take("error").Text()), For: f.Take("for").Text(),
		Label: label(line, column), Finish: f.Take("finish").Text(),
	}
	if raw := f.Any("json"); raw != nil {
		if r.Text != "" {
			raw.Bad("a reply is text or json; remove one")
		}
		r.Text = string(raw.JSON())
	}
	for _, item := range f.Take("calls").List("calls") {
		call := item.Fields("a call", "reply call")
		name, arguments := call.Need("name", "name the tool").Text(), "{}"
		if a := call.Take("arguments"); a != nil {
			arguments = string(a.JSON())
		}
		call.End()
		r.Calls = append(r.Calls, model.Call{Name: name, Arguments: arguments})
	}
	if text := readText(f.Take("when")); text != nil {
		r.Fits = func(q model.Request) bool {
			return modeltest.Unanswered(q, func(m model.Message) bool { return text.holds(m.Text) })
		}
	}
	if times := f.Take("times"); times != nil {
		if r.Times = -1; times.Text() != "any" {
			r.Times = times.Count(1)
		}
	}
	r.Usage = readUsage(f.Take("usage"))
	f.End()
	return r
}

func readUsage(v *teamfile.Value) agui.TokenUsage {
	if v == nil {
		return agui.TokenUsage{}
	}
	f := v.Fields("usage", "usage")
	defer f.End()
	return agui.TokenUsage{
		Provider: "script", Model: "script",
		InputTokens: optionalCount(f.Take("input")), OutputTokens: optionalCount(f.Take("output")),
	}
}

// optionalCount reads a number; nil for an absent value.
func optionalCount(v *teamfile.Value) *int64 {
	if v == nil {
		return nil
	}
	count := int64(v.Count(0))
	return &count
}

// label returns a place as replies have it.
func label(line, column int) string { return fmt.Sprintf("%d:%d", line, column) }

// complaints collects the failures that scripted models and servers report.
type complaints struct {
	mu   sync.Mutex
	told []string
}

// Helper does nothing.
func (*complaints) Helper() {}

// Errorf notes a failure.
func (c *complaints) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

// Fatalf notes a failure.
func (c *complaints) Fatalf(format string, args ...any) { c.Errorf(format, args...) }

// take returns the failures since the last call.
func (c *complaints) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := c.told
	c.told = nil
	return told
}

// short returns a value for a report.
func short(raw json.RawMessage) string {
	const most = 400
	s := string(raw)
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + " …"
	}
	return s
}
