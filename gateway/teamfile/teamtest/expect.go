package teamtest

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// An expectation describes the result of a run. Parts that it does not name are not compared.
type expectation struct {
	at *teamfile.Value
	// empty means that nothing is expected yet: `expect: {}`. Updating fills it in.
	empty   bool
	speaker *teamfile.Value
	says    *saying
	said    []*saying // all messages, in order; nil is not compared
	saidAt  *teamfile.Value
	calls   []*callOf
	callsAt *teamfile.Value
	state   []*stateAt
	asks    []*asking
	asksAt  *teamfile.Value
	ends    string // done, asks, calls or error; empty is not compared
	code    string // of the error
	endsAt  *teamfile.Value
}

// A saying is an expected message.
type saying struct {
	at      *teamfile.Value
	speaker string // empty is any speaker
	text    *textIs
}

// A textIs is an expected text: exact, a pattern or a part.
type textIs struct {
	exact    *string
	matches  *regexp.Regexp
	contains *string
}

// holds reports whether text is as expected.
func (w *textIs) holds(text string) bool {
	switch {
	case w == nil:
		return true
	case w.exact != nil:
		return strings.TrimSpace(*w.exact) == strings.TrimSpace(text)
	case w.matches != nil:
		return w.matches.MatchString(text)
	default:
		return w.contains != nil && strings.Contains(text, *w.contains)
	}
}

// String describes the expected text.
func (w *textIs) String() string {
	switch {
	case w == nil:
		return "anything"
	case w.exact != nil:
		return quote(*w.exact)
	case w.matches != nil:
		return "what matches /" + w.matches.String() + "/"
	case w.contains != nil:
		return "what contains " + quote(*w.contains)
	default:
		return "nothing"
	}
}

// A callOf is an expected call of a tool.
type callOf struct {
	name      string
	arguments json.RawMessage // nil is not compared
	result    *textIs
}

// A stateAt is an expected value of the state at a pointer; null also means that there is none.
type stateAt struct {
	at      *teamfile.Value
	pointer string
	value   json.RawMessage
	text    *textIs // if it is not nil, value is not compared
}

// An asking is an expected open question.
type asking struct {
	key     *string
	message *textIs
	options json.RawMessage // nil is not compared
	by      string
	tool    string
}

func (c *conversation) readExpectation(v *teamfile.Value) *expectation {
	e := &expectation{at: v}
	f := v.Fields("what is expected", "expect")
	e.speaker = f.Take("speaker")
	if says := f.Take("says"); says.IsList() {
		e.saidAt, e.said = says, []*saying{}
		for _, item := range says.List("says") {
			e.said = append(e.said, readSaying(item))
		}
	} else if says != nil {
		e.says = &saying{at: says, speaker: e.speaker.Text(), text: readText(says)}
	}
	if e.callsAt = f.Take("calls"); e.callsAt != nil {
		e.calls = []*callOf{}
		for _, item := range listOrOne(e.callsAt, "calls") {
			e.calls = append(e.calls, readCall(item))
		}
	}
	keys, values := f.Take("state").Pairs("the state")
	for i, key := range keys {
		e.state = append(e.state, readStateAt(key, values[i]))
	}
	if e.asksAt = f.Take("asks"); e.asksAt != nil {
		e.asks = []*asking{}
		for _, item := range listOrOne(e.asksAt, "asks") {
			e.asks = append(e.asks, readAsking(item))
		}
	}
	e.readEnds(f.Take("ends"))
	f.End()
	e.empty = e.speaker == nil && e.says == nil && e.said == nil && e.calls == nil &&
		e.state == nil && e.asks == nil && e.ends == ""
	if e.said != nil && e.speaker != nil {
		e.speaker.Bad("a list of what is said names the speakers itself; write `says: [ { speaker: …, text: … } ]`")
	}
	return e
}

func (e *expectation) readEnds(v *teamfile.Value) {
	if e.endsAt = v; v == nil {
		return
	}
	if v.IsMapping() {
		f := v.Fields("how the run ends", "ends")
		e.ends, e.code = "error", f.Need("error", "name a code, such as `ends: { error: model_unavailable }`").Text()
		f.End()
		return
	}
	e.ends = v.OneOf("done", "asks", "calls", "error")
}

// listOrOne returns the items of a list, or v as the only item.
func listOrOne(v *teamfile.Value, what string) []*teamfile.Value {
	if v.IsList() {
		return v.List(what)
	}
	return []*teamfile.Value{v}
}

// readSaying reads an item of says: a text, or a speaker with one.
func readSaying(v *teamfile.Value) *saying {
	if !v.IsMapping() {
		return &saying{text: readText(v)}
	}
	f := v.Fields("what is said", "said")
	s := &saying{speaker: f.Take("speaker").Text()}
	s.text = readTextFields(v, f, f.Take("text"))
	f.End()
	return s
}

// readText reads an exact text, or a mapping with a pattern or a part; nil for an absent value.
func readText(v *teamfile.Value) *textIs {
	if !v.IsMapping() {
		if text := optionalText(v); text != nil {
			return &textIs{exact: text}
		}
		return nil
	}
	f := v.Fields("a text", "text")
	t := readTextFields(v, f, nil)
	f.End()
	return t
}

// optionalText reads a text; nil for an absent value.
func optionalText(v *teamfile.Value) *string {
	if v == nil {
		return nil
	}
	text := v.Text()
	return &text
}

func readTextFields(v *teamfile.Value, f *teamfile.Fields, exact *teamfile.Value) *textIs {
	t := &textIs{}
	matches, contains := f.Take("matches"), f.Take("contains")
	n := 0
	for _, one := range []*teamfile.Value{exact, matches, contains} {
		if one != nil {
			n++
		}
	}
	switch {
	case n > 1:
		v.Bad("a text is one of text, matches and contains; remove the others")
	case exact != nil:
		t.exact = optionalText(exact)
	case matches != nil:
		re, err := regexp.Compile(matches.Text())
		if err != nil {
			matches.Bad("no regular expression that Go reads; see https://pkg.go.dev/regexp/syntax")
			return nil
		}
		t.matches = re
	case contains != nil:
		t.contains = optionalText(contains)
	default:
		return nil
	}
	return t
}

func readCall(v *teamfile.Value) *callOf {
	if !v.IsMapping() {
		return &callOf{name: v.Text()}
	}
	f := v.Fields("a call", "call")
	defer f.End()
	return &callOf{
		name:      f.Need("name", "name the tool").Text(),
		arguments: f.Take("arguments").JSON(),
		result:    readText(f.Take("result")),
	}
}

func readStateAt(key, value *teamfile.Value) *stateAt {
	s := &stateAt{at: key, pointer: key.Text()}
	if !strings.HasPrefix(s.pointer, "/") {
		key.Bad("not a JSON Pointer; write /name, or /name/inner")
	}
	if value.IsMapping() {
		keys, _ := value.Pairs("a value")
		if len(keys) == 1 && (keys[0].Text() == "matches" || keys[0].Text() == "contains") {
			s.text = readText(value)
			return s
		}
	}
	s.value = value.JSON()
	return s
}

func readAsking(v *teamfile.Value) *asking {
	f := v.Fields("a question", "ask")
	defer f.End()
	return &asking{
		by: f.Take("by").Text(), tool: f.Take("tool").Text(), key: optionalText(f.Take("key")),
		message: readText(f.Take("message")), options: f.Take("options").JSON(),
	}
}
